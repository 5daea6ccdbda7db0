//! Macros over lists and maps, which the parser has expanded into loops.

use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, LiteralValue};

use super::sorts::{is_held, is_kept, is_list, is_part, owned, said};
use super::translate::{Holds, Translated, Translator, Variable};
use crate::model::{CelForm, CelType, Iterable, Macro, Node, Ty, Variables};
use crate::name;

/// The condition and result of a macro for each element.
struct Body<'e> {
    how: Macro,
    /// The condition for an element to be taken.
    condition: Option<&'e IdedExpr>,
    value: &'e IdedExpr,
}

impl Translator<'_> {
    pub(super) fn comprehension(&mut self, of: &ComprehensionExpr) -> Translated {
        let body = body(of).filter(|_| of.iter_var2.is_none());
        let body = body.ok_or("a macro over two variables")?;
        let (items, mut holds) = self.items(&of.iter_range)?;
        let mut items = Box::new(items);
        if let Some(condition) = body.condition {
            let (how, made, kept) = match &holds {
                Holds::Place(ty, form) => (
                    Macro::Filter,
                    CelType::Kept(ty.clone(), form.clone()),
                    Holds::Place(ty.clone(), form.clone()),
                ),
                Holds::Value(sort) => (
                    Macro::Select,
                    CelType::Made(Box::new(sort.clone())),
                    Holds::Value(sort.clone()),
                ),
            };
            let (ident, condition) = self.inside(&of.iter_var, holds, |to| {
                to.of_sort(condition, &CelType::Bool)
            })?;
            let variables = Variables::One(ident);
            let node = Node::Loop(how, items, variables, Box::new(condition));
            if body.how == Macro::Filter {
                return Ok((node, made));
            }
            items = Box::new(Node::Items(Box::new(node), Iterable::Made));
            holds = kept;
        }
        let (ident, value) = self.inside(&of.iter_var, holds, |to| to.expr(body.value))?;
        let value = self.kept(value);
        looped(body.how, items, Variables::One(ident), value)
    }

    /// A macro with two variables: the position or key, and the value there.
    pub(super) fn over_two(
        &mut self,
        range: &IdedExpr,
        name: &str,
        variables: (&IdedExpr, &IdedExpr),
        body: &IdedExpr,
    ) -> Translated {
        let how = match name {
            "all" => Macro::All,
            "exists" => Macro::Exists,
            _ => Macro::ExistsOne,
        };
        let pairs = self.pairs(range, variables)?;
        let (items, variables, value) = self.inside_pairs(pairs, |to, _| to.expr(body))?;
        looped(how, items, variables, value)
    }

    /// `list.sortBy(variable, key)`: the elements in the order of their keys.
    pub(super) fn sorted_by(
        &mut self,
        range: &IdedExpr,
        variable: &IdedExpr,
        key: &IdedExpr,
    ) -> Translated {
        let Expr::Ident(variable) = &variable.expr else {
            return Err("a variable without a name".to_owned());
        };
        let (items, holds) = self.items(range)?;
        let made = match &holds {
            Holds::Place(ty, form) => CelType::Kept(ty.clone(), form.clone()),
            Holds::Value(sort) => CelType::Made(Box::new(sort.clone())),
        };
        let (ident, (key, sort)) = self.inside(variable, holds, |to| to.expr(key))?;
        if !is_kept(&sort) {
            return Err(format!("an order by {}", said(&sort)));
        }
        let key = Box::new(owned(key, &sort));
        let variables = Variables::One(ident);
        Ok((
            Node::Loop(Macro::SortBy, Box::new(items), variables, key),
            made,
        ))
    }

    /// A value, which is a list of its own if it is one of plain values.
    fn kept(&self, (node, sort): (Node, CelType)) -> (Node, CelType) {
        let values = is_list(&sort).then(|| self.owned_values((node.clone(), sort.clone())));
        match values {
            Some(Ok((node, of))) => (node, CelType::Made(Box::new(of))),
            _ => (node, sort),
        }
    }

    /// Returns the elements that a macro iterates, and the type of its variable.
    fn items(&mut self, range: &IdedExpr) -> Result<(Node, Holds), String> {
        let (node, sort) = self.expr(range)?;
        let (over, holds) = match sort {
            CelType::Place(Ty::List(item), form) => {
                (Iterable::Elements, Holds::Place(*item, form.inside()))
            }
            CelType::Place(Ty::Map(_), _) => {
                (Iterable::Keys, Holds::Place(Ty::String, CelForm::default()))
            }
            CelType::Kept(item, form) => (Iterable::Made, Holds::Place(item, form)),
            CelType::Made(sort) => (Iterable::Made, Holds::Value(*sort)),
            CelType::Entries(key, _) => (Iterable::MadeKeys, Holds::Value(*key)),
            other => return Err(format!("a macro over {}", said(&other))),
        };
        Ok((Node::Items(Box::new(node), over), holds))
    }

    /// Translates what is inside a macro, with its variable.
    pub(super) fn inside<T>(
        &mut self,
        variable: &str,
        holds: Holds,
        translate: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<(name::Ident, T), String> {
        let taken = [
            "at", "found", "item", "new", "old", "path", "self", "stored", "to", "value",
        ];
        let ident = name::field_name(variable)
            .filter(|ident| !taken.contains(&ident.as_str()))
            .or_else(|| name::field_name(&format!("each_{variable}")))
            .ok_or_else(|| format!("the variable `{}`", variable.escape_debug()))?;
        self.variables.push(Variable {
            name: variable.to_owned(),
            ident: ident.clone(),
            holds,
        });
        let translated = translate(self);
        self.variables.pop();
        Ok((ident, translated?))
    }
}

