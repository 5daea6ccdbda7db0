//! Functions and methods of CEL.

use cel::common::ast::{Expr, IdedExpr, LiteralValue};

use super::signatures::{self, Call, FORMATS, GLOBAL, METHODS, Signature};
use super::sorts::{self, beside, is_list, said};
use super::times;
use super::translate::{Translated, Translator};
use crate::expression::Expression;
use crate::model::{CelObject, CelType, Node, Ty};

/// Methods of durations: in CEL, and the nanoseconds of their unit.
const UNITS: [(&str, i64); 4] = [
    ("getHours", 3_600_000_000_000),
    ("getMinutes", 60_000_000_000),
    ("getSeconds", 1_000_000_000),
    ("getMilliseconds", 1_000_000),
];

impl Translator<'_> {
    /// A function without a target.
    pub(super) fn function(&mut self, name: &str, args: &[IdedExpr]) -> Translated {
        match (name, args) {
            ("size", [of]) => return self.size(of),
            ("type", [of]) => return self.type_of(of),
            ("dyn", [of]) => return self.dynamic(of),
            ("matches", [text, pattern]) => {
                return self.method(text, name, std::slice::from_ref(pattern));
            }
            (name, [text]) if name.starts_with("format.") && name != "format.named" => {
                return self.problems(name, text);
            }
            (name, args) if name.starts_with("sets.") => return self.of_sets(name, args),
            _ => {}
        }
        let args = args.iter().map(|arg| self.expr(arg));
        let args = args.collect::<Result<Vec<_>, _>>()?;
        // What it is already.
        if let ("int", [(_, CelType::Int)])
        | ("uint", [(_, CelType::Unsigned)])
        | ("bytes", [(_, CelType::Bytes)])
        | ("double", [(_, CelType::Double)])
        | ("string", [(_, CelType::Text)])
        | ("bool", [(_, CelType::Bool)])
        | ("duration", [(_, CelType::Duration)])
        | ("timestamp", [(_, CelType::Time)]) = (name, args.as_slice())
            && let Some(same) = args.first()
        {
            return Ok(same.clone());
        }
        // Their nanoseconds.
        if let ("int", [(node, CelType::Duration)]) = (name, args.as_slice()) {
            return Ok((node.clone(), CelType::Int));
        }
        called(GLOBAL, name, args).unwrap_or_else(|args| Err(unknown(name, args.first())))
    }

    /// The problems of a text by a format.
    fn problems(&mut self, format: &str, of: &IdedExpr) -> Translated {
        let found = FORMATS.iter().find(|(cel, _)| *cel == format);
        let Some((_, function)) = found else {
            return Err(format!("the format `{}`", format.escape_debug()));
        };
        let of = match self.expr(of)? {
            (node, CelType::Dynamic) => text(node),
            (node, CelType::Text) => node,
            (_, sort) => return Err(format!("a format of {}", said(&sort))),
        };
        let problems = Node::not(Node::Sure(function, vec![of]));
        Ok((problems, CelType::Object(CelObject::Problems)))
    }

    /// A value as one of no one type.
    fn dynamic(&mut self, of: &IdedExpr) -> Translated {
        match self.expr(of)? {
            (node, CelType::Dynamic) => Ok((node, CelType::Dynamic)),
            (node, CelType::Bool | CelType::Text) => {
                Ok((Node::Sure("value", vec![node]), CelType::Dynamic))
            }
            (node, CelType::Unsigned) => {
                Ok((Node::Sure("value_unsigned", vec![node]), CelType::Dynamic))
            }
            (node, sort) if sorts::is_number(&sort) => {
                Ok((Node::Sure("value", vec![node]), CelType::Dynamic))
            }
            // It is known what it is.
            value => Ok(value),
        }
    }

    /// The type of a value, as its name.
    fn type_of(&mut self, of: &IdedExpr) -> Translated {
        let (node, sort) = self.expr(of)?;
        if let CelType::Dynamic = sort {
            let name = Node::Method(Box::new(node), "type_name", Vec::new());
            return Ok((name, CelType::Type));
        }
        let name = sorts::name(&sort).ok_or_else(|| format!("the type of {}", said(&sort)))?;
        Ok((beside(node, Node::Text(name.to_owned())), CelType::Type))
    }

    pub(super) fn size(&mut self, of: &IdedExpr) -> Translated {
        let (node, sort) = self.expr(of)?;
        let node = match sort {
            CelType::Text => Node::Characters(Box::new(node)),
            CelType::Dynamic => Node::Characters(Box::new(text(node))),
            CelType::Place(Ty::Map(_), _) | CelType::Entries(..) | CelType::Bytes => {
                Node::Length(Box::new(node))
            }
            sort if is_list(&sort) => Node::Length(Box::new(node)),
            other => return Err(format!("the size of {}", said(&other))),
        };
        Ok((node, CelType::Int))
    }

    /// A method of a value.
    pub(super) fn method(&mut self, on: &IdedExpr, name: &str, args: &[IdedExpr]) -> Translated {
        if let ("size", []) = (name, args) {
            return self.size(on);
        }
        let (node, sort) = self.expr(on)?;
        match (&sort, name, args) {
            (CelType::Text, "matches" | "find" | "findAll", [pattern]) => {
                return matched(node, name, pattern);
            }
            (CelType::Dynamic, "matches" | "find" | "findAll", [pattern]) => {
                return matched(text(node), name, pattern);
            }
            (CelType::Text, "findAll", [pattern, count]) => {
                let (found, sort) = matched(node, name, pattern)?;
                let count = self.of_sort(count, &CelType::Int)?;
                return Ok((Node::Sure("up_to", vec![found, count]), sort));
            }
            (CelType::Duration, _, []) => {
                let unit = UNITS.iter().find(|(cel, _)| *cel == name);
                let (_, unit) = unit.ok_or_else(|| format!("`{name}` of a duration"))?;
                let with = vec![node, Node::Int(*unit)];
                return Ok((Node::Function("divide", with), CelType::Int));
            }
            (CelType::Object(CelObject::Problems), "hasValue", []) => {
                return Ok((node, CelType::Bool));
            }
            (CelType::Time, ..) => {
                let zone = match args {
                    [zone] => Some(self.of_sort(zone, &CelType::Text)?),
                    _ => None,
                };
                return times::part(node, name, zone);
            }
            (CelType::Optional(..) | CelType::Maybe(_), ..) => {
                return self.of_optional((node, sort), name, args);
            }
            (sort, ..) if is_list(sort) => {
                return self.of_list((node, sort.clone()), name, args);
            }
            _ => {}
        }
        let mut operands = vec![(node, sort)];
        for arg in args {
            operands.push(self.expr(arg)?);
        }
        called(METHODS, name, operands)
            .unwrap_or_else(|operands| Err(unknown(name, operands.first())))
    }
}

