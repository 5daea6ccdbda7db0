//! Where a reader is, and what it has noticed.

use std::collections::HashSet;
use std::fmt::Write;

use super::{Fault, FaultKind, Strict};
use crate::error::{Place, join_name};
use crate::input::tree::Field;

/// How many times its size the places of faults may take of a text, beyond [`HEADROOM`]: names
/// may be long and have many faults in them.
const MAX_GROWTH: usize = 16;

/// What the places of faults may take even in a small text.
const HEADROOM: usize = 1 << 20;

/// A step into a value.
pub(crate) enum Step<'t> {
    Name(&'t str),
    Index(usize),
}

/// The faults of a text.
pub(crate) struct Log {
    /// What the places of more faults may take.
    left: usize,
    faults: Vec<Fault>,
}

impl Log {
    pub(crate) fn new(text: &str) -> Self {
        Self {
            left: text.len().saturating_mul(MAX_GROWTH).saturating_add(HEADROOM),
            faults: Vec::new(),
        }
    }

    /// Takes the faults out that it holds; what they have taken stays counted.
    #[cfg(feature = "yaml")]
    pub(crate) fn take(&mut self) -> Vec<Fault> {
        std::mem::take(&mut self.faults)
    }

    /// Tells what it holds, with the object that was read.
    pub(crate) fn tell<T>(self, object: T) -> Strict<T> {
        Strict {
            object,
            faults: self.faults,
        }
    }
}

/// A walk through one object.
pub(crate) struct Walk<'t, 'l> {
    place: &'l Place,
    log: &'l mut Log,
    steps: Vec<Step<'t>>,
    told: HashSet<(FaultKind, String)>,
}

impl<'t, 'l> Walk<'t, 'l> {
    /// Begins at the object that stands there.
    pub(crate) fn new(place: &'l Place, log: &'l mut Log) -> Self {
        Self {
            place,
            log,
            steps: Vec::new(),
            told: HashSet::new(),
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.steps.len()
    }

    pub(super) fn enter(&mut self, step: Step<'t>) {
        self.steps.push(step);
    }

    /// Leaves all that has been entered since the depth was asked for.
    pub(super) fn leave(&mut self, depth: usize) {
        self.steps.truncate(depth);
    }

    /// Adds a fault, unless one of the kind is known of a field with the same path.
    pub(super) fn once(&mut self, kind: FaultKind, field: &Field<'_>) {
        let path = self.path(&field.name);
        if self.told.insert((kind, path.clone())) {
            self.add(kind, path, field);
        }
    }

    /// Adds a fault.
    #[cfg(feature = "yaml")]
    pub(super) fn each(&mut self, kind: FaultKind, field: &Field<'_>) {
        let path = self.path(&field.name);
        self.add(kind, path, field);
    }

    fn add(&mut self, kind: FaultKind, path: String, field: &Field<'_>) {
        let outer =
            self.place.path.len() + self.place.object.as_ref().map_or(0, String::len);
        let Some(left) = self.log.left.checked_sub(path.len() + outer) else {
            return;
        };
        self.log.left = left;
        let outer = self.place.path.clone();
        let outer = self.steps.iter().fold(outer, |outer, step| match step {
            Step::Name(name) => join_name(&outer, name),
            Step::Index(index) => format!("{outer}[{index}]"),
        });
        let (line, column) = field.position.unzip();
        let place = Place {
            path: join_name(&outer, &field.name),
            line,
            column,
            ..self.place.clone()
        };
        self.log.faults.push(Fault { kind, path, place });
    }

    /// The path as a server writes it, which takes names as they are.
    fn path(&self, name: &str) -> String {
        let mut path = String::new();
        for (depth, step) in self.steps.iter().chain([&Step::Name(name)]).enumerate() {
            // Writing to a string can't fail.
            let _ = match step {
                Step::Name(name) if depth == 0 => write!(path, "{name}"),
                Step::Name(name) => write!(path, ".{name}"),
                Step::Index(index) => write!(path, "[{index}]"),
            };
        }
        path
    }
}
