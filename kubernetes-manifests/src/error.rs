//! What can be wrong with input, and where.

use std::fmt;

use k8s_openapi::serde_json;
use kubernetes_kinds::convert::ConversionError;
use kubernetes_kinds::{GroupVersion, GroupVersionKind};

/// Where something stands in the input, as far as that is known.
///
/// Shown as `document 2, CSINode node-1, spec.drivers[0].name (line 7, column 5)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The document of a stream, counted from 1; documents that hold nothing don't count.
    pub document: Option<usize>,
    /// The kind, and the name where there is one, of the outermost object of the document.
    pub object: Option<String>,
    /// The field, `items[2].spec.drivers[0].name`; empty for the whole object.
    pub path: String,
    /// The line of the input, counted from 1.
    pub line: Option<usize>,
    /// The column in that line, counted from 1.
    pub column: Option<usize>,
}

impl Place {
    pub(crate) fn document(number: usize) -> Self {
        Self {
            document: Some(number),
            ..Self::default()
        }
    }

    /// An item of the list that stands here.
    pub(crate) fn item(&self, index: usize) -> Self {
        Self {
            path: join(&self.path, &format!("items[{index}]")),
            ..self.clone()
        }
    }

    fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let document = self.document.map(|number| format!("document {number}"));
        let path = (!self.path.is_empty()).then(|| self.path.clone());
        let parts: Vec<String> =
            [document, self.object.clone(), path].into_iter().flatten().collect();
        f.write_str(&parts.join(", "))?;
        let Some(line) = self.line else {
            return Ok(());
        };
        let (open, close) = if parts.is_empty() {
            ("", "")
        } else {
            (" (", ")")
        };
        write!(f, "{open}line {line}")?;
        if let Some(column) = self.column {
            write!(f, ", column {column}")?;
        }
        f.write_str(close)
    }
}

/// One path inside another.
pub(crate) fn join(outer: &str, inner: &str) -> String {
    match (outer, inner) {
        ("", path) | (path, "") => path.to_owned(),
        (outer, inner) if inner.starts_with('[') => format!("{outer}{inner}"),
        (outer, inner) => format!("{outer}.{inner}"),
    }
}

/// The path of a field inside another, with its name in brackets if that isn't a plain one.
pub(crate) fn join_name(outer: &str, name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain && !name.is_empty() {
        join(outer, name)
    } else {
        format!("{outer}[{name}]")
    }
}

/// What follows the field `name` at the start of a path.
#[cfg(feature = "yaml")]
pub(crate) fn after<'p>(name: &str, path: &'p str) -> Option<&'p str> {
    let bracketed = || path.strip_prefix(&format!("[{name}]"));
    let rest = path.strip_prefix(name).or_else(bracketed)?;
    (rest.is_empty() || rest.starts_with(['.', '['])).then_some(rest)
}

/// Whether this is the list of kubectl, which holds objects of any kinds.
pub(crate) fn is_plain_list(kind: &GroupVersionKind) -> bool {
    kind.group_version == GroupVersion::from_static("", "v1") && kind.kind == "List"
}

/// What can go wrong in decoding, converting and writing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The input is not JSON or YAML, or exceeds what a reader takes on.
    Syntax {
        /// What is wrong.
        message: String,
    },
    /// The input holds no document, or more than one, where one is asked for.
    Documents {
        /// How many there are.
        found: usize,
    },
    /// `apiVersion` or `kind` is absent.
    Unnamed {
        /// Which of them.
        field: &'static str,
    },
    /// Nobody has registered the kind.
    NotRegistered {
        /// The kind.
        found: GroupVersionKind,
        /// Kinds that are registered: those of that name, otherwise those of the group,
        /// otherwise all.
        registered: Vec<GroupVersionKind>,
    },
    /// No conversions lead from the one to the other.
    NoRoute {
        /// The kind that was read.
        from: GroupVersionKind,
        /// The kind or the group and version that is wanted.
        to: String,
    },
    /// A field has the wrong shape or says the wrong thing.
    Shape {
        /// What is wrong.
        message: String,
    },
    /// The object can't be converted.
    Conversion(ConversionError),
    /// The object can't be written.
    Unwritable {
        /// What is wrong.
        message: String,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { message } | Self::Shape { message } => f.write_str(message),
            Self::Documents { found: 0 } => {
                f.write_str("there is no document, where one is asked for")
            }
            Self::Documents { found } => write!(
                f,
                "{found} documents, where one is asked for; decode a stream with \
                 decode_json_all or decode_yaml_all"
            ),
            Self::Unnamed { field } => write!(
                f,
                "{field} is missing; every object has to name its apiVersion and kind"
            ),
            Self::NotRegistered { found, registered } => {
                not_registered(f, found, registered)
            }
            Self::NoRoute { from, to } => write!(
                f,
                "nothing leads from {from} to {to}; ask for a kind that it can become, or \
                 register the conversions"
            ),
            Self::Conversion(error) => error.fmt(f),
            Self::Unwritable { message } => write!(f, "can't be written: {message}"),
        }
    }
}

