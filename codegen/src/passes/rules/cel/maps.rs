//! Maps of CEL that a rule makes: literals, and the results of functions.

use cel::common::ast::{EntryExpr, Expr, IdedEntryExpr, IdedExpr};

use super::macros::looped;
use super::sorts::{is_held, made, owned, said};
use super::translate::{Holds, Translated, Translator};
use crate::model::{CelForm, CelType, Iterable, Macro, Node, ReadAs, Ty, Variables};

/// What a macro of two variables iterates: positions or keys, and the values there.
pub(super) struct Pairs<'e> {
    items: Box<Node>,
    /// The first variable.
    key: &'e IdedExpr,
    /// The names of the variables, and what they hold.
    first: (&'e str, Holds),
    second: (&'e str, Holds),
}

impl Translator<'_> {
    /// A map from keys of one sort to values of one.
    pub(super) fn map(&mut self, entries: &[IdedEntryExpr]) -> Translated {
        let (mut nodes, mut sorts) = (Vec::new(), None);
        let is_optional = |entry: &IdedEntryExpr| matches!(&entry.expr, EntryExpr::MapEntry(entry) if entry.optional);
        let has_optional = entries.iter().any(is_optional);
        for entry in entries {
            let EntryExpr::MapEntry(entry) = &entry.expr else {
                return Err("a message".to_owned());
            };
            let (key, of_key) = self.expr(&entry.key)?;
            if !is_key(&of_key) {
                return Err(format!("a map by {}", said(&of_key)));
            }
            let value = self.expr(&entry.value)?;
            let (value, of) = match entry.optional {
                true => self.maybe(value)?,
                false => self.held(value)?,
            };
            let (value, of) = match (has_optional, entry.optional, of) {
                (true, true, CelType::Maybe(of)) => (value, *of),
                (_, true, of) => return Err(format!("{} as an optional value", said(&of))),
                (true, false, of) => (Node::Some(Box::new(owned(value, &of))), of),
                (false, _, of) => (value, of),
            };
            let is_ours = is_held(&of);
            let found = (of_key, of);
            if !is_ours || *sorts.get_or_insert_with(|| found.clone()) != found {
                return Err(format!("a map to {} or others", said(&found.1)));
            }
            nodes.push((key, value));
        }
        let (key, of) = sorts.ok_or("a map without entries")?;
        let held = match has_optional {
            true => CelType::Maybe(Box::new(of.clone())),
            false => of.clone(),
        };
        let node = Node::Map(nodes, Box::new(key.clone()), Box::new(held));
        Ok((node, CelType::Entries(Box::new(key), Box::new(of))))
    }

    /// The macros `transformList`, `transformMap` and `transformMapEntry`. A list that is made of a
    /// map has the order of its keys; in CEL it has any.
    pub(super) fn transformed(
        &mut self,
        range: &IdedExpr,
        name: &str,
        variables: (&IdedExpr, &IdedExpr),
        condition: Option<&IdedExpr>,
        body: &IdedExpr,
    ) -> Translated {
        let pairs = self.pairs(range, variables)?;
        if let ("transformList", None) = (name, condition) {
            let (items, variables, value) = self.inside_pairs(pairs, |to, _| {
                let value = to.expr(body)?;
                to.held(value)
            })?;
            return looped(Macro::Map, items, variables, value);
        }
        let translate = |to: &mut Self, key: &IdedExpr| {
            let key = to.expr(key)?;
            let condition = condition
                .map(|of| to.of_sort(of, &CelType::Bool))
                .transpose()?;
            let value = to.expr(body)?;
            Ok((key, condition, to.held(value)?))
        };
        let (items, variables, ((key, of_key), condition, (value, of))) =
            self.inside_pairs(pairs, translate)?;
        if !is_held(&of) {
            return Err(format!("a macro that makes {}", said(&of)));
        }
        let (how, value, made) = match (name, of) {
            ("transformList", of) => {
                let made = CelType::Made(Box::new(of.clone()));
                (Macro::FilterMap, owned(value, &of), made)
            }
            ("transformMap", of) => {
                let key = Box::new(owned(key, &of_key));
                let pair = Node::Pair(key, Box::new(owned(value, &of)));
                let made = CelType::Entries(Box::new(of_key), Box::new(of));
                (Macro::FilterEntries, pair, made)
            }
            (_, of @ CelType::Entries(..)) => (Macro::MergeEntries, value, of),
            (_, of) => return Err(format!("entries of {}", said(&of))),
        };
        let value = Node::Some(Box::new(value));
        let value = match condition {
            Some(condition) => Node::choice(condition, value, Node::NoValue),
            None => value,
        };
        Ok((Node::Loop(how, items, variables, Box::new(value)), made))
    }

    /// What a macro iterates, with its two variables.
    pub(super) fn pairs<'e>(
        &mut self,
        range: &IdedExpr,
        variables: (&'e IdedExpr, &'e IdedExpr),
    ) -> Result<Pairs<'e>, String> {
        let (Expr::Ident(first), Expr::Ident(second)) = (&variables.0.expr, &variables.1.expr)
        else {
            return Err("a variable without a name".to_owned());
        };
        let (node, sort) = self.expr(range)?;
        let position = Holds::Value(CelType::Int);
        let (over, at, holds) = match sort {
            CelType::Place(Ty::List(item), form) => (
                Iterable::Numbered,
                position,
                Holds::Place(*item, form.inside()),
            ),
            CelType::Place(Ty::Map(value), form) => (
                Iterable::Entries,
                Holds::Place(Ty::String, CelForm::default()),
                Holds::Place(*value, form.inside()),
            ),
            CelType::Kept(item, form) => {
                (Iterable::NumberedMade, position, Holds::Place(item, form))
            }
            CelType::Made(sort) => (Iterable::NumberedMade, position, Holds::Value(*sort)),
            CelType::Entries(key, sort) => {
                (Iterable::Made, Holds::Value(*key), Holds::Value(*sort))
            }
            other => return Err(format!("a macro over {}", said(&other))),
        };
        Ok(Pairs {
            items: Box::new(Node::Items(Box::new(node), over)),
            key: variables.0,
            first: (first, at),
            second: (second, holds),
        })
    }

    /// Translates what is inside such a macro. The function gets the first variable, too.
    pub(super) fn inside_pairs<T>(
        &mut self,
        pairs: Pairs<'_>,
        translate: impl FnOnce(&mut Self, &IdedExpr) -> Result<T, String>,
    ) -> Result<(Box<Node>, Variables, T), String> {
        let ((first, at), (second, holds)) = (pairs.first, pairs.second);
        let (a, (b, translated)) = self.inside(first, at, |to| {
            to.inside(second, holds, |to| translate(to, pairs.key))
        })?;
        if a == b {
            return Err("two variables of one name".to_owned());
        }
        Ok((pairs.items, Variables::Two(a, b), translated))
    }

    /// A value of a map that has been made, by a text.
    pub(super) fn made_entry(of: Box<Node>, key: Box<Node>, sort: CelType) -> (Node, CelType) {
        let entry = Box::new(Node::Entry(of, key));
        let node = match &sort {
            CelType::Text | CelType::Bytes => made(Node::Method(entry, "clone", Vec::new()), &sort),
            CelType::Made(_) | CelType::Entries(..) => Node::Method(entry, "clone", Vec::new()),
            _ => Node::Read(entry, ReadAs::Copied),
        };
        (node, sort)
    }
}

/// Returns true for keys of maps.
fn is_key(sort: &CelType) -> bool {
    matches!(
        sort,
        CelType::Bool | CelType::Int | CelType::Unsigned | CelType::Text
    )
}
