//! Paths of fields in an object.

use std::borrow::Cow;
use std::fmt;

use k8s_openapi::serde_json::Value;

/// The path of a field in an object, printed as Kubernetes prints it: `spec.drivers[0].nodeID`.
///
/// The key of a map is printed in brackets, whatever it contains: `parameters[fsType]`.
///
/// ```
/// use kubernetes_kinds::FieldPath;
///
/// let path = FieldPath::new("spec").child("drivers").index(0).child("nodeID");
/// assert_eq!(path.to_string(), "spec.drivers[0].nodeID");
/// ```
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
    /// Returns the path of a field of the object itself; `FieldPath::default()` is the path of the
    /// object.
    #[must_use]
    pub fn new(field: impl Into<Cow<'static, str>>) -> Self {
        Self::default().child(field)
    }

    /// Returns the path of a field of the object at this path.
    #[must_use]
    pub fn child(self, field: impl Into<Cow<'static, str>>) -> Self {
        self.with(Segment::Field(field.into()))
    }

    /// Returns the path of an element of the list at this path, counted from 0.
    #[must_use]
    pub fn index(self, index: usize) -> Self {
        self.with(Segment::Index(index))
    }

    /// Returns the path of an entry of the map at this path.
    #[must_use]
    pub fn key(self, key: impl Into<String>) -> Self {
        self.with(Segment::Key(key.into()))
    }

    /// Returns the path `inner` of the object at this path.
    #[must_use]
    pub fn join(mut self, inner: Self) -> Self {
        self.0.extend(inner.0);
        self
    }

    pub(crate) fn with(mut self, segment: Segment) -> Self {
        self.0.push(segment);
        self
    }

    pub(crate) fn push(&mut self, segment: Segment) {
        self.0.push(segment);
    }

    pub(crate) fn pop(&mut self) {
        self.0.pop();
    }

    /// Returns the segments, from the object down.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// Returns the value at the path in the JSON of the object, if there is one.
    #[must_use]
    pub fn resolve<'v>(&self, object: &'v Value) -> Option<&'v Value> {
        self.0
            .iter()
            .try_fold(object, |value, segment| match segment {
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
