//! Operators, functions and methods of CEL.

use cel::common::ast::{Expr, IdedExpr, LiteralValue, operators};
use regex_lite::Regex;

use super::translate::{Translated, Translator, said};
use crate::model::{CelType, Node, ReadAs, Ty};

/// Operators that compare, in CEL and in Rust.
const ORDER: [(&str, &str); 4] = [
    (operators::LESS, "<"),
    (operators::LESS_EQUALS, "<="),
    (operators::GREATER, ">"),
    (operators::GREATER_EQUALS, ">="),
];

/// Operators of arithmetic: in CEL, the function of whole numbers, and in Rust.
const ARITHMETIC: [(&str, &str, &str); 5] = [
    (operators::ADD, "add", "+"),
    (operators::SUBSTRACT, "subtract", "-"),
    (operators::MULTIPLY, "multiply", "*"),
    (operators::DIVIDE, "divide", "/"),
    (operators::MODULO, "modulo", "%"),
];

/// Methods of texts that ask something of another: in CEL and in Rust.
const ASKS: [(&str, &str); 3] = [
    ("startsWith", "starts_with"),
    ("endsWith", "ends_with"),
    ("contains", "contains"),
];

/// Methods of texts that make another: in CEL and in Rust.
const MAKES: [(&str, &str); 2] = [
    ("lowerAscii", "to_ascii_lowercase"),
    ("upperAscii", "to_ascii_uppercase"),
];

