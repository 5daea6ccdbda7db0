//! Optional values of CEL.

use cel::common::ast::{Expr, IdedExpr, LiteralValue};

use super::lists::is_kept;
use super::translate::{Holds, Translated, Translator, said};
use crate::model::{CelType, Node, Ty};
use crate::name;
use crate::syntax::names::unescape;

impl Translator<'_> {
    /// `of.?name`.
    pub(super) fn optional(&mut self, of: &IdedExpr, name: &IdedExpr) -> Translated {
        let Expr::Literal(LiteralValue::String(name)) = &name.expr else {
            return Err("a computed field".to_owned());
        };
        let name = unescape(name.inner());
        match self.expr(of)? {
            (node, CelType::Place(Ty::Map(value), form)) => {
                let key = Node::Text(name);
                let node = Node::Method(Box::new(node), "get", vec![key]);
                Ok((node, CelType::Optional(*value, form.inside())))
            }
            (node, CelType::Entries(value)) => Ok(found(node, Node::Text(name), value)),
            (node, CelType::Place(ty, _)) => {
                let (field, ty, form) = self.field(node, &ty, &name)?;
                Ok((Node::Optional(field), CelType::Optional(ty, form)))
            }
            (node, sort) => self.below(node, &sort, &name),
        }
    }

    /// A field of an optional value.
    pub(super) fn below(&mut self, of: Node, sort: &CelType, name: &str) -> Translated {
        let CelType::Optional(ty, _) = sort else {
            return Err(format!("a field of {}", said(sort)));
        };
        let plain = self.plain(ty);
        if matches!(plain, Ty::Map(_)) {
            return Err("an entry of an optional map".to_owned());
        }
        // Its object is a variable of a closure.
        let (field, ty, form) = self.field(Node::New, &plain, name)?;
        let node = Node::OptionalBelow(Box::new(of), field);
        Ok((node, CelType::Optional(ty, form)))
    }

    /// `of[?index]`.
    pub(super) fn optional_index(&mut self, of: &IdedExpr, index: &IdedExpr) -> Translated {
        match self.expr(of)? {
            (node, CelType::Place(Ty::Map(value), form)) => {
                let key = self.of_sort(index, &CelType::Text)?;
                let node = Node::Method(Box::new(node), "get", vec![key]);
                Ok((node, CelType::Optional(*value, form.inside())))
            }
            (node, CelType::Entries(value)) => {
                let key = self.of_sort(index, &CelType::Text)?;
                Ok(found(node, key, value))
            }
            (node, CelType::Place(Ty::List(item), form)) => {
                let index = self.of_sort(index, &CelType::Int)?;
                let node = Node::Sure("element_at", vec![node, index]);
                Ok((node, CelType::Optional(*item, form.inside())))
            }
            (_, sort) => Err(format!("an optional element of {}", said(&sort))),
        }
    }

    /// `optional.of(value)`, `optional.ofNonZeroValue(value)`.
    pub(super) fn made_optional(&mut self, name: &str, args: &[IdedExpr]) -> Translated {
        let (name, [of]) = (name, args) else {
            return Err(format!("`optional.{}` of no type", name.escape_debug()));
        };
        let (node, sort) = self.expr(of)?;
        if !is_kept(&sort) {
            return Err(format!("an optional value of {}", said(&sort)));
        }
        let node = match sort {
            CelType::Text => Node::Owned(Box::new(node)),
            _ => node,
        };
        let function = match name {
            "of" => "some",
            // A time of CEL has another zero.
            "ofNonZeroValue" if sort != CelType::Time => "non_zero",
            _ => return Err(format!("`optional.{}`", name.escape_debug())),
        };
        Ok((
            Node::Sure(function, vec![node]),
            CelType::Maybe(Box::new(sort)),
        ))
    }

    /// `of.optMap(variable, body)`.
    pub(super) fn opt_map(
        &mut self,
        of: &IdedExpr,
        variable: &IdedExpr,
        body: &IdedExpr,
        is_flat: bool,
    ) -> Translated {
        let (node, sort) = self.expr(of)?;
        let holds = match sort {
            CelType::Optional(ty, form) => Holds::Place(ty, form),
            CelType::Maybe(sort) => Holds::Value(*sort),
            other => return Err(format!("`optMap` of {}", said(&other))),
        };
        let Expr::Ident(variable) = &variable.expr else {
            return Err("a variable without a name".to_owned());
        };
        let (ident, (body, sort)) = self.inside(variable, holds, |to| to.expr(body))?;
        let (body, made) = match (is_flat, sort) {
            (false, CelType::Text) => (
                Node::Owned(Box::new(body)),
                CelType::Maybe(Box::new(CelType::Text)),
            ),
            (false, sort) if is_kept(&sort) => (body, CelType::Maybe(Box::new(sort))),
            (true, sort @ (CelType::Optional(..) | CelType::Maybe(_))) => (body, sort),
            (_, sort) => return Err(format!("an optional value of {}", said(&sort))),
        };
        Ok((
            Node::Mapped(Box::new(node), ident, Box::new(body), is_flat),
            made,
        ))
    }

    /// A function of an optional value.
    pub(super) fn of_optional(
        &mut self,
        (on, sort): (Node, CelType),
        name: &str,
        args: &[IdedExpr],
    ) -> Translated {
        match (name, args, sort) {
            ("hasValue", [], _) => Ok((Node::HasValue(Box::new(on)), CelType::Bool)),
            ("value", [], CelType::Optional(ty, form)) => {
                Ok(self.place(Node::Function("present", vec![on]), &ty, &form))
            }
            ("value", [], CelType::Maybe(sort)) => {
                let node = Node::Function("present", vec![on]);
                Ok(match *sort {
                    CelType::Text => (Node::Made(Box::new(node)), CelType::Text),
                    sort => (node, sort),
                })
            }
            ("orValue", [other], CelType::Optional(ty, form)) => {
                let ident = name::field_name("found").ok_or("a variable")?;
                let (read, sort) = self.place(Node::Variable(ident.clone()), &ty, &form);
                self.or_value(on, ident, (read, sort), other)
            }
            ("orValue", [other], CelType::Maybe(sort)) => {
                let other = self.of_sort(other, &sort)?;
                if other.fails() {
                    return Err("a default that can fail".to_owned());
                }
                let on = Box::new(on);
                Ok(match *sort {
                    CelType::Text => {
                        let on = Box::new(Node::Method(on, "as_deref", Vec::new()));
                        (Node::Method(on, "unwrap_or", vec![other]), CelType::Text)
                    }
                    sort => (Node::Method(on, "unwrap_or", vec![other]), sort),
                })
            }
            (_, _, _) => Err(format!(
                "the function `{}` of an optional value",
                name.escape_debug()
            )),
        }
    }

    fn or_value(
        &mut self,
        on: Node,
        ident: name::Ident,
        (read, sort): (Node, CelType),
        other: &IdedExpr,
    ) -> Translated {
        let (read, other) = match (&sort, &other.expr) {
            (CelType::Place(Ty::List(_), _), Expr::List(list)) if list.elements.is_empty() => {
                (Node::Slice(Box::new(read)), Node::NoElements)
            }
            (CelType::Place(Ty::Map(_), _), Expr::Map(map)) if map.entries.is_empty() => {
                (read, Node::NoEntries)
            }
            (CelType::Place(Ty::List(_), _), Expr::List(_)) => {
                let (values, of) = self.owned_values((read, sort))?;
                let (other, others) = self.expr(other)?;
                let (other, others) = self.owned_values((other, others))?;
                if of != others {
                    return Err("a default of another type".to_owned());
                }
                let (on, values, other) = (Box::new(on), Box::new(values), Box::new(other));
                let node = Node::OrValue(on, ident, values, other);
                return Ok((node, CelType::Made(Box::new(of))));
            }
            _ => {
                let other = self.of_sort(other, &sort)?;
                let mut made = |node: &Node| matches!(node, Node::Made(..));
                if other.any(&mut made) {
                    return Err("a default that is made".to_owned());
                }
                (read, other)
            }
        };
        let node = Node::OrValue(Box::new(on), ident, Box::new(read), Box::new(other));
        Ok((node, sort))
    }
}

/// A value of a map that has been made, if there is one.
fn found(map: Node, key: Node, value: Box<CelType>) -> (Node, CelType) {
    let found = Node::Method(Box::new(map), "get", vec![key]);
    let node = Node::Method(Box::new(found), "cloned", Vec::new());
    (node, CelType::Maybe(value))
}
