//! Reads rules in CEL: parses them, and makes typed expressions of them.

mod functions;
mod macros;
mod names;
mod translate;

use cel::common::ast::{Expr, IdedExpr, LiteralValue, operators};
use cel::parser::Parser;

use crate::model::{ApiVersion, Node, Resolved, Ty};

/// The longest rule that is read, and the most brackets in it: parsing nests as they do.
const MAX_BYTES: usize = 4000;
const MAX_BRACKETS: usize = 64;

/// A rule that has been parsed.
pub(super) struct Parsed<'r> {
    text: &'r str,
    expr: IdedExpr,
}

/// Parses a rule, or says what is wrong with it.
pub(super) fn parse(rule: &str) -> Result<Parsed<'_>, String> {
    let brackets = rule.matches(['(', '[', '{', '!', '-', '?']).count();
    if rule.len() > MAX_BYTES || brackets > MAX_BRACKETS {
        return Err(format!(
            "a rule of {} bytes and {brackets} brackets",
            rule.len()
        ));
    }
    let parsed = Parser::new().enable_optional_syntax(true).parse(rule);
    let expr = parsed.map_err(|errors| {
        let message = errors.errors.first().map(|error| error.msg.clone());
        let shown = rule.escape_debug();
        format!("`{shown}` is not CEL: {}", message.unwrap_or_default())
    })?;
    Ok(Parsed { text: rule, expr })
}

impl Parsed<'_> {
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

    /// The expression about values of a type, or what of it can't be translated.
    pub(super) fn translate(
        &self,
        version: &ApiVersion<Resolved>,
        ty: &Ty,
    ) -> Result<Node, String> {
        translate::Translator::new(version, ty)
            .rule(&self.expr)
            .map_err(|what| {
                let shown = self.text.escape_debug();
                format!("`{shown}` is not translated into a check: {what}")
            })
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
            let plain = |rule: Parsed<'_>| !rule.is_immutable() && rule.accepted().is_none();
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
        assert!(says(&"(".repeat(100), "brackets"));
    }
}
