//! The syntax of rules in CEL.

pub(crate) mod names;

use cel::common::ast::IdedExpr;
use cel::parser::Parser;

/// The longest rule that is read, and the deepest nesting in it: parsing nests as brackets and
/// operators before a value do.
const MAX_BYTES: usize = 4000;
const MAX_DEPTH: usize = 64;

/// Parses a rule, or says what is wrong with it.
pub(crate) fn parse(rule: &str) -> Result<IdedExpr, String> {
    let depth = depth(rule);
    if rule.len() > MAX_BYTES || depth > MAX_DEPTH {
        return Err(format!(
            "it has {} bytes, and {depth} brackets and operators in each other",
            rule.len()
        ));
    }
    let parsed = Parser::new().enable_optional_syntax(true).parse(rule);
    parsed.map_err(|errors| {
        let message = errors.errors.first().map(|error| error.msg.clone());
        format!("it is not CEL: {}", message.unwrap_or_default())
    })
}

/// Returns a depth that the nesting of an expression doesn't exceed. Text in quotes counts as well.
fn depth(rule: &str) -> usize {
    let (mut open, mut deepest, mut before, mut choices) = (0_usize, 0, 0, 0);
    for c in rule.chars() {
        match c {
            '(' | '[' | '{' => open += 1,
            ')' | ']' | '}' => open = open.saturating_sub(1),
            // A choice goes on to the end of what it is in.
            '?' => choices += 1,
            '!' | '-' => before += 1,
            c if c.is_whitespace() => {}
            _ => before = 0,
        }
        deepest = deepest.max(open + before);
    }
    deepest + choices
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn what_is_no_rule() {
        let says =
            |rule: &str, message: &str| parse(rule).is_err_and(|error| error.contains(message));
        for rule in ["", "self ==", "self in [", "🦀"] {
            assert!(says(rule, "is not CEL"), "{rule}");
        }
        assert!(says(&"(".repeat(100), "100 brackets"));
    }
}