/// The call of a function whose signature fits the operands, which are returned if there is none.
fn called(
    signatures: &[Signature],
    name: &str,
    operands: Vec<(Node, CelType)>,
) -> Result<Translated, Vec<(Node, CelType)>> {
    let fit = |is: fn(&CelType, &CelType) -> bool| {
        signatures
            .iter()
            .filter(move |signature| signature.name == name)
            .find(|signature| {
                let sorts = operands.iter().map(|(_, sort)| sort);
                signature.takes.len() == operands.len()
                    && signature
                        .takes
                        .iter()
                        .zip(sorts)
                        .all(|(takes, sort)| is(&takes.sort(), sort))
            })
    };
    let is_close = |wanted: &CelType, found: &CelType| {
        let is_either = matches!(wanted, CelType::Text | CelType::Int);
        wanted == found || is_either && *found == CelType::Dynamic
    };
    let Some(signature) = fit(|wanted, found| wanted == found).or_else(|| fit(is_close)) else {
        return Err(operands);
    };
    let operands = operands.into_iter().zip(signature.takes);
    let mut is_first = true;
    let mut nodes = operands.map(|((node, sort), takes)| {
        let node = operand(node, &sort, takes.sort(), is_first);
        is_first = false;
        node
    });
    Ok(Ok(match signature.call {
        Call::Sure(function) => signature.made(Node::Sure(function, nodes.collect())),
        Call::Function(function) => signature.made(Node::Function(function, nodes.collect())),
        Call::Method(method) => match nodes.next() {
            Some(on) => signature.made(Node::Method(Box::new(on), method, nodes.collect())),
            None => return Err(Vec::new()),
        },
        Call::Tried(method) => match nodes.next() {
            Some(on) => signature.made(Node::Tried(Box::new(on), method, nodes.collect())),
            None => return Err(Vec::new()),
        },
    }))
}

/// An operand as a function takes it: an object that it isn't a method of is borrowed.
fn operand(node: Node, sort: &CelType, wanted: CelType, is_first: bool) -> Node {
    match (wanted, sort) {
        (CelType::Text, CelType::Dynamic) => text(node),
        (CelType::Int, CelType::Dynamic) => Node::Tried(Box::new(node), "whole", Vec::new()),
        (CelType::Object(_), _) if !is_first => Node::Ref(Box::new(node)),
        _ => node,
    }
}

/// The text that a value of no one type is.
pub(super) fn text(node: Node) -> Node {
    Node::Tried(Box::new(node), "text", Vec::new())
}

fn unknown(name: &str, first: Option<&(Node, CelType)>) -> String {
    let name = name.escape_debug();
    match first {
        Some((_, sort)) if signatures::is_known(&name.to_string()) => {
            format!("the function `{name}` of {}", said(sort))
        }
        _ => format!("the function `{name}`"),
    }
}

/// A method of a regular expression.
fn matched(on: Node, name: &str, pattern: &IdedExpr) -> Translated {
    let Expr::Literal(LiteralValue::String(text)) = &pattern.expr else {
        return Err("a computed regular expression".to_owned());
    };
    let expression = Expression::read(text.inner())
        .map_err(|reason| format!("a regular expression: {reason}"))?;
    let call = |method| Node::Pattern(method, Box::new(on), expression);
    Ok(match name {
        "find" => (Node::Made(Box::new(call("find"))), CelType::Text),
        "findAll" => (call("find_all"), CelType::Made(Box::new(CelType::Text))),
        _ => (call("matches"), CelType::Bool),
    })
}
