//! A JSON or YAML document with all fields in the order of the text, including duplicates, and
//! their lines and columns.

use std::borrow::Cow;

use k8s_openapi::serde_json::{Map, Number, Value};
#[cfg(feature = "yaml")]
use kubernetes_kinds::{FieldPath, Segment};

/// A line and a column, counted from 1.
pub(crate) type Position = (usize, usize);

/// The deepest nesting of a tree; no kind of Kubernetes comes near. What is deeper can be skipped,
/// as a server skips unknown fields.
pub(crate) const MAX_DEPTH: usize = 127;

/// The message for a value that is deeper.
pub(crate) const TOO_DEEP: &str = "nested more than 127 deep";

/// The weight of a value in addition to its text.
#[cfg(feature = "yaml")]
const NODE: usize = 4;

/// A value.
#[derive(Clone)]
pub(crate) enum Tree<'a> {
    Null,
    Bool(bool),
    Number(Number),
    /// A number that isn't an integer of 64 bits, and its text in JSON.
    Decimal(Number, Cow<'a, str>),
    /// The text of a number in JSON beyond floats of 64 bits, which is read as a quantity only.
    Huge(Cow<'a, str>),
    Text(Cow<'a, str>),
    /// A value that can be skipped, but not read, with the message for that: a string of JSON that
    /// is not UTF-8, or a value that is too deep.
    Unreadable(&'static str),
    Items(Vec<Node<'a>>),
    Fields(Vec<Field<'a>>),
}

/// A value and its position; of those of JSON, only texts in lists have one.
#[derive(Clone)]
pub(crate) struct Node<'a> {
    pub(crate) position: Option<Position>,
    pub(crate) tree: Tree<'a>,
}

/// A field of an object.
#[derive(Clone)]
pub(crate) struct Field<'a> {
    /// The name, borrowed from the text where that is possible.
    pub(crate) name: Cow<'a, str>,
    /// The position of the name; in JSON only of names without escapes.
    pub(crate) position: Option<Position>,
    pub(crate) value: Node<'a>,
}

impl<'a> From<Tree<'a>> for Node<'a> {
    fn from(tree: Tree<'a>) -> Self {
        Self {
            position: None,
            tree,
        }
    }
}

impl Node<'_> {
    /// Copies the parts that are borrowed from the text.
    #[cfg(feature = "yaml")]
    pub(crate) fn into_owned(self) -> Node<'static> {
        let tree = match self.tree {
            Tree::Null => Tree::Null,
            Tree::Unreadable(message) => Tree::Unreadable(message),
            Tree::Bool(value) => Tree::Bool(value),
            Tree::Number(number) => Tree::Number(number),
            Tree::Decimal(number, text) => Tree::Decimal(number, Cow::Owned(text.into_owned())),
            Tree::Huge(text) => Tree::Huge(Cow::Owned(text.into_owned())),
            Tree::Text(text) => Tree::Text(Cow::Owned(text.into_owned())),
            Tree::Items(items) => Tree::Items(items.into_iter().map(Node::into_owned).collect()),
            Tree::Fields(fields) => {
                let owned = fields.into_iter().map(|field| Field {
                    name: Cow::Owned(field.name.into_owned()),
                    position: field.position,
                    value: field.value.into_owned(),
                });
                Tree::Fields(owned.collect())
            }
        };
        Node {
            position: self.position,
            tree,
        }
    }

    /// Returns the position of the value at a path, or of the nearest around it.
    #[cfg(feature = "yaml")]
    pub(crate) fn find(&self, path: &FieldPath) -> Option<Position> {
        let mut found = self.position;
        let mut node = self;
        for segment in path.segments() {
            let inner = match segment {
                Segment::Field(name) => node.tree.field(name).map(|(_, field)| &field.value),
                Segment::Key(name) => node.tree.field(name).map(|(_, field)| &field.value),
                Segment::Index(index) => node.tree.item(*index),
            };
            let Some(inner) = inner else {
                break;
            };
            found = inner.position.or(found);
            node = inner;
        }
        found
    }

    /// Adds a number of lines to all positions.
    #[cfg(feature = "yaml")]
    pub(crate) fn move_down(&mut self, lines: usize) {
        self.each_position(&mut |position| {
            if let Some((line, _)) = position {
                *line += lines;
            }
        });
    }

    #[cfg(feature = "yaml")]
    fn each_position(&mut self, change: &mut impl FnMut(&mut Option<Position>)) {
        change(&mut self.position);
        self.tree.each_position(change);
    }

    /// Keeps the last of fields with the same name, and sorts fields by name.
    pub(crate) fn collapse(&mut self) {
        match &mut self.tree {
            Tree::Items(items) => {
                for item in items {
                    item.collapse();
                }
            }
            Tree::Fields(fields) => {
                let mut last = Map::new();
                for (index, field) in fields.iter().enumerate() {
                    last.insert(field.name.to_string(), index.into());
                }
                let mut kept = Vec::new();
                for index in in_order(last) {
                    let Some(field) = fields.get_mut(index) else {
                        continue;
                    };
                    field.value.collapse();
                    kept.push(Field {
                        name: std::mem::take(&mut field.name),
                        position: field.position,
                        value: std::mem::replace(&mut field.value, Tree::Null.into()),
                    });
                }
                *fields = kept;
            }
            _ => (),
        }
    }
}

