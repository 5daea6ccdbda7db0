//! Errors of input, and their locations.

use std::fmt;

use k8s_openapi::serde_json;
use kubernetes_kinds::convert::ConversionError;
use kubernetes_kinds::{FieldPath, GroupVersion, GroupVersionKind, Segment};

/// A location in the input, as far as it is known.
///
/// Shown as `document 2, CSINode node-1, spec.drivers[0].name (line 7, column 5)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The document of a stream, counted from 1; empty documents don't count.
    pub document: Option<usize>,
    /// The kind and, if it has one, the name of the outermost object of the document.
    pub object: Option<String>,
    /// The field, `items[2].spec.drivers[0].name`; empty for the whole object. A name that has
    /// other characters than letters, digits and `_` is a [`Segment::Key`].
    pub path: FieldPath,
    /// The line of the input, counted from 1.
    pub line: Option<usize>,
    /// The column in that line, counted from 1.
    pub column: Option<usize>,
}

impl Location {
    pub(crate) fn document(number: usize) -> Self {
        Self {
            document: Some(number),
            ..Self::default()
        }
    }

    /// Returns the location of an item of the list at this location.
    pub(crate) fn item(&self, index: usize) -> Self {
        let item = [Segment::Field("items".into()), Segment::Index(index)];
        Self {
            path: join(&self.path, &item),
            ..self.clone()
        }
    }

    fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let document = self.document.map(|number| format!("document {number}"));
        let path = Some(self.path.to_string()).filter(|path| !path.is_empty());
        let mut parts = Vec::new();
        for part in [document, self.object.clone(), path] {
            parts.extend(part);
        }
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

/// Returns one path inside another.
fn join(outer: &FieldPath, inner: &[Segment]) -> FieldPath {
    outer.segments().iter().chain(inner).cloned().collect()
}

/// Returns true if a kind is the `v1` `List` of kubectl, which holds objects of any kinds.
pub(crate) fn is_plain_list(kind: &GroupVersionKind) -> bool {
    kind.group_version == GroupVersion::from_static("", "v1") && kind.kind == "List"
}

/// The reason of a [`SchemeError`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The input is not JSON or YAML, or exceeds the limits of the reader.
    Syntax {
        /// The message.
        message: String,
    },
    /// The input holds no document or several, where exactly one is expected.
    Documents {
        /// The number of documents.
        found: usize,
    },
    /// `apiVersion` or `kind` is absent.
    Unnamed {
        /// The name of the absent field.
        field: &'static str,
    },
    /// The kind is not registered.
    NotRegistered {
        /// The kind.
        found: GroupVersionKind,
        /// Similar registered kinds: those of the same name, otherwise those of the group,
        /// otherwise all.
        registered: Vec<GroupVersionKind>,
    },
    /// No route of conversions leads from one kind to the other.
    NoRoute {
        /// The kind that was read.
        from: GroupVersionKind,
        /// The requested kind, or the requested group and version.
        to: String,
    },
    /// A field has the wrong type or value.
    Shape {
        /// The message.
        message: String,
    },
    /// The object can't be converted.
    Conversion(ConversionError),
    /// The object can't be written.
    Unwritable {
        /// The message.
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
            Self::NotRegistered { found, registered } => not_registered(f, found, registered),
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
        return f.write_str("; decode its items with decode_json_all or decode_yaml_all");
    }
    match registered {
        [] => f.write_str("; the scheme is empty"),
        registered => {
            let registered: Vec<_> = registered.iter().map(ToString::to_string).collect();
            write!(f, "; registered are {}", registered.join(", "))
        }
    }
}

/// An error in decoding, converting or writing, with its location.
///
/// ```
/// use kubernetes_manifests::scheme::{Reason, Scheme};
///
/// let error = Scheme::new().decode_json_all(r#"{"kind": "CSINode"}"#).unwrap_err();
/// assert!(matches!(error.reason(), Reason::Unnamed { field: "apiVersion" }));
/// assert_eq!(error.location().document, Some(1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemeError {
    location: Box<Location>,
    reason: Box<Reason>,
}

impl SchemeError {
    /// Returns an error at a path.
    pub(crate) fn new(path: FieldPath, reason: Reason) -> Self {
        let location = Location {
            path,
            ..Location::default()
        };
        Self {
            location: Box::new(location),
            reason: Box::new(reason),
        }
    }

    /// Returns an error of `serde_json` at a path.
    pub(crate) fn json(path: FieldPath, error: &serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let end = format!(" at line {line} column {column}");
        let message = message.strip_suffix(&end).unwrap_or(&message).to_owned();
        let reason = if error.is_data() {
            Reason::Shape { message }
        } else {
            Reason::Syntax { message }
        };
        // A value in memory has line 0.
        let position = (line > 0).then_some((line, column));
        Self::new(path, reason).on(position)
    }

    /// Returns a syntax error of JSON.
    pub(crate) fn syntax(error: &serde_json::Error) -> Self {
        Self::json(FieldPath::default(), error)
    }

    /// Returns an error at a field of an object.
    pub(crate) fn field(name: &'static str, reason: Reason) -> Self {
        Self::new([Segment::Field(name.into())].into_iter().collect(), reason)
    }

    /// Sets the line and column.
    pub(crate) fn on(mut self, position: Option<(usize, usize)>) -> Self {
        (self.location.line, self.location.column) = position.unzip();
        self
    }

    /// Sets the line and column unless they are known.
    #[cfg(feature = "yaml")]
    pub(crate) fn or_on(self, position: impl FnOnce(&FieldPath) -> Option<(usize, usize)>) -> Self {
        if self.location.line.is_some() {
            return self;
        }
        let position = position(&self.location.path);
        self.on(position)
    }

    /// Sets the document and, unless it is known, the object.
    pub(crate) fn of(mut self, outer: &Location) -> Self {
        let inner = &mut *self.location;
        inner.document = outer.document;
        inner.object = inner.object.take().or_else(|| outer.object.clone());
        self
    }

    /// Moves the error of an object to the location of the object.
    pub(crate) fn at(mut self, outer: &Location) -> Self {
        self.location.path = join(&outer.path, self.location.path.segments());
        self.of(outer)
    }

    /// Adds the lines and columns of the text before the document.
    pub(crate) fn after(mut self, before: &str) -> Self {
        let lines = before.matches('\n').count();
        if let Some(line) = &mut self.location.line {
            if *line == 1
                && let Some(column) = &mut self.location.column
            {
                let last = before.rsplit('\n').next();
                *column += last.map_or(0, str::len);
            }
            *line += lines;
        }
        self
    }

    /// Returns the location of the error.
    #[must_use]
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Returns the reason for the error.
    #[must_use]
    pub fn reason(&self) -> &Reason {
        &self.reason
    }
}

impl From<Reason> for SchemeError {
    fn from(reason: Reason) -> Self {
        let path = match &reason {
            Reason::Conversion(error) => error.path().clone(),
            _ => FieldPath::default(),
        };
        Self::new(path, reason)
    }
}

impl fmt::Display for SchemeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.location.is_unknown() {
            write!(f, "{}: ", self.location)?;
        }
        match &*self.reason {
            // The location ends with the path of the error.
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
