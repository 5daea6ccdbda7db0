//! Reads rules in CEL: parses them, and makes typed expressions of them.

mod formatted;
mod functions;
mod lists;
mod macros;
mod maps;
mod names;
mod operations;
mod optionals;
mod places;
pub(super) mod sameness;
mod signatures;
mod translate;

use cel::common::ast::{Expr, IdedExpr, LiteralValue, operators};
use cel::parser::Parser;

use crate::model::{ApiVersion, CelForm, Node, Resolved, Ty};

/// The longest rule that is read, and the deepest nesting in it: parsing nests as brackets and
/// operators before a value do.
const MAX_BYTES: usize = 4000;
const MAX_DEPTH: usize = 64;

/// A rule that has been parsed.
pub(super) struct Parsed {
    expr: IdedExpr,
}

/// Parses a rule, or says what is wrong with it.
pub(super) fn parse(rule: &str) -> Result<Parsed, String> {
    let depth = depth(rule);
    if rule.len() > MAX_BYTES || depth > MAX_DEPTH {
        return Err(format!(
            "it has {} bytes, and {depth} brackets and operators in each other",
            rule.len()
        ));
    }
    let parsed = Parser::new().enable_optional_syntax(true).parse(rule);
    let expr = parsed.map_err(|errors| {
        let message = errors.errors.first().map(|error| error.msg.clone());
        format!("it is not CEL: {}", message.unwrap_or_default())
    })?;
    Ok(Parsed { expr })
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

impl Parsed {
    /// Returns true if it is `self == oldSelf`.
    pub(super) fn is_immutable(&self) -> bool {
        let Expr::Call(call) = &self.expr.expr else {
            return false;
        };
        let is = |expr: &IdedExpr, name| matches!(&expr.expr, Expr::Ident(found) if found == name);
        match call.args.as_slice() {
            [a, b] if call.func_name == operators::EQUALS => {
                is(a, "self") && is(b, "oldSelf") || is(a, "oldSelf") && is(b, "self")
            }
            _ => false,
        }
    }

    /// The texts of `self in ["a", "b"]`.
    pub(super) fn accepted(&self) -> Option<Vec<String>> {
        let Expr::Call(call) = &self.expr.expr else {
            return None;
        };
        let [a, b] = call.args.as_slice() else {
            return None;
        };
        let is_self = matches!(&a.expr, Expr::Ident(name) if name == "self");
        match &b.expr {
            Expr::List(list) if is_self && call.func_name == operators::IN => {
                let texts = list.elements.iter().map(|element| match &element.expr {
                    Expr::Literal(LiteralValue::String(text)) => Some(text.inner().to_owned()),
                    _ => None,
                });
                texts.collect()
            }
            _ => None,
        }
    }

    /// The expression about values of a type, or what of it can't be translated. `is_optional` is
    /// true if `oldSelf` is an optional value in it.
    pub(super) fn translate(
        &self,
        version: &ApiVersion<Resolved>,
        (ty, form): (&Ty, &CelForm),
        is_optional: bool,
    ) -> Result<Node, String> {
        translate::Translator::new(version, (ty, form), is_optional).rule(&self.expr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_is_free() {
        let immutable = [
            "self == oldSelf",
            "self==oldSelf",
            "oldSelf == self",
            "(self) == (oldSelf)",
        ];
        for rule in immutable {
            assert!(parse(rule).is_ok_and(|rule| rule.is_immutable()), "{rule}");
        }
        let values = Some(vec!["a".to_owned(), String::new()]);
        for rule in ["self in [\"a\", \"\"]", "self in['a','']"] {
            assert!(
                parse(rule).is_ok_and(|rule| rule.accepted() == values),
                "{rule}"
            );
        }
        for rule in [
            "self != oldSelf",
            "self == self",
            "self in other",
            "self in [1]",
        ] {
            let plain = |rule: Parsed| !rule.is_immutable() && rule.accepted().is_none();
            assert!(parse(rule).is_ok_and(plain), "{rule}");
        }
    }

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
