//! Reads rules in CEL: parses them, and makes typed expressions of them.

mod formatted;
mod functions;
mod lists;
mod macros;
mod maps;
mod operations;
mod optionals;
mod places;
pub(super) mod sameness;
mod signatures;
mod sorts;
mod times;
mod translate;

use std::collections::BTreeMap;
use std::rc::Rc;

use cel::common::ast::{Expr, IdedExpr, LiteralValue, operators};

use crate::model::{ApiVersion, CelForm, Node, Resolved, Ty};
use crate::syntax;

/// A rule that has been parsed.
pub(super) struct Parsed {
    expr: IdedExpr,
}

/// The rules of a document by their texts, each parsed or what is wrong with it: many are in
/// several places, and to parse one takes long.
#[derive(Default)]
pub(super) struct Rules(BTreeMap<String, Rc<Result<Parsed, String>>>);

impl Rules {
    /// Parses a rule that isn't known yet.
    pub(super) fn parse(&mut self, rule: &str) -> Rc<Result<Parsed, String>> {
        if let Some(known) = self.0.get(rule) {
            return known.clone();
        }
        let parsed = Rc::new(parse(rule));
        self.0.insert(rule.to_owned(), parsed.clone());
        parsed
    }
}

/// Parses a rule, or says what is wrong with it.
fn parse(rule: &str) -> Result<Parsed, String> {
    Ok(Parsed {
        expr: syntax::parse(rule)?,
    })
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
}
