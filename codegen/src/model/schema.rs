//! The JSON Schema of a type, as `schemars` is to return it.

use serde::Serialize;
use serde_json::Value;

use super::{NameFormat, Ty, terms};

/// The JSON Schema of a struct or an enumeration.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TypeSchema {
    /// The lines of the description.
    pub(crate) description: Vec<String>,
    pub(crate) keywords: Keywords,
    /// The properties of a struct, without `apiVersion` and `kind`.
    pub(crate) properties: Vec<Property>,
}

/// The JSON Schema of a field.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Property {
    pub(crate) json: String,
    pub(crate) required: bool,
    /// The type whose schema it is, before the keywords.
    pub(crate) ty: Ty,
    pub(crate) description: Vec<String>,
    pub(crate) keywords: Keywords,
}

/// The keywords of a value that its type doesn't imply.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Keywords {
    /// Each name once, in the order in which they are written.
    pub(crate) list: Vec<(&'static str, Setting)>,
    /// The keywords of the elements of a list, or of the values of a map.
    pub(crate) inside: Option<Box<Keywords>>,
}

impl Keywords {
    /// Returns true if there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty() && self.inside.is_none()
    }

    /// Adds a keyword.
    pub(crate) fn set(&mut self, name: &'static str, value: impl Into<Value>) {
        self.list.push((name, Setting::Value(value.into())));
    }

    /// Returns true if there is one of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.list.iter().any(|(known, _)| *known == name)
    }
}

/// The value of a keyword.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Setting {
    Value(Value),
    /// The regular expression of a form of names.
    Pattern {
        #[serde(serialize_with = "terms::serialize")]
        format: NameFormat,
        /// True if letters that must be small may be capital.
        any_case: bool,
    },
}
