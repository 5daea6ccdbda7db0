//! Parses rules in CEL, in any spelling.

use cel::common::ast::{CallExpr, Expr, LiteralValue, operators};
use cel::parser::Parser;

/// The longest rule that is read, and the most brackets in it: parsing nests as they do.
const MAX_BYTES: usize = 1000;
const MAX_BRACKETS: usize = 32;

/// A rule that becomes a check.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// `self == oldSelf`.
    Immutable,
    /// `self in ["a", "b"]`.
    In(Vec<String>),
}

/// What a rule says, or why it can't be checked.
pub(super) fn translate(rule: &str) -> Result<Rule, String> {
    let brackets = rule.matches(['(', '[', '{', '!', '-', '?']).count();
    if rule.len() > MAX_BYTES || brackets > MAX_BRACKETS {
        return Err(format!("a rule of {} bytes and {brackets} brackets", rule.len()));
    }
    let shown = rule.escape_debug();
    let parsed = Parser::new().parse(rule).map_err(|errors| {
        let message = errors.errors.first().map(|error| error.msg.clone());
        format!("`{shown}` is not CEL: {}", message.unwrap_or_default())
    })?;
    let Expr::Call(call) = &parsed.expr else {
        return Err(format!("`{shown}` is not translated into a check"));
    };
    of_call(call).ok_or_else(|| format!("`{shown}` is not translated into a check"))
}

fn of_call(call: &CallExpr) -> Option<Rule> {
    let [left, right] = call.args.as_slice() else {
        return None;
    };
    let is =
        |expr: &Expr, name: &str| matches!(expr, Expr::Ident(found) if found == name);
    let sides = [&left.expr, &right.expr];
    match (call.func_name.as_str(), sides) {
        (operators::EQUALS, [a, b])
            if is(a, "self") && is(b, "oldSelf")
                || is(a, "oldSelf") && is(b, "self") =>
        {
            Some(Rule::Immutable)
        }
        (operators::IN, [a, Expr::List(list)]) if is(a, "self") => {
            let texts = list.elements.iter().map(|element| match &element.expr {
                Expr::Literal(LiteralValue::String(text)) => {
                    Some(text.inner().to_owned())
                }
                _ => None,
            });
            texts.collect::<Option<_>>().map(Rule::In)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(rule: &str, message: &str) -> bool {
        translate(rule).is_err_and(|error| error.contains(message))
    }

    #[test]
    fn spelling_is_free() {
        let immutable = [
            "self == oldSelf",
            "self==oldSelf",
            "oldSelf == self",
            "(self) == (oldSelf)",
        ];
        for rule in immutable {
            assert_eq!(translate(rule), Ok(Rule::Immutable), "{rule}");
        }
        let values = Rule::In(vec!["a".to_owned(), String::new()]);
        for rule in ["self in [\"a\", \"\"]", "self in['a','']"] {
            assert_eq!(translate(rule).as_ref(), Ok(&values), "{rule}");
        }
    }

    #[test]
    fn what_is_no_check() {
        let rules = [
            "self != oldSelf",
            "self == self",
            "self in other",
            "self in [1]",
            "has(self.a)",
            "self.a == oldSelf.a",
            "true",
        ];
        for rule in rules {
            assert!(says(rule, "is not translated"), "{rule}");
        }
        for rule in ["", "self ==", "self in [", "🦀"] {
            assert!(says(rule, "is not CEL"), "{rule}");
        }
        assert!(says(&"(".repeat(100), "brackets"));
    }
}
