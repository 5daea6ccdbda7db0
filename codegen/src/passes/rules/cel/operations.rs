//! Operators of CEL.

use cel::common::ast::{Expr, IdedExpr, LiteralValue, operators};

use super::sameness;
use super::sorts::{beside, is_held, is_kept, is_list, is_ordered, owned, said};
use super::translate::{Translated, Translator, is_empty, is_no_value};
use crate::model::{CelObject, CelType, ListForm, Node, Sameness, Ty};
use crate::name;

/// Operators that compare: in CEL, in Rust, and as a method of an ordering.
const ORDER: [(&str, &str, &str); 4] = [
    (operators::LESS, "<", "is_lt"),
    (operators::LESS_EQUALS, "<=", "is_le"),
    (operators::GREATER, ">", "is_gt"),
    (operators::GREATER_EQUALS, ">=", "is_ge"),
];

/// Operators of arithmetic: in CEL, the functions of whole numbers with a sign and without, and in
/// Rust.
const ARITHMETIC: [(&str, &str, &str, &str); 5] = [
    (operators::ADD, "add", "add_unsigned", "+"),
    (operators::SUBSTRACT, "subtract", "subtract_unsigned", "-"),
    (operators::MULTIPLY, "multiply", "multiply_unsigned", "*"),
    (operators::DIVIDE, "divide", "divide_unsigned", "/"),
    (operators::MODULO, "modulo", "modulo_unsigned", "%"),
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
                found.map(|(_, function, unsigned, rust)| {
                    self.arithmetic((function, unsigned, rust), a, b)
                })
            }
            _ => None,
        }
    }

    fn negated(&mut self, of: &IdedExpr) -> Translated {
        match self.expr(of)? {
            (node, CelType::Int) => {
                let difference = Node::Function("subtract", vec![Node::Int(0), node]);
                Ok((difference, CelType::Int))
            }
            (Node::Double(number), sort) => Ok((Node::Double(-number), sort)),
            (node, CelType::Double) => {
                let by = Box::new(Node::Double(-1.0));
                let product = Node::Operator("*", by, Box::new(node));
                Ok((product, CelType::Double))
            }
            (_, sort) => Err(format!("the negative of {}", said(&sort))),
        }
    }

    fn equal(&mut self, operator: &'static str, a: &IdedExpr, b: &IdedExpr) -> Translated {
        for (empty, of) in [(a, b), (b, a)] {
            if is_empty(empty) {
                let (length, _) = self.size(of)?;
                let none = Box::new(Node::Int(0));
                let node = Node::Operator(operator, Box::new(length), none);
                return Ok((node, CelType::Bool));
            }
        }
        for (special, of) in [(a, b), (b, a)] {
            if matches!(special.expr, Expr::Literal(LiteralValue::Null)) {
                return Ok((self.is_null(operator, of)?, CelType::Bool));
            }
            if is_no_value(special) {
                return Ok((self.is_absent(operator, of)?, CelType::Bool));
            }
        }
        let (left, right) = (self.expr(a)?, self.expr(b)?);
        let same = self.same(left, right)?;
        Ok(match operator {
            "!=" => (Node::not(same), CelType::Bool),
            _ => (same, CelType::Bool),
        })
    }

    /// The condition that a value is `null`, or that it isn't. A field that is `null` is as one
    /// that isn't set, for which there is no result.
    fn is_null(&mut self, operator: &str, of: &IdedExpr) -> Result<Node, String> {
        let (node, sort) = self.expr(of)?;
        let is_equal = operator == "==";
        Ok(match sort {
            CelType::Dynamic | CelType::Place(Ty::Json, _) => {
                let is_null = Node::Method(Box::new(node), "is_null", Vec::new());
                if is_equal {
                    is_null
                } else {
                    Node::not(is_null)
                }
            }
            sort if may_be_null(&sort) => {
                beside(node, Node::Bool(is_equal == (sort == CelType::Null)))
            }
            // A server refuses the rule.
            sort => return Err(format!("`null` beside {}", said(&sort))),
        })
    }

    /// The condition that an optional value is absent, or that it isn't.
    fn is_absent(&mut self, operator: &str, of: &IdedExpr) -> Result<Node, String> {
        let (node, sort) = match is_no_value(of) {
            true => return Ok(Node::Bool(operator == "==")),
            false => self.expr(of)?,
        };
        let is_there = match sort {
            CelType::Object(CelObject::Problems) => node,
            CelType::Optional(..) | CelType::Maybe(_) => Node::HasValue(Box::new(node)),
            sort => return Err(format!("{} beside an optional value", said(&sort))),
        };
        Ok(match operator {
            "!=" => is_there,
            _ => Node::not(is_there),
        })
    }

    /// An optional value of its own.
    pub(super) fn maybe(&self, (node, sort): (Node, CelType)) -> Result<(Node, CelType), String> {
        let CelType::Optional(ty, form) = sort else {
            return Ok((node, sort));
        };
        let ident = name::field_name("found").ok_or("a variable")?;
        let (read, sort) = self.place(Node::Variable(ident.clone()), &ty, &form);
        if !is_kept(&sort) {
            return Err(format!("an optional value of {}", said(&sort)));
        }
        let read = Box::new(owned(read, &sort));
        let node = Node::Mapped(Box::new(node), ident, read, false);
        Ok((node, CelType::Maybe(Box::new(sort))))
    }

    /// The condition that two values are equal.
    pub(super) fn same(
        &mut self,
        (left, sort): (Node, CelType),
        (right, other): (Node, CelType),
    ) -> Result<Node, String> {
        let boxed = |a: Node, b: Node| Node::Operator("==", Box::new(a), Box::new(b));
        Ok(match (&sort, &other) {
            (CelType::Dynamic, other) if is_dynamic(other) => boxed(left, as_dynamic(right, other)),
            (sort, CelType::Dynamic) if is_dynamic(sort) => boxed(right, as_dynamic(left, sort)),
            (CelType::Dynamic, _) | (_, CelType::Dynamic) => {
                beside(left, beside(right, Node::Bool(false)))
            }
            (CelType::Made(_), _) | (_, CelType::Made(_)) => {
                self.same_values((left, sort), (right, other))?
            }
            (
                CelType::Optional(..) | CelType::Maybe(_),
                CelType::Optional(..) | CelType::Maybe(_),
            ) => {
                let (left, of) = self.maybe((left, sort))?;
                let (right, others) = self.maybe((right, other))?;
                match of == others {
                    true => boxed(left, right),
                    false => return Err("optional values of several types".to_owned()),
                }
            }
            (sort, other) if sort != other => {
                return Err(format!("{} beside {}", said(sort), said(other)));
            }
            (CelType::Entries(_, of), _) if !is_held(of) => {
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

    /// The same of lists, of which one has been made.
    fn same_values(&self, left: (Node, CelType), right: (Node, CelType)) -> Result<Node, String> {
        let is_set = match &left.1 {
            CelType::Place(_, form) => match &form.list {
                ListForm::Set => true,
                ListForm::Atomic => false,
                ListForm::Keyed(_) => return Err("a list of objects beside others".to_owned()),
            },
            _ => false,
        };
        let (left, of) = self.values(left)?;
        let (right, others) = self.values(right)?;
        if of != others {
            return Err(format!("a list of {} beside others", said(&of)));
        }
        Ok(match is_set {
            true => {
                let [left, right] = [left, right].map(|list| Node::Ref(Box::new(list)));
                Node::Sure("is_same_set", vec![left, right])
            }
            false => Node::Sure("same", vec![left, right]),
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
        let ordered = |left, right| {
            let order = Node::Function("order", vec![left, right]);
            let node = Node::Method(Box::new(order), method, Vec::new());
            Ok((node, CelType::Bool))
        };
        let (left, right) = match (&sort, &other) {
            (CelType::Dynamic, with) | (with, CelType::Dynamic) if is_dynamic(with) => {
                return ordered(as_dynamic(left, &sort), as_dynamic(right, &other));
            }
            (CelType::Int | CelType::Unsigned | CelType::Double, CelType::Double)
            | (CelType::Double, CelType::Int | CelType::Unsigned) => {
                let (left, right) = (as_double(left, &sort), as_double(right, &other));
                if may_be_none(&left) || may_be_none(&right) {
                    return ordered(left, right);
                }
                (left, right)
            }
            (CelType::Int, CelType::Unsigned) | (CelType::Unsigned, CelType::Int) => {
                (as_wide(left, &sort), as_wide(right, &other))
            }
            (sort, other) if sort != other => {
                return Err(format!("{} beside {}", said(sort), said(other)));
            }
            (sort, _) if is_kept(sort) => (left, right),
            (sort, _) => return Err(format!("{} that is greater or less", said(sort))),
        };
        let node = Node::Operator(operator, Box::new(left), Box::new(right));
        Ok((node, CelType::Bool))
    }

    fn arithmetic(
        &mut self,
        (function, unsigned, operator): (&'static str, &'static str, &'static str),
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
            (CelType::Unsigned, CelType::Unsigned, _) => call(unsigned, CelType::Unsigned),
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
            (CelType::Bytes, CelType::Bytes, "add") => {
                let joined = Node::Sure("chained", vec![left, right]);
                Ok((Node::Slice(Box::new(joined)), CelType::Bytes))
            }
            (CelType::Place(_, form), _, "add") if !is_ordered(form) => {
                Err("a sum with a list whose order doesn't count".to_owned())
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
    let is_number = super::sorts::is_number(sort);
    is_number || matches!(sort, CelType::Bool | CelType::Text | CelType::Dynamic)
}

/// Returns true for what a server lets rules compare with `null`.
fn may_be_null(sort: &CelType) -> bool {
    match sort {
        CelType::Place(Ty::Map(value), _) => **value == Ty::Json,
        CelType::Place(Ty::Ref(_), _) | CelType::Null | CelType::Time | CelType::Duration => true,
        CelType::Object(_) | CelType::Optional(..) | CelType::Maybe(_) => true,
        _ => false,
    }
}

/// Returns true if a number may be none, as the result of a division by zero is.
fn may_be_none(node: &Node) -> bool {
    match node {
        Node::Operator("+" | "-" | "*", a, b) => !is_finite(a) || !is_finite(b),
        node => !is_finite(node),
    }
}

/// Returns true for numbers that are surely finite: those of objects and literals.
fn is_finite(node: &Node) -> bool {
    match node {
        Node::Read(..) | Node::Double(_) | Node::Sure("double" | "double_unsigned", _) => true,
        Node::Operator("/", a, b) => {
            is_finite(a) && matches!(**b, Node::Double(by) if by.abs() >= 1.0)
        }
        _ => false,
    }
}

/// A whole number as one with a fraction.
fn as_double(node: Node, sort: &CelType) -> Node {
    match (node, sort) {
        (Node::Int(number), _) => Node::Double(number as f64),
        (node, CelType::Int) => Node::Sure("double", vec![node]),
        (node, CelType::Unsigned) => Node::Sure("double_unsigned", vec![node]),
        (node, _) => node,
    }
}

/// A value as one that can be compared with a value of no one type.
fn as_dynamic(node: Node, sort: &CelType) -> Node {
    match sort {
        CelType::Unsigned => Node::Sure("value_unsigned", vec![node]),
        _ => node,
    }
}

/// A whole number, with a sign or without, as one of more bits.
fn as_wide(node: Node, sort: &CelType) -> Node {
    match sort {
        CelType::Unsigned => Node::Sure("wide_unsigned", vec![node]),
        _ => Node::Sure("wide", vec![node]),
    }
}
