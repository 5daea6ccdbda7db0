//! Maps of CEL that a rule makes: literals, and the results of functions.

use cel::common::ast::{EntryExpr, Expr, IdedEntryExpr, IdedExpr, LiteralValue};

use super::lists::is_kept;
use super::translate::{Holds, Translated, Translator, said};
use crate::model::{CelForm, CelType, Iterable, Macro, Node, ReadAs, Ty, Variables};

/// A list made of a map has the order of its keys here, and none in CEL.
pub(super) const OF_MAP: &str = "`transformList` of a map";

/// What a macro of two variables iterates: positions or keys, and the values there.
pub(super) struct Pairs<'e> {
    items: Box<Node>,
    pub(super) is_map: bool,
    /// The first variable.
    key: &'e IdedExpr,
    /// The names of the variables, and what they hold.
    first: (&'e str, Holds),
    second: (&'e str, Holds),
}

impl Translator<'_> {
    /// A map from texts to values of one sort.
    pub(super) fn map(&mut self, entries: &[IdedEntryExpr]) -> Translated {
        let (mut nodes, mut of): (Vec<(String, Node)>, _) = (Vec::new(), None);
        for entry in entries {
            let EntryExpr::MapEntry(entry) = &entry.expr else {
                return Err("a message".to_owned());
            };
            let Expr::Literal(LiteralValue::String(key)) = &entry.key.expr else {
                return Err("a map with keys that are no texts of the rule".to_owned());
            };
            let key = key.inner().to_owned();
            if entry.optional || nodes.iter().any(|(other, _)| *other == key) {
                return Err("a map with optional or repeated keys".to_owned());
            }
            let (node, sort) = match self.expr(&entry.value)? {
                (node, sort @ CelType::Made(_)) => {
                    let (node, of) = self.owned_values((node, sort))?;
                    (node, CelType::Made(Box::new(of)))
                }
                value => value,
            };
            if !is_kept(&sort) && !matches!(sort, CelType::Made(_)) {
                return Err(format!("a map to {}", said(&sort)));
            }
            if of.get_or_insert_with(|| sort.clone()) != &sort {
                return Err("a map to values of several types".to_owned());
            }
            nodes.push((key, node));
        }
        let of = of.ok_or("a map without entries")?;
        Ok((Node::Map(nodes, of.clone()), CelType::Entries(Box::new(of))))
    }

    /// `transformMap`, and `transformList` with a condition.
    pub(super) fn transformed(
        &mut self,
        range: &IdedExpr,
        name: &str,
        variables: (&IdedExpr, &IdedExpr),
        condition: Option<&IdedExpr>,
        body: &IdedExpr,
    ) -> Translated {
        let pairs = self.pairs(range, variables)?;
        let how = match (name, pairs.is_map) {
            ("transformMap", true) => Macro::FilterEntries,
            ("transformList", false) => Macro::FilterMap,
            ("transformList", true) => return Err(OF_MAP.to_owned()),
            _ => return Err(format!("`{name}` of a list")),
        };
        let translate = |to: &mut Self, key: &IdedExpr| {
            let key = to.expr(key)?;
            let condition = condition
                .map(|of| to.of_sort(of, &CelType::Bool))
                .transpose()?;
            let value = to.expr(body)?;
            Ok((key, condition, to.own(value)?))
        };
        let (items, variables, ((key, _), condition, (value, of))) =
            self.inside_pairs(pairs, translate)?;
        let value = match of {
            CelType::Text => Node::Owned(Box::new(value)),
            _ if is_kept(&of) || matches!(of, CelType::Made(_)) => value,
            _ => return Err(format!("a macro that makes {}", said(&of))),
        };
        let (value, made) = match how {
            Macro::FilterEntries => {
                let key = Node::Owned(Box::new(key));
                (
                    Node::Pair(Box::new(key), Box::new(value)),
                    CelType::Entries(Box::new(of)),
                )
            }
            _ => (value, CelType::Made(Box::new(of))),
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
            CelType::Entries(sort) => (
                Iterable::Made,
                Holds::Value(CelType::Text),
                Holds::Value(*sort),
            ),
            other => return Err(format!("a macro over {}", said(&other))),
        };
        Ok(Pairs {
            is_map: matches!(over, Iterable::Entries | Iterable::Made),
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

    /// A value of a map that has been made.
    pub(super) fn made_entry(of: Box<Node>, key: Box<Node>, sort: CelType) -> (Node, CelType) {
        let entry = Box::new(Node::Entry(of, key));
        let node = match sort {
            CelType::Text => Node::Made(Box::new(Node::Method(entry, "clone", Vec::new()))),
            CelType::Made(_) => Node::Method(entry, "clone", Vec::new()),
            _ => Node::Read(entry, ReadAs::Copied),
        };
        (node, sort)
    }
}
