//! Where in an object something is while it is being walked.

use std::borrow::Cow;

use kubernetes_kinds::{FieldPath, Segment};

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
            Step::Key(key) => Some(Segment::Key(key.to_owned())),
        });
    }
}
