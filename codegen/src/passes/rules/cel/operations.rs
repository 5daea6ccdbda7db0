//! Operators of CEL.

use cel::common::ast::{Expr, IdedExpr, LiteralValue, operators};

use super::lists::is_kept;
use super::sameness;
use super::translate::{Translated, Translator, said};
use crate::model::{CelObject, CelType, Node, Sameness};

/// Operators that compare: in CEL, in Rust, and as a method of an ordering.
const ORDER: [(&str, &str, &str); 4] = [
    (operators::LESS, "<", "is_lt"),
    (operators::LESS_EQUALS, "<=", "is_le"),
    (operators::GREATER, ">", "is_gt"),
    (operators::GREATER_EQUALS, ">=", "is_ge"),
];

/// Operators of arithmetic: in CEL, the function of whole numbers, and in Rust.
const ARITHMETIC: [(&str, &str, &str); 5] = [
    (operators::ADD, "add", "+"),
    (operators::SUBSTRACT, "subtract", "-"),
    (operators::MULTIPLY, "multiply", "*"),
    (operators::DIVIDE, "divide", "/"),
    (operators::MODULO, "modulo", "%"),
];

impl Translator<'_> {
    /// An operator with operands of its own kinds; `None` if it isn't one.
    pub(super) fn operator(&mut self, name: &str, args: &[IdedExpr]) -> Option<Translated> {
        match args {
            [a] if name == operators::NEGATE => Some(self.negated(a)),
            [a, b] if name == operators::EQUALS => Some(self.equal("==", a, b)),
            [a, b] if name == operators::NOT_EQUALS => Some(self.equal("!=", a, b)),
            [a, b] => {
                if let Some((_, rust, method)) = ORDER.iter().find(|(cel, ..)| *cel == name) {
                    return Some(self.compared(rust, method, a, b));
                }
                let found = ARITHMETIC.iter().find(|(cel, ..)| *cel == name);
                found.map(|(_, function, rust)| self.arithmetic(function, rust, a, b))
            }
            _ => None,
        }
    }

    fn negated(&mut self, of: &IdedExpr) -> Translated {
        match self.expr(of)? {
            (node, sort @ (CelType::Int | CelType::Duration)) => {
                Ok((Node::Function("subtract", vec![Node::Int(0), node]), sort))
            }
            (_, sort) => Err(format!("the negative of {}", said(&sort))),
        }
    }

    fn equal(&mut self, operator: &'static str, a: &IdedExpr, b: &IdedExpr) -> Translated {
        for (empty, of) in [(a, b), (b, a)] {
            let is_empty = match &empty.expr {
                Expr::List(list) => list.elements.is_empty(),
                Expr::Map(map) => map.entries.is_empty(),
                _ => false,
            };
            if is_empty {
                let (length, _) = self.size(of)?;
                let none = Box::new(Node::Int(0));
                let node = Node::Operator(operator, Box::new(length), none);
                return Ok((node, CelType::Bool));
            }
        }
        // An optional value isn't null, even if there is none.
        for (null, of) in [(a, b), (b, a)] {
            if matches!(null.expr, Expr::Literal(LiteralValue::Null)) {
                let optional = CelType::Object(CelObject::Problems);
                return match self.expr(of)? {
                    (node, sort) if sort == optional && !node.fails() => {
                        Ok((Node::Bool(operator == "!="), CelType::Bool))
                    }
                    _ => Err("`null`".to_owned()),
                };
            }
        }
        let (left, right) = (self.expr(a)?, self.expr(b)?);
        let same = self.same(left, right)?;
        Ok(match operator {
            "!=" => (Node::not(same), CelType::Bool),
            _ => (same, CelType::Bool),
        })
    }

    /// The condition that two values are equal.
    pub(super) fn same(
        &mut self,
        (left, sort): (Node, CelType),
        (right, other): (Node, CelType),
    ) -> Result<Node, String> {
        let boxed = |a: Node, b: Node| Node::Operator("==", Box::new(a), Box::new(b));
        Ok(match (&sort, &other) {
            (CelType::Dynamic, other) if is_dynamic(other) => boxed(left, right),
            (sort, CelType::Dynamic) if is_dynamic(sort) => boxed(right, left),
            (CelType::Made(_), _) | (_, CelType::Made(_)) => {
                let (left, of) = self.values((left, sort))?;
                let (right, others) = self.values((right, other))?;
                if of != others {
                    return Err(format!("a list of {} beside others", said(&of)));
                }
                Node::Sure("same", vec![left, right])
            }
            (sort, other) if sort != other => {
                return Err(format!("{} beside {}", said(sort), said(other)));
            }
            (CelType::Entries(of), _) if !is_kept(of) => {
                return Err(format!("a map to {} that is compared", said(of)));
            }
            (CelType::Kept(..) | CelType::Optional(..) | CelType::Maybe(_), _)
            | (CelType::Object(CelObject::Problems | CelObject::Url), _) => {
                return Err(format!("{} that is compared", said(&sort)));
            }
            (CelType::Place(ty, form), _) => match sameness::of(self.version, ty, form)? {
                Sameness::Exact => boxed(left, right),
                same => Node::Same(Box::new(left), Box::new(right), same),
            },
            _ => boxed(left, right),
        })
    }

    fn compared(
        &mut self,
        operator: &'static str,
        method: &'static str,
        a: &IdedExpr,
        b: &IdedExpr,
    ) -> Translated {
        let (left, sort) = self.expr(a)?;
        let (right, other) = self.expr(b)?;
        let (left, right) = match (&sort, &other) {
            (CelType::Dynamic, with) | (with, CelType::Dynamic) if is_dynamic(with) => {
                let order = Node::Function("order", vec![left, right]);
                let node = Node::Method(Box::new(order), method, Vec::new());
                return Ok((node, CelType::Bool));
            }
            (CelType::Int, CelType::Double) => (as_double(left), right),
            (CelType::Double, CelType::Int) => (left, as_double(right)),
            (sort, other) if sort != other => {
                return Err(format!("{} beside {}", said(sort), said(other)));
            }
            (CelType::Bool | CelType::Int | CelType::Double | CelType::Text, _)
            | (CelType::Duration | CelType::Time, _) => (left, right),
            (sort, _) => return Err(format!("{} that is greater or less", said(sort))),
        };
        let node = Node::Operator(operator, Box::new(left), Box::new(right));
        Ok((node, CelType::Bool))
    }

    fn arithmetic(
        &mut self,
        function: &'static str,
        operator: &'static str,
        a: &IdedExpr,
        b: &IdedExpr,
    ) -> Translated {
        let (left, sort) = self.expr(a)?;
        let (right, other) = self.expr(b)?;
        let call = |function, makes| {
            Ok((
                Node::Function(function, vec![left.clone(), right.clone()]),
                makes,
            ))
        };
        match (&sort, &other, function) {
            (CelType::Int, CelType::Int, _) => call(function, CelType::Int),
            (CelType::Duration, CelType::Duration, "add" | "subtract") => {
                call(function, CelType::Duration)
            }
            (CelType::Time, CelType::Duration, "add") => call("later", CelType::Time),
            (CelType::Time, CelType::Duration, "subtract") => call("earlier", CelType::Time),
            (CelType::Time, CelType::Time, "subtract") => call("between", CelType::Duration),
            (CelType::Duration, CelType::Time, "add") => {
                Ok((Node::Function("later", vec![right, left]), CelType::Time))
            }
            (CelType::Double, CelType::Double, function) if function != "modulo" => {
                let node = Node::Operator(operator, Box::new(left), Box::new(right));
                Ok((node, CelType::Double))
            }
            (CelType::Text, CelType::Text, "add") => {
                let joined = Node::Joined(vec![left, right]);
                Ok((Node::Made(Box::new(joined)), CelType::Text))
            }
            (sort, other, "add") if is_list(sort) && is_list(other) => {
                let (left, of) = self.values((left, sort.clone()))?;
                let (right, others) = self.values((right, other.clone()))?;
                match of == others {
                    true => Ok((
                        Node::Sure("chained", vec![left, right]),
                        CelType::Made(Box::new(of)),
                    )),
                    false => Err(format!("a list of {} beside others", said(&of))),
                }
            }
            (sort, other, _) => Err(format!(
                "arithmetic with {} and {}",
                said(sort),
                said(other)
            )),
        }
    }
}

/// Returns true for what a value of no one type can be compared with.
fn is_dynamic(sort: &CelType) -> bool {
    let is_number = matches!(sort, CelType::Int | CelType::Double);
    is_number || matches!(sort, CelType::Bool | CelType::Text | CelType::Dynamic)
}

fn is_list(sort: &CelType) -> bool {
    matches!(
        sort,
        CelType::Made(_) | CelType::Place(crate::model::Ty::List(_), _)
    )
}

/// A whole number as one with a fraction.
fn as_double(node: Node) -> Node {
    match node {
        Node::Int(number) => Node::Double(number as f64),
        node => Node::Sure("double", vec![node]),
    }
}
