//! Macros over lists and maps, which the parser has expanded into loops.

use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, LiteralValue};

use super::translate::{Holds, Translated, Translator, Variable, said};
use crate::model::{CelType, Iterable, Macro, Node, Ty};
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
            let ty = match &holds {
                Holds::Place(ty) => ty.clone(),
                Holds::Value(sort) if body.how == Macro::Filter => {
                    let sort = sort.clone();
                    let (ident, condition) =
                        self.inside(of, holds, |to| to.of_sort(condition, &CelType::Bool))?;
                    let node = Node::Loop(Macro::Select, items, ident, Box::new(condition));
                    return Ok((node, CelType::Made(Box::new(sort))));
                }
                Holds::Value(_) => return Err("a filter of what a macro has made".to_owned()),
            };
            let (ident, condition) =
                self.inside(of, holds, |to| to.of_sort(condition, &CelType::Bool))?;
            let kept = Node::Loop(Macro::Filter, items, ident, Box::new(condition));
            if body.how == Macro::Filter {
                return Ok((kept, CelType::Kept(ty)));
            }
            items = Box::new(Node::Items(Box::new(kept), Iterable::Made));
            holds = Holds::Place(ty);
        }
        let (ident, (value, sort)) = self.inside(of, holds, |to| to.expr(body.value))?;
        let (how, made) = match (body.how, sort) {
            (Macro::Map, CelType::Text) => {
                (Macro::MapToTexts, CelType::Made(Box::new(CelType::Text)))
            }
            (
                Macro::Map,
                sort @ (CelType::Bool | CelType::Int | CelType::Double | CelType::Duration),
            ) => (Macro::Map, CelType::Made(Box::new(sort))),
            (how @ (Macro::All | Macro::Exists | Macro::ExistsOne), CelType::Bool) => {
                (how, CelType::Bool)
            }
            (_, sort) => return Err(format!("a macro that makes {}", said(&sort))),
        };
        Ok((Node::Loop(how, items, ident, Box::new(value)), made))
    }

    /// Returns the elements that a macro iterates, and the type of its variable.
    fn items(&mut self, range: &IdedExpr) -> Result<(Node, Holds), String> {
        let (node, sort) = self.expr(range)?;
        let (over, holds) = match sort {
            CelType::Place(Ty::List(item)) => (Iterable::Elements, Holds::Place(*item)),
            CelType::Place(Ty::Map(_)) => (Iterable::Keys, Holds::Place(Ty::String)),
            CelType::Kept(item) => (Iterable::Made, Holds::Place(item)),
            CelType::Made(sort) => (Iterable::Made, Holds::Value(*sort)),
            other => return Err(format!("a macro over {}", said(&other))),
        };
        Ok((Node::Items(Box::new(node), over), holds))
    }

    /// Translates what is inside a macro, with its variable.
    fn inside<T>(
        &mut self,
        of: &ComprehensionExpr,
        holds: Holds,
        translate: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<(name::Ident, T), String> {
        let variable = &of.iter_var;
        let ident = name::field_name(variable)
            .filter(|ident| {
                !["at", "old", "path", "self", "stored", "to", "value"].contains(&ident.as_str())
            })
            .or_else(|| name::field_name(&format!("each_{variable}")))
            .ok_or_else(|| format!("the variable `{}`", variable.escape_debug()))?;
        self.variables.push(Variable {
            name: variable.clone(),
            ident: ident.clone(),
            holds,
        });
        let translated = translate(self);
        self.variables.pop();
        Ok((ident, translated?))
    }
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
