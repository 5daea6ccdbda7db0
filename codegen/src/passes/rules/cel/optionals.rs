//! Optional values of CEL.

use cel::common::ast::{Expr, IdedExpr, LiteralValue};

use super::lists::unwrapped;
use super::sorts::{is_held, is_part, made, owned, said};
use super::translate::{Holds, Translated, Translator, is_no_value};
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
            (node, CelType::Entries(key, value)) if *key == CelType::Text => {
                Ok(found(node, Node::Text(name), value))
            }
            (node, CelType::Place(ty, _)) => {
                let (field, ty, form) = self.field(node, &ty, &name)?;
                Ok((Node::Optional(field), CelType::Optional(ty, form)))
            }
            (node, sort) => self.below(node, &sort, &name),
        }
    }

    /// A field of an optional value.
    pub(super) fn below(&mut self, of: Node, sort: &CelType, name: &str) -> Translated {
        let CelType::Optional(ty, form) = sort else {
            return Err(format!("a field of {}", said(sort)));
        };
        let plain = self.plain(ty);
        if let Ty::Map(value) = plain {
            let node = Node::Sure("value_of", vec![of, Node::Text(name.to_owned())]);
            return Ok((node, CelType::Optional(*value, form.inside())));
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
            (node, CelType::Entries(of_key, value)) => {
                let key = self.of_sort(index, &of_key)?;
                if *of_key == CelType::Text {
                    return Ok(found(node, key, value));
                }
                let node = Node::Sure("found_at", vec![node, key]);
                Ok((node, CelType::Maybe(value)))
            }
            (node, CelType::Made(value)) => {
                let index = self.of_sort(index, &CelType::Int)?;
                let node = Node::Sure("value_at", vec![node, index]);
                Ok((node, CelType::Maybe(value)))
            }
            (node, sort @ CelType::Optional(..)) => self.index_of_optional((node, sort), index),
            (node, CelType::Place(Ty::List(item), form)) => {
                let index = self.of_sort(index, &CelType::Int)?;
                let node = Node::Sure("element_at", vec![node, index]);
                Ok((node, CelType::Optional(*item, form.inside())))
            }
            (_, sort) => Err(format!("an optional element of {}", said(&sort))),
        }
    }

    /// An element of an optional list, or a value of an optional map, which is optional too.
    pub(super) fn index_of_optional(
        &mut self,
        (of, sort): (Node, CelType),
        index: &IdedExpr,
    ) -> Translated {
        let CelType::Optional(ty, form) = sort else {
            return Err(format!("an element of {}", said(&sort)));
        };
        let (function, item, by) = match self.plain(&ty) {
            Ty::List(item) => ("item_of", *item, CelType::Int),
            Ty::Map(value) => ("value_of", *value, CelType::Text),
            _ => return Err("an element of an optional value".to_owned()),
        };
        let index = self.of_sort(index, &by)?;
        let node = Node::Sure(function, vec![of, index]);
        Ok((node, CelType::Optional(item, form.inside())))
    }

    /// `optional.of(value)`, `optional.ofNonZeroValue(value)`, `optional.unwrap(list)`.
    pub(super) fn made_optional(&mut self, name: &str, args: &[IdedExpr]) -> Translated {
        let (name, [of]) = (name, args) else {
            return Err(format!("`optional.{}` of no type", name.escape_debug()));
        };
        if name == "unwrap" {
            return match self.expr(of)? {
                (list, CelType::Made(of)) => unwrapped(list, *of),
                (_, sort) => Err(format!("the values in {}", said(&sort))),
            };
        }
        let value = self.expr(of)?;
        let (node, sort) = match (name, self.held(value)?) {
            ("of", (node, CelType::Place(ty, form))) => {
                let node = Node::Sure("some", vec![node]);
                return Ok((node, CelType::Optional(ty, form)));
            }
            (_, value) => value,
        };
        if !is_held(&sort) {
            return Err(format!("an optional value of {}", said(&sort)));
        }
        let node = owned(node, &sort);
        let function = match name {
            "of" => "some",
            "ofNonZeroValue" if sort == CelType::Time => "non_zero_time",
            "ofNonZeroValue" => "non_zero",
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
        let (body, made) = match (is_flat, self.held((body.clone(), sort.clone())), sort) {
            (false, Ok((body, CelType::Place(ty, form))), _) => (body, CelType::Optional(ty, form)),
            (false, Ok((body, sort)), _) => (owned(body, &sort), CelType::Maybe(Box::new(sort))),
            (true, _, sort @ (CelType::Optional(..) | CelType::Maybe(_))) => (body, sort),
            (_, _, sort) => return Err(format!("an optional value of {}", said(&sort))),
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
                Ok((made(node, &sort), *sort))
            }
            ("or", [other], sort) => self.either((on, sort), other),
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
                let other = owned(other, &sort);
                let node = Node::Method(Box::new(on), "unwrap_or", vec![other]);
                Ok((made(node, &sort), *sort))
            }
            (_, _, _) => Err(format!(
                "the function `{}` of an optional value",
                name.escape_debug()
            )),
        }
    }

    /// `of.or(other)`: an optional value, or another where there is none.
    fn either(&mut self, (on, sort): (Node, CelType), other: &IdedExpr) -> Translated {
        if is_no_value(other) {
            return Ok((on, sort));
        }
        let (other, of) = self.expr(other)?;
        if other.fails() {
            return Err("a default that can fail".to_owned());
        }
        let ((on, sort), (other, of)) = match sort == of {
            true => ((on, sort), (other, of)),
            false => (self.maybe((on, sort))?, self.maybe((other, of))?),
        };
        match sort == of {
            true => Ok((Node::Method(Box::new(on), "or", vec![other]), sort)),
            false => Err("a default of another type".to_owned()),
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
                let mut is_made = |node: &Node| matches!(node, Node::Made(..) | Node::Slice(..));
                // It would be gone at the end of its branch.
                if is_part(&sort) && (other.any(&mut is_made) || read.any(&mut is_made)) {
                    let read = Box::new(owned(read, &sort));
                    let other = Box::new(owned(other, &sort));
                    let node = Node::OrValue(Box::new(on), ident, read, other);
                    return Ok((made(node, &sort), sort));
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
