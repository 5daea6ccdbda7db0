//! Lists of CEL: literals, elements, and functions of lists.

use cel::common::ast::{Expr, IdedExpr};

use super::translate::{Translated, Translator, said};
use crate::model::{CelText, CelType, Iterable, ListForm, Macro, Node, ReadAs, Ty, Variables};
use crate::name;

/// A value of a type.
type Value = (Node, CelType);

impl Translator<'_> {
    /// A list of plain values of one sort.
    pub(super) fn list(&mut self, elements: &[IdedExpr]) -> Translated {
        let Some((first, rest)) = elements.split_first() else {
            return Err("a list without elements".to_owned());
        };
        let (first, sort) = self.expr(first)?;
        let (first, sort) = match sort {
            CelType::Made(_) | CelType::Place(Ty::List(_), _) => {
                let (node, of) = self.owned_values((first, sort))?;
                (node, CelType::Made(Box::new(of)))
            }
            sort if is_kept(&sort) => (first, sort),
            sort => return Err(format!("a list of {}", said(&sort))),
        };
        let mut nodes = vec![first];
        for element in rest {
            let (node, other) = match self.expr(element)? {
                (node, other) if is_list(&other) => {
                    let (node, of) = self.owned_values((node, other))?;
                    (node, CelType::Made(Box::new(of)))
                }
                value => value,
            };
            if other != sort {
                return Err(format!(
                    "{} where {} is expected",
                    said(&other),
                    said(&sort)
                ));
            }
            nodes.push(node);
        }
        Ok((
            Node::List(nodes, sort.clone()),
            CelType::Made(Box::new(sort)),
        ))
    }

    /// A list as one of values, each by itself, and their type.
    pub(super) fn values(&self, (node, sort): Value) -> Result<Value, String> {
        let (over, item, form) = match sort {
            CelType::Made(of) => return Ok((node, *of)),
            CelType::Place(Ty::List(_), form) if form.list != ListForm::Atomic => {
                return Err("a list whose order doesn't count".to_owned());
            }
            CelType::Place(Ty::List(item), form) => (Iterable::Elements, *item, form.inside()),
            CelType::Kept(item, form) => (Iterable::Made, item, form),
            other => return Err(format!("the values of {}", said(&other))),
        };
        let ident = name::field_name("item").ok_or("a variable")?;
        let (read, sort) = self.place(Node::Variable(ident.clone()), &item, &form);
        if !is_kept(&sort) {
            return Err(format!("the values of a list of {}", said(&sort)));
        }
        let is_as_stored = match self.plain(&item) {
            Ty::Bool | Ty::I64 | Ty::F64 => true,
            Ty::String => form.text == CelText::Plain,
            _ => false,
        };
        if is_as_stored && over == Iterable::Elements {
            return Ok((node, sort));
        }
        let items = Box::new(Node::Items(Box::new(node), over));
        let how = match sort {
            CelType::Text => Macro::MapToTexts,
            _ => Macro::Map,
        };
        let node = Node::Loop(how, items, Variables::One(ident), Box::new(read));
        Ok((node, sort))
    }

    /// The same, where the list has to be one of its own.
    pub(super) fn owned_values(&self, value: Value) -> Result<Value, String> {
        let is_stored = matches!(value.1, CelType::Place(..));
        let (node, sort) = self.values(value)?;
        let is_made = matches!(node, Node::Loop(..)) && is_stored;
        let node = match is_made {
            true => node,
            false => Node::Method(Box::new(node), "to_vec", Vec::new()),
        };
        Ok((node, sort))
    }

    pub(super) fn is_in(&mut self, value: &IdedExpr, list: &IdedExpr) -> Translated {
        let (value, sort) = self.expr(value)?;
        if let Expr::List(list) = &list.expr
            && list.optional_indices.is_empty()
        {
            return self.among((value, sort), &list.elements);
        }
        let (list, of) = self.expr(list)?;
        match of {
            CelType::Place(Ty::Map(_), _) | CelType::Entries(_) if sort == CelType::Text => {
                Ok((Node::HasKey(Box::new(list), Box::new(value)), CelType::Bool))
            }
            CelType::Place(Ty::List(item), form) => {
                let ident = name::field_name("item").ok_or("a variable")?;
                let read = self.place(Node::Variable(ident.clone()), &item, &form.inside());
                let same = self.same(read, (value, sort))?;
                let items = Box::new(Node::Items(Box::new(list), Iterable::Elements));
                let variables = Variables::One(ident);
                let node = Node::Loop(Macro::Exists, items, variables, Box::new(same));
                Ok((node, CelType::Bool))
            }
            CelType::Made(of) if *of == sort && is_kept(&sort) => {
                let value = match sort {
                    CelType::Text => value,
                    _ => Node::Ref(Box::new(value)),
                };
                Ok((Node::Sure("contains", vec![list, value]), CelType::Bool))
            }
            other => Err(format!("`in` {}", said(&other))),
        }
    }

    /// `value in [a, b]`.
    fn among(&mut self, (value, sort): Value, list: &[IdedExpr]) -> Translated {
        if sort == CelType::Dynamic {
            let mut any = Node::Bool(false);
            for element in list {
                let element = self.expr(element)?;
                any = Node::or(any, self.same((value.clone(), sort.clone()), element)?);
            }
            return Ok((any, CelType::Bool));
        }
        if is_list(&sort) && !list.is_empty() {
            let (value, of) = self.owned_values((value, sort))?;
            let (list, others) = self.list(list)?;
            if others != CelType::Made(Box::new(CelType::Made(Box::new(of)))) {
                return Err("a list among others".to_owned());
            }
            let value = Node::Ref(Box::new(value));
            return Ok((Node::Sure("contains", vec![list, value]), CelType::Bool));
        }
        let elements = list.iter().map(|item| self.of_sort(item, &sort));
        let elements = elements.collect::<Result<Vec<_>, _>>()?;
        match is_kept(&sort) || sort == CelType::Type {
            true => Ok((Node::Among(Box::new(value), elements), CelType::Bool)),
            false => Err(format!("{} among others", said(&sort))),
        }
    }

    pub(super) fn index(&mut self, of: &IdedExpr, index: &IdedExpr) -> Translated {
        let (of, sort) = self.expr(of)?;
        match sort {
            CelType::Place(Ty::List(item), form) => {
                let index = self.of_sort(index, &CelType::Int)?;
                let element = Node::Element(Box::new(of), Box::new(index));
                Ok(self.place(element, &item, &form.inside()))
            }
            CelType::Place(Ty::Map(value), form) => {
                let key = self.of_sort(index, &CelType::Text)?;
                let entry = Node::Entry(Box::new(of), Box::new(key));
                Ok(self.place(entry, &value, &form.inside()))
            }
            CelType::Made(item) => {
                let index = self.of_sort(index, &CelType::Int)?;
                let element = Node::Element(Box::new(of), Box::new(index));
                Ok(match *item {
                    CelType::Text => (Node::Read(Box::new(element), ReadAs::Text), CelType::Text),
                    CelType::Made(_) => {
                        (Node::Method(Box::new(element), "clone", Vec::new()), *item)
                    }
                    item => (Node::Read(Box::new(element), ReadAs::Copied), item),
                })
            }
            CelType::Entries(value) => {
                let key = self.of_sort(index, &CelType::Text)?;
                Ok(Self::made_entry(Box::new(of), Box::new(key), *value))
            }
            CelType::Optional(Ty::List(_) | Ty::Map(_), _) => {
                Err("an element of an optional list or map".to_owned())
            }
            other => Err(format!("an element of {}", said(&other))),
        }
    }

    /// A function of a list.
    pub(super) fn of_list(&mut self, on: Value, name: &str, args: &[IdedExpr]) -> Translated {
        let (list, of) = self.values(on)?;
        let one = |node, sort: &CelType| match sort {
            CelType::Text => (Node::Made(Box::new(node)), CelType::Text),
            sort => (node, sort.clone()),
        };
        let is_ordered = is_kept(&of) && of != CelType::Dynamic;
        let is_number = matches!(of, CelType::Int | CelType::Double | CelType::Duration);
        Ok(match (name, args) {
            ("join", []) if of == CelType::Text => joined(list, Node::Text(String::new())),
            ("join", [with]) if of == CelType::Text => {
                joined(list, self.of_sort(with, &CelType::Text)?)
            }
            ("min", []) if is_ordered => one(Node::Function("min", vec![list]), &of),
            ("max", []) if is_ordered => one(Node::Function("max", vec![list]), &of),
            ("sum", []) if of == CelType::Double => (Node::Sure("total", vec![list]), of),
            ("sum", []) if is_number => (Node::Function("sum", vec![list]), of),
            ("isSorted", []) if is_ordered => (Node::Sure("is_sorted", vec![list]), CelType::Bool),
            ("indexOf" | "lastIndexOf", [value]) if is_ordered => {
                let value = match of {
                    CelType::Text => self.of_sort(value, &of)?,
                    _ => Node::Ref(Box::new(self.of_sort(value, &of)?)),
                };
                let function = match name {
                    "indexOf" => "position",
                    _ => "last_position",
                };
                (Node::Sure(function, vec![list, value]), CelType::Int)
            }
            ("first" | "last", []) if is_kept(&of) => {
                let function = if name == "first" { "first" } else { "last" };
                (
                    Node::Sure(function, vec![list]),
                    CelType::Maybe(Box::new(of)),
                )
            }
            ("distinct", []) if is_ordered => (
                Node::Sure("distinct", vec![list]),
                CelType::Made(Box::new(of)),
            ),
            ("reverse", []) => (
                Node::Sure("reversed", vec![list]),
                CelType::Made(Box::new(of)),
            ),
            ("sort", []) if is_ordered && of != CelType::Double => (
                Node::Sure("sorted", vec![list]),
                CelType::Made(Box::new(of)),
            ),
            ("slice", [from, to]) => {
                let from = self.of_sort(from, &CelType::Int)?;
                let to = self.of_sort(to, &CelType::Int)?;
                let made = CelType::Made(Box::new(of));
                (Node::Function("slice", vec![list, from, to]), made)
            }
            ("flatten", []) => match of {
                CelType::Made(of) => (Node::Sure("flatten", vec![list]), CelType::Made(of)),
                of => return Err(format!("`flatten` of a list of {}", said(&of))),
            },
            _ => {
                let name = name.escape_debug();
                return Err(format!("the function `{name}` of a list of {}", said(&of)));
            }
        })
    }

    /// A function of two lists as sets.
    pub(super) fn of_sets(&mut self, name: &str, args: &[IdedExpr]) -> Translated {
        let function = match name {
            "sets.contains" => "contains_all",
            "sets.equivalent" => "is_equivalent",
            "sets.intersects" => "intersects",
            _ => return Err(format!("the function `{}`", name.escape_debug())),
        };
        let [a, b] = args else {
            return Err(format!("the function `{name}`"));
        };
        let mut lists = Vec::new();
        let mut sorts = Vec::new();
        for arg in [a, b] {
            let empty = matches!(&arg.expr, Expr::List(list) if list.elements.is_empty());
            if empty {
                return Err("a list without elements".to_owned());
            }
            let (node, mut sort) = self.expr(arg)?;
            // The order doesn't count here either.
            if let CelType::Place(_, form) = &mut sort {
                form.list = ListForm::Atomic;
            }
            let (node, of) = self.values((node, sort))?;
            lists.push(node);
            sorts.push(of);
        }
        match sorts.as_slice() {
            [a, b] if a == b => Ok((Node::Sure(function, lists), CelType::Bool)),
            _ => Err("sets of different types".to_owned()),
        }
    }
}

fn joined(list: Node, with: Node) -> (Node, CelType) {
    let joined = Node::Join(Box::new(list), Box::new(with));
    (Node::Made(Box::new(joined)), CelType::Text)
}

fn is_list(sort: &CelType) -> bool {
    matches!(
        sort,
        CelType::Made(_) | CelType::Place(Ty::List(_), _) | CelType::Kept(..)
    )
}

/// Returns true for plain values, of which there are lists.
pub(super) fn is_kept(sort: &CelType) -> bool {
    let is_number = matches!(sort, CelType::Bool | CelType::Int | CelType::Double);
    is_number || matches!(sort, CelType::Text | CelType::Duration | CelType::Time)
}