fn not_registered(
    f: &mut fmt::Formatter<'_>,
    found: &GroupVersionKind,
    registered: &[GroupVersionKind],
) -> fmt::Result {
    write!(f, "{found} is not registered")?;
    if is_plain_list(found) {
        return f
            .write_str("; decode its items with decode_json_all or decode_yaml_all");
    }
    match registered {
        [] => f.write_str("; the scheme is empty"),
        registered => {
            let registered: Vec<_> =
                registered.iter().map(ToString::to_string).collect();
            write!(f, "; registered are {}", registered.join(", "))
        }
    }
}

/// Why something can't be decoded, converted or written, and where.
///
/// ```
/// use kubernetes_manifests::scheme::{Reason, Scheme};
///
/// let error = Scheme::new().decode_json_all(r#"{"kind": "CSINode"}"#).unwrap_err();
/// assert!(matches!(error.reason(), Reason::Unnamed { field: "apiVersion" }));
/// assert_eq!(error.place().document, Some(1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemeError {
    place: Box<Place>,
    reason: Box<Reason>,
}

impl SchemeError {
    /// A fault at a path inside of an object.
    pub(crate) fn new(path: impl Into<String>, reason: Reason) -> Self {
        let place = Place {
            path: path.into(),
            ..Place::default()
        };
        Self {
            place: Box::new(place),
            reason: Box::new(reason),
        }
    }

    pub(crate) fn json(path: String, error: &serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let end = format!(" at line {line} column {column}");
        let message = message.strip_suffix(&end).unwrap_or(&message).to_owned();
        let reason = if error.is_data() {
            Reason::Shape { message }
        } else {
            Reason::Syntax { message }
        };
        // A value in memory has no lines, which is told as line 0.
        let position = (line > 0).then_some((line, column));
        Self::new(path, reason).on(position)
    }

    /// The same at a line and column.
    pub(crate) fn on(mut self, position: Option<(usize, usize)>) -> Self {
        (self.place.line, self.place.column) = position.unzip();
        self
    }

    /// The same of an object that stands at `outer`.
    pub(crate) fn at(mut self, outer: &Place) -> Self {
        let inner = &mut *self.place;
        inner.document = outer.document;
        inner.object = inner.object.take().or_else(|| outer.object.clone());
        inner.path = join(&outer.path, &inner.path);
        self
    }

    /// The same in a text of which this was only what follows `before`.
    pub(crate) fn after(mut self, before: &[u8]) -> Self {
        let lines = before.iter().filter(|byte| **byte == b'\n').count();
        if let Some(line) = &mut self.place.line {
            if *line == 1
                && let Some(column) = &mut self.place.column
            {
                let last = before.rsplit(|byte| *byte == b'\n').next();
                *column += last.map_or(0, <[u8]>::len);
            }
            *line += lines;
        }
        self
    }

    /// Where it went wrong.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// What went wrong.
    #[must_use]
    pub fn reason(&self) -> &Reason {
        &self.reason
    }
}

impl From<Reason> for SchemeError {
    fn from(reason: Reason) -> Self {
        let path = match &reason {
            Reason::Conversion(error) => error.path().to_string(),
            _ => String::new(),
        };
        Self::new(path, reason)
    }
}

impl fmt::Display for SchemeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_unknown() {
            write!(f, "{}: ", self.place)?;
        }
        match &*self.reason {
            // The place ends with the path that the error would tell.
            Reason::Conversion(error) => {
                let message = error.to_string();
                let path = format!("{}: ", error.path());
                f.write_str(message.strip_prefix(&path).unwrap_or(&message))
            }
            reason => reason.fmt(f),
        }
    }
}

impl std::error::Error for SchemeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.reason {
            Reason::Conversion(error) => Some(error),
            _ => None,
        }
    }
}
