//! The path of a field while an object is validated.

use std::borrow::Cow;

use kubernetes_kinds::{FieldPath, Segment};

/// The path of a field while an object is validated, kept on the stack.
///
/// A server reports some errors with another path than that of the field: further up, under
/// another name, without an index, or not at all. The methods `reported_above`, `reported_as`,
/// `reported_without_index` and `reported_at` mirror that in [`Error::field`](crate::Error::field);
/// [`Error::path`](crate::Error::path) is exact.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
    /// The number of steps further up at which the server reports an error.
    above: usize,
    /// True if the server omits the step before this one.
    skips_parent: bool,
    /// The path that the server reports instead of the whole path.
    instead: Option<&'static str>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root,
    Field {
        name: &'static str,
        reported: &'static str,
    },
    Index(usize),
    Key(&'a str),
    /// An entry of a map that is reported as if it were a field.
    KeyAsField(&'a str),
}

impl<'a> Path<'a> {
    /// The path of the object itself.
    pub const ROOT: Path<'static> = Path {
        parent: None,
        step: Step::Root,
        above: 0,
        skips_parent: false,
        instead: None,
    };

    /// Returns the path of the field of that name.
    #[must_use]
    pub const fn field(&'a self, name: &'static str) -> Self {
        self.below(Step::Field {
            name,
            reported: name,
        })
    }

    /// Returns the path of the element at that index.
    #[must_use]
    pub const fn index(&'a self, index: usize) -> Self {
        self.below(Step::Index(index))
    }

    /// Returns the path of the entry with that key.
    #[must_use]
    pub const fn key(&'a self, key: &'a str) -> Self {
        self.below(Step::Key(key))
    }

    /// Returns the path of the entry with that key, reported as if it were a field. Mirrors a
    /// server that doesn't tell maps from objects.
    #[must_use]
    pub const fn key_as_field(&'a self, key: &'a str) -> Self {
        self.below(Step::KeyAsField(key))
    }

    /// Returns the same path, reported `steps` further up. Mirrors a server that reports the
    /// errors of a field or element at what holds it.
    #[must_use]
    pub const fn reported_above(self, steps: usize) -> Self {
        Self {
            above: steps,
            ..self
        }
    }

    /// Returns the path of the same field, reported under another name. Mirrors a server that
    /// misspells the field.
    #[must_use]
    pub const fn reported_as(self, reported: &'static str) -> Self {
        match self.step {
            Step::Field { name, .. } => Self {
                step: Step::Field { name, reported },
                ..self
            },
            _ => self,
        }
    }

    /// Returns the path of the same field, reported without the index of the element that holds
    /// it. Mirrors a server that reports the fields of elements as if the list were one object.
    #[must_use]
    pub const fn reported_without_index(self) -> Self {
        Self {
            skips_parent: true,
            ..self
        }
    }

    /// Returns the same path, reported as `path`, wherever it is. Mirrors a server that names no
    /// path of the object.
    #[must_use]
    pub const fn reported_at(self, path: &'static str) -> Self {
        Self {
            instead: Some(path),
            ..self
        }
    }

    const fn below(&'a self, step: Step<'a>) -> Self {
        Path {
            parent: Some(self),
            step,
            above: 0,
            skips_parent: false,
            instead: None,
        }
    }

    fn ancestor(&self, steps: usize) -> &Self {
        match (steps, self.parent) {
            (0, _) | (_, None) => self,
            (_, Some(parent)) => parent.ancestor(steps - 1),
        }
    }

    /// Returns the path that the server reports.
    pub(super) fn reported(&self) -> String {
        if let Some(path) = self.instead {
            return path.to_owned();
        }
        let mut text = String::new();
        self.ancestor(self.above).write_reported(&mut text);
        text
    }

    fn write_reported(&self, text: &mut String) {
        if let Some(parent) = self.parent {
            parent
                .ancestor(usize::from(self.skips_parent))
                .write_reported(text);
        }
        match self.step {
            Step::Root => {}
            Step::Field { reported, .. } | Step::KeyAsField(reported) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(reported);
            }
            Step::Index(index) => text.push_str(&format!("[{index}]")),
            Step::Key(key) => text.push_str(&format!("[{key}]")),
        }
    }

    /// Returns the exact path.
    pub(super) fn exact(&self) -> FieldPath {
        let mut segments = Vec::new();
        self.collect(&mut segments);
        segments.into_iter().collect()
    }

    fn collect(&self, segments: &mut Vec<Segment>) {
        if let Some(parent) = self.parent {
            parent.collect(segments);
        }
        segments.extend(match self.step {
            Step::Root => None,
            Step::Field { name, .. } => Some(Segment::Field(Cow::Borrowed(name))),
            Step::Index(index) => Some(Segment::Index(index)),
            Step::Key(key) | Step::KeyAsField(key) => Some(Segment::Key(key.to_owned())),
        });
    }
}
