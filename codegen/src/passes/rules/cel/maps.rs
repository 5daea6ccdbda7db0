//! Maps of CEL that a rule makes: literals, and the results of functions.

use cel::common::ast::{EntryExpr, Expr, IdedEntryExpr, IdedExpr, LiteralValue};

use super::lists::is_kept;
use super::translate::{Holds, Translated, Translator, said};
use crate::model::{CelForm, CelType, Iterable, Macro, Node, ReadAs, Ty, Variables};

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
        (first, second): (&IdedExpr, &IdedExpr),
        condition: Option<&IdedExpr>,
        body: &IdedExpr,
    ) -> Translated {
        let (Expr::Ident(first), Expr::Ident(second)) = (&first.expr, &second.expr) else {
            return Err("a variable without a name".to_owned());
        };
        let (items, at, holds) = self.pairs(range)?;
        let is_map = matches!(&items, Node::Items(_, Iterable::Entries | Iterable::Made));
        let how = match (name, is_map) {
            ("transformMap", true) => Macro::FilterEntries,
            ("transformList", false) => Macro::FilterMap,
            // A list made of a map has the order of its keys here, and none in CEL.
            ("transformList", true) => return Err("`transformList` of a map".to_owned()),
            _ => return Err(format!("`{name}` of a list")),
        };
        let translate = |to: &mut Self| {
            let key = to.expr(&IdedExpr {
                id: 0,
                expr: Expr::Ident(first.clone()),
            })?;
            let condition = condition
                .map(|of| to.of_sort(of, &CelType::Bool))
                .transpose()?;
            let value = to.expr(body)?;
            Ok((key, condition, to.own(value)?))
        };
        let (a, (b, ((key, _), condition, (value, of)))) =
            self.inside(first, at, |to| to.inside(second, holds, translate))?;
        if a == b {
            return Err("two variables of one name".to_owned());
        }
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
        let variables = Variables::Two(a, b);
        Ok((
            Node::Loop(how, Box::new(items), variables, Box::new(value)),
            made,
        ))
    }

    /// The positions or keys and the values that a macro of two variables iterates.
    pub(super) fn pairs(&mut self, range: &IdedExpr) -> Result<(Node, Holds, Holds), String> {
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
        Ok((Node::Items(Box::new(node), over), at, holds))
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
