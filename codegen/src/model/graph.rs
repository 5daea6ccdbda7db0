//! The type graph: which types contain which, computed once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Field, SchemaName, Shape, Struct, Ty, Type};

/// The structs and enumerations of a group-version, and which hold which.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    edges: BTreeMap<SchemaName, Vec<Edge>>,
    users: BTreeMap<SchemaName, Vec<(SchemaName, usize)>>,
    /// The number of each type's circle of types that hold each other without a list or map
    /// between them.
    circles: BTreeMap<SchemaName, usize>,
}

/// A field that holds a type of the crate.
#[derive(Debug)]
struct Edge {
    field: usize,
    to: SchemaName,
    /// Whether the value itself is held, not a list or map of such values.
    inline: bool,
}

impl Graph {
    /// The graph of these types.
    pub(crate) fn of(types: &BTreeMap<SchemaName, Type>) -> Self {
        let mut graph = Self::default();
        for (owner, object) in structs(types) {
            let mut edges = Vec::new();
            for (index, field) in object.fields.iter().enumerate() {
                let Some(to) = field.ty.reference().filter(|to| types.contains_key(*to))
                else {
                    continue;
                };
                let inline = matches!(field.ty, Ty::Ref(_));
                edges.push(Edge {
                    field: index,
                    to: to.clone(),
                    inline,
                });
                let users = graph.users.entry(to.clone()).or_default();
                users.push((owner.clone(), index));
            }
            graph.edges.insert(owner.clone(), edges);
        }
        graph.circles = graph.find_circles();
        graph
    }

    /// The types that a type holds at any depth, each level before the next, without itself
    /// unless it holds itself.
    pub(crate) fn below(&self, top: &SchemaName) -> Vec<&SchemaName> {
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        let mut open = VecDeque::from([top]);
        while let Some(name) = open.pop_front() {
            for edge in self.edges.get(name).into_iter().flatten() {
                if &edge.to != top && seen.insert(&edge.to) {
                    order.push(&edge.to);
                    open.push_back(&edge.to);
                }
            }
        }
        order
    }

    /// The fields that hold a type: their owners, and which of their fields.
    pub(crate) fn users(&self, name: &SchemaName) -> &[(SchemaName, usize)] {
        self.users.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether a type holds itself through this field, without a list or map on the way.
    pub(crate) fn is_recursive(&self, owner: &SchemaName, field: usize) -> bool {
        let edges = self.edges.get(owner).into_iter().flatten();
        let mut inline = edges.filter(|edge| edge.field == field && edge.inline);
        let circle = |name| self.circles.get(name);
        inline
            .any(|edge| circle(&edge.to).is_some() && circle(&edge.to) == circle(owner))
    }

    /// The types for which something holds, and all that hold such a type at any depth.
    pub(crate) fn holding(
        &self,
        holds: impl Fn(&SchemaName) -> bool,
    ) -> BTreeSet<SchemaName> {
        let mut found: BTreeSet<SchemaName> =
            self.edges.keys().filter(|name| holds(name)).cloned().collect();
        let mut open: Vec<SchemaName> = found.iter().cloned().collect();
        while let Some(name) = open.pop() {
            for (owner, _) in self.users(&name) {
                if found.insert(owner.clone()) {
                    open.push(owner.clone());
                }
            }
        }
        found
    }

    /// The circles of types that hold each other inline (Tarjan), without recursion since
    /// documents may be deep. A type that holds nothing of its own kind has none.
    fn find_circles(&self) -> BTreeMap<SchemaName, usize> {
        let names: Vec<&SchemaName> = self.edges.keys().collect();
        let index: BTreeMap<&SchemaName, usize> =
            names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        let targets = |at: usize| -> Vec<usize> {
            let edges = names.get(at).and_then(|name| self.edges.get(*name));
            let inline = edges.into_iter().flatten().filter(|edge| edge.inline);
            inline.filter_map(|edge| index.get(&edge.to).copied()).collect()
        };
        let targets: Vec<Vec<usize>> = (0..names.len()).map(targets).collect();
        let circles = components(&targets);
        let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
        for circle in &circles {
            *sizes.entry(*circle).or_default() += 1;
        }
        let is_circle = |at: usize, circle: usize| {
            let holds_itself = targets.get(at).is_some_and(|to| to.contains(&at));
            holds_itself || sizes.get(&circle).is_some_and(|size| *size > 1)
        };
        let found = circles.iter().enumerate().filter(|(at, c)| is_circle(*at, **c));
        found
            .filter_map(|(at, circle)| Some(((*names.get(at)?).clone(), *circle)))
            .collect()
    }
}

/// The strongly connected component of each node (Kosaraju: by the order of leaving, then
/// against the edges).
fn components(targets: &[Vec<usize>]) -> Vec<usize> {
    let count = targets.len();
    let mut sources = vec![Vec::new(); count];
    for (from, to) in targets.iter().enumerate() {
        for to in to {
            if let Some(sources) = sources.get_mut(*to) {
                sources.push(from);
            }
        }
    }
    let mut left = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    for start in 0..count {
        visit(start, targets, &mut seen, |node| left.push(node));
    }
    let mut component = vec![0; count];
    let mut seen = vec![false; count];
    for (number, start) in left.into_iter().rev().enumerate() {
        visit(start, &sources, &mut seen, |node| {
            if let Some(component) = component.get_mut(node) {
                *component = number;
            }
        });
    }
    component
}

/// Visits what can be reached and wasn't seen, and says when each node is left.
fn visit(
    start: usize,
    targets: &[Vec<usize>],
    seen: &mut [bool],
    mut leave: impl FnMut(usize),
) {
    let mut is_new = |node: usize| {
        seen.get_mut(node).is_some_and(|seen| !std::mem::replace(seen, true))
    };
    if !is_new(start) {
        return;
    }
    let mut open = vec![(start, 0)];
    while let Some((node, next)) = open.last_mut() {
        match targets.get(*node).and_then(|to| to.get(*next)) {
            Some(to) => {
                *next += 1;
                if is_new(*to) {
                    open.push((*to, 0));
                }
            }
            None => {
                leave(*node);
                open.pop();
            }
        }
    }
}

/// The structs among types.
fn structs(
    types: &BTreeMap<SchemaName, Type>,
) -> impl Iterator<Item = (&SchemaName, &Struct)> {
    types.iter().filter_map(|(name, ty)| match &ty.shape {
        Shape::Struct(object) => Some((name, object)),
        Shape::Enum(_) => None,
    })
}

/// Walks the fields at and below a type, with the path of each, `spec.drivers.name`. What `see`
/// returns is added to the path for the fields of the struct that the field holds; with nothing
/// the walk goes no further there. What is inside itself has no end of paths, and isn't entered
/// again.
pub(crate) fn walk_fields<'a>(
    types: &'a BTreeMap<SchemaName, Type>,
    top: &SchemaName,
    see: &mut impl FnMut(&str, &'a Field) -> Option<&'static str>,
) {
    fn inside<'a>(
        types: &'a BTreeMap<SchemaName, Type>,
        name: &SchemaName,
        path: &str,
        above: &mut Vec<SchemaName>,
        see: &mut impl FnMut(&str, &'a Field) -> Option<&'static str>,
    ) {
        let Some(Shape::Struct(object)) = types.get(name).map(|ty| &ty.shape) else {
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
            if let (Some(suffix), Some(inner)) =
                (see(&path, field), field.ty.reference())
            {
                inside(types, inner, &(path + suffix), above, see);
            }
        }
        above.pop();
    }
    inside(types, top, "", &mut Vec::new(), see);
}
