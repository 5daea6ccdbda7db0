//! Where in an object something is.

use std::borrow::Cow;
use std::fmt;

use k8s_openapi::serde_json::Value;

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
