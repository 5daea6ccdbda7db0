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

/// Functions of a text: in CEL, in Rust, what they make, and whether they always have a result.
const OF_TEXTS: [(&str, &str, CelType, bool); 6] = [
    ("duration", "duration", CelType::Duration, false),
    ("int", "int", CelType::Int, false),
    ("isIP", "is_ip", CelType::Bool, true),
    ("isCIDR", "is_cidr", CelType::Bool, true),
    ("isURL", "is_url", CelType::Bool, true),
    ("url", "url", CelType::Url, false),
];

/// Methods of durations: in CEL, and the nanoseconds of their unit.
const UNITS: [(&str, i64); 4] = [
    ("getHours", 3_600_000_000_000),
    ("getMinutes", 60_000_000_000),
    ("getSeconds", 1_000_000_000),
    ("getMilliseconds", 1_000_000),
];

/// Methods of URLs, which return texts: in CEL and in Rust.
const OF_URLS: [(&str, &str); 5] = [
    ("getScheme", "scheme"),
    ("getHost", "host"),
    ("getHostname", "hostname"),
    ("getPort", "port"),
    ("getEscapedPath", "escaped_path"),
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
            CelType::Kept(_) | CelType::Made(_) | CelType::Optional(_) | CelType::Url => {
                Err(format!("{} that is compared", said(&sort)))
            }
            _ => Ok((Node::Operator(operator, left, right), CelType::Bool)),
        }
    }

    fn compared(&mut self, operator: &'static str, a: &IdedExpr, b: &IdedExpr) -> Translated {
        let (left, right, sort) = self.pair(a, b)?;
        match sort {
            CelType::Int | CelType::Double | CelType::Duration | CelType::Text => {
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
            CelType::Duration if ["add", "subtract"].contains(&function) => (
                Node::Function(function, vec![*left, *right]),
                CelType::Duration,
            ),
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
            (name, [of]) => match OF_TEXTS.iter().find(|(cel, ..)| *cel == name) {
                Some(function) => self.function_of_text(function, of),
                None => Err(format!("the function `{}`", name.escape_debug())),
            },
            _ => Err(format!("the function `{}`", name.escape_debug())),
        }
    }

    fn function_of_text(
        &mut self,
        (cel, rust, makes, is_sure): &(&str, &'static str, CelType, bool),
        of: &IdedExpr,
    ) -> Translated {
        match self.expr(of)? {
            (node, CelType::Text) if *is_sure => Ok((Node::Sure(rust, vec![node]), makes.clone())),
            (node, CelType::Text) => Ok((Node::Function(rust, vec![node]), makes.clone())),
            // What it is already.
            (node, sort) if sort == *makes && sort != CelType::Bool => Ok((node, sort)),
            (_, sort) => Err(format!("the function `{cel}` of {}", said(&sort))),
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
            (node, CelType::Duration) if args.is_empty() => {
                let unit = UNITS.iter().find(|(cel, _)| *cel == name);
                let (_, unit) = unit.ok_or_else(|| format!("`{name}` of a duration"))?;
                let with = vec![node, Node::Int(*unit)];
                Ok((Node::Function("divide", with), CelType::Int))
            }
            (node, CelType::Url) if args.is_empty() => {
                let found = OF_URLS.iter().find(|(cel, _)| *cel == name);
                let (_, rust) = found.ok_or_else(|| format!("`{name}` of a URL"))?;
                Ok((Node::Made(Box::new(node), rust, Vec::new()), CelType::Text))
            }
            (node, sort) if name == "join" && self.has_texts(&sort) => {
                let with = match args {
                    [] => Node::Text(String::new()),
                    [with] => self.of_sort(with, &CelType::Text)?,
                    _ => return Err("`join` with several texts".to_owned()),
                };
                Ok((Node::Join(Box::new(node), Box::new(with)), CelType::Text))
            }
            (_, sort) => Err(format!(
                "the function `{}` of {}",
                name.escape_debug(),
                said(&sort)
            )),
        }
    }

    /// Returns true for lists of texts.
    fn has_texts(&self, sort: &CelType) -> bool {
        match sort {
            CelType::Made(item) => **item == CelType::Text,
            CelType::Place(Ty::List(item)) => self.plain(item) == Ty::String,
            _ => false,
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
            ("split", [by]) => {
                let by = self.of_sort(by, &CelType::Text)?;
                let texts = CelType::Made(Box::new(CelType::Text));
                Ok((Node::Sure("split", vec![*on, by]), texts))
            }
            ("indexOf" | "lastIndexOf", [part]) => {
                let part = self.of_sort(part, &CelType::Text)?;
                let function = match name {
                    "indexOf" => "index_of",
                    _ => "last_index_of",
                };
                Ok((Node::Sure(function, vec![*on, part]), CelType::Int))
            }
            ("charAt", [index]) => {
                let index = self.of_sort(index, &CelType::Int)?;
                Ok((Node::Function("char_at", vec![*on, index]), CelType::Text))
            }
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
