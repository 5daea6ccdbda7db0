//! Where in an object something is.

use std::borrow::Cow;
use std::fmt;

use k8s_openapi::serde_json::Value;

/// A place in an object while it is being walked, kept on the stack.
///
/// A server reports some faults at a place above the one they are in, or under a name that the
/// field doesn't have; [`above`](Self::above) and [`named`](Self::named) say so.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
    above: usize,
    skips_parent: bool,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root,
    Field {
        name: &'static str,
        on_server: &'static str,
    },
    Index(usize),
    Key(&'a str),
}

impl<'a> Path<'a> {
    /// The object itself.
    pub const ROOT: Path<'static> = Path {
        parent: None,
        step: Step::Root,
        above: 0,
        skips_parent: false,
    };

    /// The field of that name.
    #[must_use]
    pub const fn field(&'a self, name: &'static str) -> Self {
        self.below(Step::Field {
            name,
            on_server: name,
        })
    }

    /// The element at that index.
    #[must_use]
    pub const fn index(&'a self, index: usize) -> Self {
        self.below(Step::Index(index))
    }

    /// The entry of that key.
    #[must_use]
    pub const fn key(&'a self, key: &'a str) -> Self {
        self.below(Step::Key(key))
    }

    /// The same place, which the server reports so many steps further up.
    #[must_use]
    pub const fn above(self, steps: usize) -> Self {
        Self {
            above: steps,
            ..self
        }
    }

    /// The same field, which goes by another name on the server.
    #[must_use]
    pub const fn named(self, on_server: &'static str) -> Self {
        match self.step {
            Step::Field { name, .. } => Self {
                step: Step::Field { name, on_server },
                ..self
            },
            _ => self,
        }
    }

    /// The same field, which the server reports without the index of the element it is in.
    #[must_use]
    pub const fn without_index(self) -> Self {
        Self {
            skips_parent: true,
            ..self
        }
    }

    const fn below(&'a self, step: Step<'a>) -> Self {
        Path {
            parent: Some(self),
            step,
            above: 0,
            skips_parent: false,
        }
    }

    fn ancestor(&self, steps: usize) -> &Self {
        match (steps, self.parent) {
            (0, _) | (_, None) => self,
            (_, Some(parent)) => parent.ancestor(steps - 1),
        }
    }

    /// The path as the server writes it.
    pub(super) fn on_server(&self) -> String {
        let mut text = String::new();
        self.ancestor(self.above).write_on_server(&mut text);
        text
    }

    fn write_on_server(&self, text: &mut String) {
        if let Some(parent) = self.parent {
            parent.ancestor(usize::from(self.skips_parent)).write_on_server(text);
        }
        match self.step {
            Step::Root => {}
            Step::Field { on_server, .. } => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(on_server);
            }
            Step::Index(index) => text.push_str(&format!("[{index}]")),
            Step::Key(key) => text.push_str(&format!("[{key}]")),
        }
    }

    /// The exact path, with a life of its own.
    pub(super) fn exact(&self) -> FieldPath {
        let mut path = match self.parent {
            Some(parent) => parent.exact(),
            None => FieldPath::default(),
        };
        path.0.extend(match self.step {
            Step::Root => None,
            Step::Field { name, .. } => Some(Segment::Field(Cow::Borrowed(name))),
            Step::Index(index) => Some(Segment::Index(index)),
            Step::Key(key) => Some(Segment::Key(key.to_owned())),
        });
        path
    }
}

/// A place in an object, shown as Kubernetes writes it: `spec.drivers[0].nodeID`.
///
/// The key of a map is shown in brackets, whatever it contains: `parameters[fsType]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPath(Vec<Segment>);

/// One step of a [`FieldPath`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// A field of an object.
    Field(Cow<'static, str>),
    /// An element of a list, counted from 0.
    Index(usize),
    /// An entry of a map.
    Key(String),
}

impl FieldPath {
    /// The steps from the object down.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// What stands at the path in the JSON of the object.
    #[must_use]
    pub fn resolve<'v>(&self, object: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(object, |value, segment| match segment {
            Segment::Field(name) => value.get(name.as_ref()),
            Segment::Index(index) => value.get(index),
            Segment::Key(key) => value.get(key),
        })
    }
}

impl FromIterator<Segment> for FieldPath {
    fn from_iter<T: IntoIterator<Item = Segment>>(segments: T) -> Self {
        Self(segments.into_iter().collect())
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Field(name) if at == 0 => f.write_str(name)?,
                Segment::Field(name) => write!(f, ".{name}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) => write!(f, "[{key}]")?,
            }
        }
        Ok(())
    }
}
