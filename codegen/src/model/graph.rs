//! The type graph: the types that each type contains, computed once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use serde::Serialize;

use super::{Field, Phase, SchemaName, Ty, Type};

/// The structs and enumerations of a group-version, and the types that they hold.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Graph {
    /// The types that the fields of each struct hold, in their order.
    held: BTreeMap<SchemaName, Vec<SchemaName>>,
    users: BTreeMap<SchemaName, Vec<(SchemaName, usize)>>,
    /// The number of each type's circle of types that hold each other without a list or map
    /// between them.
    circles: BTreeMap<SchemaName, usize>,
    /// The same of types that hold each other in required fields only.
    endless: BTreeMap<SchemaName, usize>,
}

impl Graph {
    /// The graph of these types.
    pub(crate) fn of<P: Phase>(types: &BTreeMap<SchemaName, Type<P>>) -> Self {
        let mut graph = Self::default();
        let mut inline = DiGraphMap::<&str, ()>::new();
        let mut required = DiGraphMap::<&str, ()>::new();
        for (owner, ty) in types {
            let Some(object) = ty.object() else { continue };
            let held = graph.held.entry(owner.clone()).or_default();
            for (index, field) in object.fields.iter().enumerate() {
                let Some(to) = field.ty.reference().filter(|to| types.contains_key(*to)) else {
                    continue;
                };
                held.push(to.clone());
                let users = graph.users.entry(to.clone()).or_default();
                users.push((owner.clone(), index));
                if matches!(field.ty, Ty::Ref(_)) {
                    inline.add_edge(owner, to, ());
                    if field.required {
                        required.add_edge(owner, to, ());
                    }
                }
            }
        }
        graph.circles = circles(&inline);
        graph.endless = circles(&required);
        graph
    }

    /// The types that a type holds at any depth, each level before the next, without itself
    /// unless it holds itself.
    pub(crate) fn below(&self, top: &SchemaName) -> Vec<&SchemaName> {
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        let mut open = VecDeque::from([top]);
        while let Some(name) = open.pop_front() {
            for held in self.held.get(name).into_iter().flatten() {
                if held != top && seen.insert(held) {
                    order.push(held);
                    open.push_back(held);
                }
            }
        }
        order
    }

    /// The fields that hold a type, with their owners.
    pub(crate) fn users(&self, name: &SchemaName) -> &[(SchemaName, usize)] {
        self.users.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns true if a type that is held inline holds its owner in turn, without a list or map on
    /// the way.
    pub(crate) fn is_recursive(&self, owner: &SchemaName, held: &SchemaName) -> bool {
        is_in_one(&self.circles, owner, held)
    }

    /// Returns a number that is higher than that of all types which a type holds inline, but for
    /// those in its circle; `None` if it holds none and isn't held.
    pub(crate) fn height(&self, name: &SchemaName) -> Option<usize> {
        self.circles.get(name).copied()
    }

    /// The same where all fields on the path are required, so that no object of it ends.
    pub(crate) fn is_endless(&self, owner: &SchemaName, held: &SchemaName) -> bool {
        is_in_one(&self.endless, owner, held)
    }

    /// The types for which something holds, and all that hold such a type at any depth.
    pub(crate) fn holding(&self, holds: impl Fn(&SchemaName) -> bool) -> BTreeSet<SchemaName> {
        let mut found = BTreeSet::new();
        let mut open: Vec<_> = self.held.keys().filter(|name| holds(name)).collect();
        while let Some(name) = open.pop() {
            if found.insert(name.clone()) {
                open.extend(self.users(name).iter().map(|(owner, _)| owner));
            }
        }
        found
    }
}

/// Returns true if two types are in the same circle.
fn is_in_one(circles: &BTreeMap<SchemaName, usize>, one: &SchemaName, other: &SchemaName) -> bool {
    let circle = circles.get(other);
    circle.is_some() && circle == circles.get(one)
}

/// The number of each node's circle.
fn circles(graph: &DiGraphMap<&str, ()>) -> BTreeMap<SchemaName, usize> {
    // Not Tarjan's algorithm, which petgraph has with recursion: documents may be deep. Circles
    // come after those which they hold.
    let circles = kosaraju_scc(graph).into_iter().enumerate();
    let numbers = circles.flat_map(|(number, circle)| {
        circle
            .into_iter()
            .map(move |name| (name.to_owned(), number))
    });
    numbers.collect()
}

/// Walks the fields at and below a type, with the path of each, `spec.drivers.name`. What `see`
/// returns is added to the path for the fields of the struct that the field holds; with nothing
/// the walk goes no further there. What is inside itself has no end of paths, and isn't entered
/// again.
pub(crate) fn walk_fields<'a, P: Phase>(
    types: &'a BTreeMap<SchemaName, Type<P>>,
    top: &SchemaName,
    see: &mut impl FnMut(&str, &'a Field<P>) -> Option<&'static str>,
) {
    fn inside<'a, P: Phase>(
        types: &'a BTreeMap<SchemaName, Type<P>>,
        name: &SchemaName,
        path: &str,
        above: &mut Vec<SchemaName>,
        see: &mut impl FnMut(&str, &'a Field<P>) -> Option<&'static str>,
    ) {
        let Some(object) = types.get(name).and_then(Type::object) else {
            return;
        };
        if above.contains(name) {
            return;
        }
        above.push(name.clone());
        for field in &object.fields {
            let path = match path {
                "" => field.json.clone(),
                path => format!("{path}.{}", field.json),
            };
            if let (Some(suffix), Some(inner)) = (see(&path, field), field.ty.reference()) {
                inside(types, inner, &(path + suffix), above, see);
            }
        }
        above.pop();
    }
    inside(types, top, "", &mut Vec::new(), see);
}
