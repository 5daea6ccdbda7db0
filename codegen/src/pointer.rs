//! JSON pointers.

use std::fmt::{self, Write};

use serde::{Serialize, Serializer};

/// Room for a key of usual length, with its slash: most are shorter, and none of the places has to
/// be moved as it grows.
const KEY: usize = 24;

/// A JSON pointer (RFC 6901), shown in its URI fragment form, `#/a/b`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(String);

impl Pointer {
    /// The whole document.
    pub fn root() -> Self {
        Self::default()
    }

    /// The pointer to the schemas of a document.
    pub fn schemas() -> Self {
        Self::root().child("components").child("schemas")
    }

    /// The pointer to the schema `name` of a document.
    pub fn schema(name: &str) -> Self {
        Self::schemas().child(name)
    }

    /// The pointer to the member `key` of what this one points to.
    #[must_use]
    pub fn child(&self, key: impl fmt::Display) -> Self {
        let mut path = String::with_capacity(self.0.len() + KEY);
        path.push_str(&self.0);
        path.push('/');
        let start = path.len();
        // Writing to a text doesn't fail.
        _ = write!(path, "{key}");
        let key = path.get(start..).unwrap_or_default();
        if key.contains(['~', '/']) {
            let key = key.replace('~', "~0").replace('/', "~1");
            path.replace_range(start.., &key);
        }
        Self(path)
    }

    /// The name of the schema that this one leads into.
    pub(crate) fn in_schema(&self) -> Option<String> {
        let below = self.0.strip_prefix(Self::schemas().as_str())?;
        Self(below.to_owned()).segments().next()
    }

    /// The pointer to what is as far below `other` as this one is below `place`.
    pub(crate) fn moved(&self, place: &Self, other: &Self) -> Option<Self> {
        let below = self.0.strip_prefix(&place.0)?;
        Some(Self(format!("{}{below}", other.0)))
    }

    /// Reads a pointer from its plain (`/a/b`) or fragment (`#/a/b`) form.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('#').unwrap_or(text);
        (text.is_empty() || text.starts_with('/')).then(|| Self(text.to_owned()))
    }

    /// The plain form, as `serde_json::Value::pointer` takes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The members on the way, unescaped.
    pub fn segments(&self) -> impl Iterator<Item = String> + '_ {
        self.0.split('/').skip(1).map(|segment| {
            // Few are escaped, and to look for that is quick.
            match segment.contains('~') {
                true => segment.replace("~1", "/").replace("~0", "~"),
                false => segment.to_owned(),
            }
        })
    }
}

impl Serialize for Pointer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}
