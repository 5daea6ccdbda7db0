//! Lists of CEL: literals, elements, and functions of lists.

use cel::common::ast::{Expr, IdedExpr};

use super::sorts::{beside, held, is_held, is_kept, is_list, is_part, made, owned, said};
use super::translate::{Translated, Translator, is_empty};
use crate::model::{CelText, CelType, Iterable, Macro, Node, ReadAs, Ty, Variables};
use crate::name;

/// A value of a type.
type Value = (Node, CelType);

impl Translator<'_> {
    /// A list of plain values of one sort, or of objects of one type. Those at some positions are
    /// optional.
    pub(super) fn list(&mut self, elements: &[IdedExpr], optional: &[usize]) -> Translated {
        let (mut nodes, mut sort) = (Vec::new(), None);
        for (at, element) in elements.iter().enumerate() {
            let value = self.expr(element)?;
            let (node, of) = match optional.contains(&at) {
                true => self.maybe(value)?,
                false => self.held(value)?,
            };
            let (node, of) = match (optional.is_empty(), of) {
                (false, CelType::Maybe(of)) => (node, *of),
                (false, of) => (Node::Some(Box::new(owned(node, &of))), of),
                (true, of) => (node, of),
            };
            let sort = sort.get_or_insert_with(|| of.clone());
            if of != *sort {
                return Err(format!("{} where {} is expected", said(&of), said(sort)));
            }
            nodes.push(node);
        }
        let sort = sort.ok_or("a list without elements")?;
        match sort {
            CelType::Place(ty, form) if optional.is_empty() => Ok((
                Node::List(nodes, CelType::Kept(ty.clone(), form.clone())),
                CelType::Kept(ty, form),
            )),
            CelType::Place(..) => Err("a list of optional objects".to_owned()),
            sort if optional.is_empty() => Ok((
                Node::List(nodes, sort.clone()),
                CelType::Made(Box::new(sort)),
            )),
            sort => {
                let list = Node::List(nodes, CelType::Maybe(Box::new(sort.clone())));
                let present = Node::Sure("present_of", vec![list]);
                Ok((present, CelType::Made(Box::new(sort))))
            }
        }
    }

    /// A value as lists and maps hold it.
    pub(super) fn held(&self, (node, sort): Value) -> Translated {
        match sort {
            CelType::Place(Ty::Ref(_), _) => Ok((node, sort)),
            sort if is_list(&sort) => {
                let (node, of) = self.owned_values((node, sort))?;
                Ok((node, CelType::Made(Box::new(of))))
            }
            sort if is_held(&sort) => Ok((node, sort)),
            sort => Err(format!("a list of {}", said(&sort))),
        }
    }

    /// A list as one of values, each by itself, and their type.
    pub(super) fn values(&self, (node, sort): Value) -> Result<Value, String> {
        let (over, item, form) = match sort {
            CelType::Made(of) => return Ok((node, *of)),
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
        let how = match is_part(&sort) {
            true => Macro::MapToOwned,
            false => Macro::Map,
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
            CelType::Place(Ty::Map(_), _) if sort == CelType::Text => {
                Ok((Node::HasKey(Box::new(list), Box::new(value)), CelType::Bool))
            }
            CelType::Entries(key, _) if *key == sort => {
                Ok((has_key(list, value, &key), CelType::Bool))
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
            CelType::Made(of) if *of == sort && is_held(&sort) => {
                let value = borrowed(value, &sort);
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
            let (list, others) = self.list(list, &[])?;
            if others != CelType::Made(Box::new(CelType::Made(Box::new(of)))) {
                return Err("a list among others".to_owned());
            }
            let value = Node::Ref(Box::new(value));
            return Ok((Node::Sure("contains", vec![list, value]), CelType::Bool));
        }
        if is_kept(&sort) || sort == CelType::Type {
            let elements = list.iter().map(|item| self.of_sort(item, &sort));
            let elements = elements.collect::<Result<Vec<_>, _>>()?;
            return Ok((Node::Among(Box::new(value), elements), CelType::Bool));
        }
        // A server compares the value with each element of such a list.
        let mut any = beside(value.clone(), Node::Bool(false));
        for element in list {
            let element = self.expr(element)?;
            any = Node::or(any, self.same((value.clone(), sort.clone()), element)?);
        }
        Ok((any, CelType::Bool))
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
                Ok((element_of(element, &item), *item))
            }
            CelType::Kept(ty, form) => {
                let index = self.of_sort(index, &CelType::Int)?;
                let element = Node::Function("kept_at", vec![Node::Ref(Box::new(of)), index]);
                Ok(self.place(element, &ty, &form))
            }
            CelType::Entries(of_key, value) => {
                let key = self.of_sort(index, &of_key)?;
                if *of_key != CelType::Text {
                    let entry = Node::Function("entry_at", vec![of, key]);
                    return Ok((made(entry, &value), *value));
                }
                Ok(Self::made_entry(Box::new(of), Box::new(key), *value))
            }
            CelType::Optional(..) | CelType::Maybe(_) => self.index_of_optional((of, sort), index),
            other => Err(format!("an element of {}", said(&other))),
        }
    }

    /// A function of a list.
    pub(super) fn of_list(&mut self, on: Value, name: &str, args: &[IdedExpr]) -> Translated {
        let (list, of) = self.values(on)?;
        let one = |node, sort: &CelType| (made(node, sort), sort.clone());
        let is_ordered = is_kept(&of);
        let is_number = matches!(of, CelType::Int | CelType::Duration);
        Ok(match (name, args) {
            ("join", []) if of == CelType::Text => joined(list, Node::Text(String::new())),
            ("join", [with]) if of == CelType::Text => {
                joined(list, self.of_sort(with, &CelType::Text)?)
            }
            ("min", []) if is_ordered => one(Node::Function("min", vec![list]), &of),
            ("max", []) if is_ordered => one(Node::Function("max", vec![list]), &of),
            ("sum", []) if of == CelType::Double => (Node::Sure("total", vec![list]), of),
            ("sum", []) if is_number => (Node::Function("sum", vec![list]), of),
            ("sum", []) if of == CelType::Unsigned => {
                (Node::Function("sum_unsigned", vec![list]), of)
            }
            ("isSorted", []) if is_ordered => (Node::Sure("is_sorted", vec![list]), CelType::Bool),
            ("indexOf" | "lastIndexOf", [value]) if is_held(&of) => {
                let value = borrowed(self.of_sort(value, &of)?, &of);
                let function = match name {
                    "indexOf" => "position",
                    _ => "last_position",
                };
                (Node::Sure(function, vec![list, value]), CelType::Int)
            }
            ("first" | "last", []) if is_held(&of) => {
                let function = if name == "first" { "first" } else { "last" };
                (
                    Node::Sure(function, vec![list]),
                    CelType::Maybe(Box::new(of)),
                )
            }
            ("distinct", []) if is_held(&of) => (
                Node::Sure("distinct", vec![list]),
                CelType::Made(Box::new(of)),
            ),
            ("reverse", []) => (
                Node::Sure("reversed", vec![list]),
                CelType::Made(Box::new(of)),
            ),
            ("sort", []) if is_ordered => (
                Node::Sure("sorted", vec![list]),
                CelType::Made(Box::new(of)),
            ),
            ("slice", [from, to]) => {
                let from = self.of_sort(from, &CelType::Int)?;
                let to = self.of_sort(to, &CelType::Int)?;
                let made = CelType::Made(Box::new(of));
                (Node::Function("slice", vec![list, from, to]), made)
            }
            ("flatten", []) => return flattened(list, of),
            ("flatten", [depth]) => match self.expr(depth)? {
                (Node::Int(1), _) => return flattened(list, of),
                _ => return Err("`flatten` of more lists in each other".to_owned()),
            },
            ("unwrapOpt", []) => return unwrapped(list, of),
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
        let [left, right] = [a, b].map(|arg| match is_empty(arg) {
            true => Ok(None),
            false => self
                .expr(arg)
                .and_then(|value| self.values(value))
                .map(Some),
        });
        let (left, right) = match (left?, right?) {
            (Some(left), Some(right)) => (left, right),
            // The elements of the other one say the type.
            (None, Some((list, of))) => (
                (Node::Sure("no_values", Vec::new()), of.clone()),
                (list, of),
            ),
            (Some((list, of)), None) => (
                (list, of.clone()),
                (Node::Sure("no_values", Vec::new()), of),
            ),
            (None, None) => return Ok((Node::Bool(function != "intersects"), CelType::Bool)),
        };
        match left.1 == right.1 {
            true => Ok((Node::Sure(function, vec![left.0, right.0]), CelType::Bool)),
            false => Err("sets of different types".to_owned()),
        }
    }
}

fn joined(list: Node, with: Node) -> (Node, CelType) {
    let joined = Node::Join(Box::new(list), Box::new(with));
    (Node::Made(Box::new(joined)), CelType::Text)
}

/// The elements of the lists in a list.
fn flattened(lists: Node, of: CelType) -> Translated {
    match of {
        CelType::Made(of) => Ok((Node::Sure("flatten", vec![lists]), CelType::Made(of))),
        of => Err(format!("`flatten` of a list of {}", said(&of))),
    }
}

/// The values of those optional values of a list that have one.
pub(super) fn unwrapped(list: Node, of: CelType) -> Translated {
    match of {
        CelType::Maybe(of) => Ok((Node::Sure("present_of", vec![list]), CelType::Made(of))),
        of => Err(format!("the values in a list of {}", said(&of))),
    }
}

/// A value as functions take it that look for it.
fn borrowed(value: Node, sort: &CelType) -> Node {
    match is_part(sort) {
        true => value,
        false => Node::Ref(Box::new(value)),
    }
}

/// An element of a list that has been made.
fn element_of(element: Node, sort: &CelType) -> Node {
    match sort {
        CelType::Text | CelType::Bytes | CelType::Made(_) | CelType::Entries(..) => {
            held(element, sort)
        }
        _ => Node::Read(Box::new(element), ReadAs::Copied),
    }
}

/// The condition that a map which has been made has a key.
fn has_key(map: Node, key: Node, sort: &CelType) -> Node {
    match sort {
        CelType::Text => Node::HasKey(Box::new(map), Box::new(key)),
        _ => Node::Sure("has_key_at", vec![map, key]),
    }
}