/// A macro, by what it makes of each element.
pub(super) fn looped(
    how: Macro,
    items: Box<Node>,
    variables: Variables,
    (value, sort): (Node, CelType),
) -> Translated {
    let (how, made) = match (how, sort) {
        (Macro::Map, sort) if is_part(&sort) => (Macro::MapToOwned, CelType::Made(Box::new(sort))),
        (Macro::Map, sort @ CelType::Maybe(_)) => (Macro::Map, CelType::Made(Box::new(sort))),
        (Macro::Map, sort) if is_held(&sort) => (Macro::Map, CelType::Made(Box::new(sort))),
        (Macro::Map, CelType::Place(ty, form)) => (Macro::Map, CelType::Kept(ty, form)),
        (how @ (Macro::All | Macro::Exists | Macro::ExistsOne), CelType::Bool) => {
            (how, CelType::Bool)
        }
        (_, sort) => return Err(format!("a macro that makes {}", said(&sort))),
    };
    Ok((Node::Loop(how, items, variables, Box::new(value)), made))
}

/// The macro that a loop has been, by its start and its step.
fn body(of: &ComprehensionExpr) -> Option<Body<'_>> {
    let Expr::Call(step) = &of.loop_step.expr else {
        return None;
    };
    let plain = |how, value| Body {
        how,
        condition: None,
        value,
    };
    Some(match (&of.accu_init.expr, step.args.as_slice()) {
        (Expr::Literal(LiteralValue::Boolean(start)), [_, value]) => match start.inner() {
            true => plain(Macro::All, value),
            false => plain(Macro::Exists, value),
        },
        (Expr::Literal(LiteralValue::Int(_)), [value, ..]) => plain(Macro::ExistsOne, value),
        (Expr::List(_), [condition, taken, _]) => {
            let Expr::Call(taken) = &taken.expr else {
                return None;
            };
            let value = element(taken)?;
            let is_itself = matches!(&value.expr, Expr::Ident(name) if *name == of.iter_var);
            Body {
                how: if is_itself { Macro::Filter } else { Macro::Map },
                condition: Some(condition),
                value,
            }
        }
        (Expr::List(_), [_, _]) => plain(Macro::Map, element(step)?),
        _ => return None,
    })
}

/// The element that a step adds to a list.
fn element(sum: &CallExpr) -> Option<&IdedExpr> {
    match sum.args.as_slice() {
        [_, added] => match &added.expr {
            Expr::List(list) => list.elements.first(),
            _ => None,
        },
        _ => None,
    }
}