/// Returns indices in the order of their keys.
///
/// `serde_json` has compiled this map for itself. A sort, or a map of another type, would be
/// compiled with this crate.
pub(crate) fn in_order(mut indices: Map<String, Value>) -> Vec<usize> {
    // A program may have switched on the feature with which a map keeps the order of insertion.
    indices.sort_keys();
    let mut ordered = Vec::new();
    for index in indices.values() {
        if let Some(index) = index.as_u64()
            && let Ok(index) = usize::try_from(index)
        {
            ordered.push(index);
        }
    }
    ordered
}

impl<'a> Tree<'a> {
    /// Sets all positions.
    #[cfg(feature = "yaml")]
    pub(crate) fn move_to(&mut self, place: Position) {
        self.each_position(&mut |position| *position = Some(place));
    }

    #[cfg(feature = "yaml")]
    fn each_position(&mut self, change: &mut impl FnMut(&mut Option<Position>)) {
        match self {
            Self::Items(items) => {
                items.iter_mut().for_each(|item| item.each_position(change));
            }
            Self::Fields(fields) => {
                for field in fields {
                    change(&mut field.position);
                    field.value.each_position(change);
                }
            }
            _ => (),
        }
    }

    /// Returns the field of that name, the last one if there are several, and its index.
    pub(crate) fn field(&self, name: &str) -> Option<(usize, &Field<'a>)> {
        match self {
            Self::Fields(fields) => {
                let mut fields = fields.iter().enumerate().rev();
                fields.find(|(_, field)| field.name == name)
            }
            _ => None,
        }
    }

    /// Returns the item of that index.
    #[cfg(feature = "yaml")]
    pub(crate) fn item(&self, index: usize) -> Option<&Node<'a>> {
        match self {
            Self::Items(items) => items.get(index),
            _ => None,
        }
    }

    /// Returns the weight and the depth of the value.
    #[cfg(feature = "yaml")]
    pub(crate) fn measure(&self) -> (usize, usize) {
        let add = |(weight, depth): (usize, usize), (more, below): (usize, usize)| {
            (weight + more, depth.max(below + 1))
        };
        match self {
            Self::Text(text) => (NODE + text.len(), 0),
            Self::Items(items) => items
                .iter()
                .map(|item| item.tree.measure())
                .fold((NODE, 1), add),
            Self::Fields(fields) => fields
                .iter()
                .map(|field| {
                    let (weight, depth) = field.value.tree.measure();
                    (weight + NODE + field.name.len(), depth)
                })
                .fold((NODE, 1), add),
            _ => (NODE, 0),
        }
    }

    /// Returns the text at a path of names; of fields with the same name the last counts.
    pub(crate) fn text(&self, path: &[&str]) -> Option<&str> {
        match (self, path) {
            (Self::Text(text), []) => Some(text),
            (tree, [name, inner @ ..]) => tree.field(name)?.1.value.tree.text(inner),
            _ => None,
        }
    }

    /// Returns `metadata.name` and `metadata.namespace`.
    pub(crate) fn names(&self) -> (Option<&str>, Option<&str>) {
        (
            self.text(&["metadata", "name"]),
            self.text(&["metadata", "namespace"]),
        )
    }

    /// Returns the position of the first field in the value.
    #[cfg(feature = "yaml")]
    pub(crate) fn first(&self) -> Option<Position> {
        match self {
            Self::Items(items) => items.iter().find_map(|item| item.tree.first()),
            Self::Fields(fields) => fields
                .iter()
                .find_map(|field| field.position.or_else(|| field.value.tree.first())),
            _ => None,
        }
    }

    /// Returns the value without positions; of fields with the same name the last counts.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Null | Self::Huge(_) | Self::Unreadable(_) => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(number) | Self::Decimal(number, _) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.clone().into_owned()),
            Self::Items(items) => {
                let mut values = Vec::new();
                for item in items {
                    values.push(item.tree.to_value());
                }
                Value::Array(values)
            }
            Self::Fields(fields) => {
                let mut object = Map::new();
                for field in fields {
                    object.insert(field.name.to_string(), field.value.tree.to_value());
                }
                Value::Object(object)
            }
        }
    }
}