impl Translator<'_> {
    /// An operator with operands of its own kinds; `None` if it isn't one.
    pub(super) fn operator(&mut self, name: &str, args: &[IdedExpr]) -> Option<Translated> {
        match args {
            [a] if name == operators::NEGATE => Some(self.negated(a)),
            [a, b] if name == operators::EQUALS => Some(self.equal("==", a, b)),
            [a, b] if name == operators::NOT_EQUALS => Some(self.equal("!=", a, b)),
            [a, b] => {
                if let Some((_, rust)) = ORDER.iter().find(|(cel, _)| *cel == name) {
                    return Some(self.compared(rust, a, b));
                }
                let found = ARITHMETIC.iter().find(|(cel, ..)| *cel == name);
                found.map(|(_, function, rust)| self.arithmetic(function, rust, a, b))
            }
            _ => None,
        }
    }

    fn negated(&mut self, of: &IdedExpr) -> Translated {
        match self.expr(of)? {
            (node, CelType::Int) => Ok((
                Node::Function("subtract", vec![Node::Int(0), node]),
                CelType::Int,
            )),
            (_, sort) => Err(format!("the negative of {}", said(&sort))),
        }
    }

    fn pair(
        &mut self,
        a: &IdedExpr,
        b: &IdedExpr,
    ) -> Result<(Box<Node>, Box<Node>, CelType), String> {
        let (left, sort) = self.expr(a)?;
        let (right, other) = self.expr(b)?;
        if sort != other {
            return Err(format!("{} beside {}", said(&sort), said(&other)));
        }
        Ok((Box::new(left), Box::new(right), sort))
    }

    fn equal(&mut self, operator: &'static str, a: &IdedExpr, b: &IdedExpr) -> Translated {
        let (left, right, sort) = self.pair(a, b)?;
        match sort {
            CelType::Kept(_) | CelType::Made(_) | CelType::Optional(_) => {
                Err(format!("{} that is compared", said(&sort)))
            }
            _ => Ok((Node::Operator(operator, left, right), CelType::Bool)),
        }
    }

    fn compared(&mut self, operator: &'static str, a: &IdedExpr, b: &IdedExpr) -> Translated {
        let (left, right, sort) = self.pair(a, b)?;
        match sort {
            CelType::Int | CelType::Double | CelType::Text => {
                Ok((Node::Operator(operator, left, right), CelType::Bool))
            }
            other => Err(format!("{} that is greater or less", said(&other))),
        }
    }

    fn arithmetic(
        &mut self,
        function: &'static str,
        operator: &'static str,
        a: &IdedExpr,
        b: &IdedExpr,
    ) -> Translated {
        let (left, right, sort) = self.pair(a, b)?;
        Ok(match sort {
            CelType::Int => (Node::Function(function, vec![*left, *right]), CelType::Int),
            CelType::Double if function != "modulo" => {
                (Node::Operator(operator, left, right), CelType::Double)
            }
            CelType::Text if function == "add" => {
                (Node::Joined(vec![*left, *right]), CelType::Text)
            }
            other => return Err(format!("arithmetic with {}", said(&other))),
        })
    }

    /// A function without a target.
    pub(super) fn function(&mut self, name: &str, args: &[IdedExpr]) -> Translated {
        match (name, args) {
            ("size", [of]) => self.size(of),
            _ => Err(format!("the function `{}`", name.escape_debug())),
        }
    }

    fn size(&mut self, of: &IdedExpr) -> Translated {
        let (node, sort) = self.expr(of)?;
        let node = match sort {
            CelType::Text => Node::Characters(Box::new(node)),
            CelType::Place(Ty::List(_) | Ty::Map(_)) | CelType::Kept(_) | CelType::Made(_) => {
                Node::Length(Box::new(node))
            }
            other => return Err(format!("the size of {}", said(&other))),
        };
        Ok((node, CelType::Int))
    }

    /// A method of a value.
    pub(super) fn method(&mut self, on: &IdedExpr, name: &str, args: &[IdedExpr]) -> Translated {
        if let ("size", []) = (name, args) {
            return self.size(on);
        }
        match self.expr(on)? {
            (node, CelType::Text) => self.of_text(node, name, args),
            (node, CelType::Optional(ty)) => self.of_optional(node, &ty, name, args),
            (_, sort) => Err(format!(
                "the function `{}` of {}",
                name.escape_debug(),
                said(&sort)
            )),
        }
    }

    fn of_text(&mut self, on: Node, name: &str, args: &[IdedExpr]) -> Translated {
        let on = Box::new(on);
        let ask = ASKS.iter().find(|(cel, _)| *cel == name);
        let make = MAKES.iter().find(|(cel, _)| *cel == name);
        if let (Some((_, rust)), [other]) = (ask, args) {
            let other = self.of_sort(other, &CelType::Text)?;
            return Ok((Node::Method(on, rust, vec![other]), CelType::Bool));
        }
        if let (Some((_, rust)), []) = (make, args) {
            return Ok((Node::Made(on, rust, Vec::new()), CelType::Text));
        }
        match (name, args) {
            ("trim", []) => Ok((Node::Method(on, "trim", Vec::new()), CelType::Text)),
            ("replace", [from, to]) => {
                let with = vec![
                    self.of_sort(from, &CelType::Text)?,
                    self.of_sort(to, &CelType::Text)?,
                ];
                Ok((Node::Made(on, "replace", with), CelType::Text))
            }
            ("substring", [from, rest @ ..]) if rest.len() < 2 => {
                let mut with = vec![*on, self.of_sort(from, &CelType::Int)?];
                for to in rest {
                    with.push(self.of_sort(to, &CelType::Int)?);
                }
                Ok((Node::Function("substring", with), CelType::Text))
            }
            ("matches", [pattern]) => match &pattern.expr {
                Expr::Literal(LiteralValue::String(text)) => {
                    let text = text.inner();
                    Regex::new(text).map_err(|error| {
                        format!(
                            "a regular expression that the crate regex-lite can't read: {error}"
                        )
                    })?;
                    Ok((Node::Matches(on, text.to_owned()), CelType::Bool))
                }
                _ => Err("a computed regular expression".to_owned()),
            },
            _ => Err(format!("the function `{}` of a text", name.escape_debug())),
        }
    }

    fn of_optional(&mut self, on: Node, ty: &Ty, name: &str, args: &[IdedExpr]) -> Translated {
        let on = Box::new(on);
        match (name, args) {
            ("hasValue", []) => Ok((Node::HasValue(on), CelType::Bool)),
            ("orValue", [other]) => {
                let (read, sort) = self.reading(ty);
                let other = self.of_sort(other, &sort)?;
                match read {
                    ReadAs::Borrowed => Err("a default that isn't a plain value".to_owned()),
                    read => Ok((Node::OrValue(on, read, Box::new(other)), sort)),
                }
            }
            _ => Err(format!(
                "the function `{}` of an optional value",
                name.escape_debug()
            )),
        }
    }
}
