//! Diagnostics: an error with its location and help, collected over a whole run.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use crate::pointer::Pointer;
use crate::source::Source;

/// A place in a document that is read, where errors can be reported.
#[derive(Clone)]
pub(crate) struct Spot<'a> {
    file: &'a str,
    pub(crate) pointer: Pointer,
    // A place and those inside of it are at hand together, and each can report.
    diagnostics: &'a RefCell<&'a mut Diagnostics>,
}

impl<'a> Spot<'a> {
    /// A document as a whole.
    pub(crate) fn root(file: &'a str, diagnostics: &'a RefCell<&'a mut Diagnostics>) -> Self {
        Self {
            file,
            pointer: Pointer::root(),
            diagnostics,
        }
    }

    /// Another place of the document.
    pub(crate) fn at(&self, pointer: Pointer) -> Self {
        Self {
            pointer,
            ..self.clone()
        }
    }

    /// The place of the member `key`.
    pub(crate) fn child(&self, key: impl fmt::Display) -> Self {
        self.at(self.pointer.child(key))
    }

    pub(crate) fn report(&self, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics
            .borrow_mut()
            .at(self.file, &self.pointer, message, help);
    }

    /// Reports an error that makes the value useless.
    pub(crate) fn refuse<T>(
        &self,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Option<T> {
        self.report(message, help);
        None
    }
}

/// One error of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file that is wrong, as the caller named it.
    pub file: String,
    /// The place in the document, if it is about one.
    pub pointer: Option<Pointer>,
    /// The line of that place, counted from 1, if it is known.
    pub line: Option<usize>,
    /// The message.
    pub message: String,
    /// A hint on mending it.
    pub help: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error: {}", self.message)?;
        write!(f, "  --> {}", self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(pointer) = &self.pointer {
            write!(f, " at {pointer}")?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

/// The errors of a run, in the order in which they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Adds an error.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        // One error can be met from several places, such as every use of a broken type.
        if !self.0.contains(&diagnostic) {
            self.0.push(diagnostic);
        }
    }

    /// Adds an error at a place of a document.
    pub fn at(
        &mut self,
        file: &str,
        pointer: &Pointer,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(Diagnostic {
            file: file.to_owned(),
            pointer: Some(pointer.clone()),
            line: None,
            message: message.into(),
            help: Some(help.into()),
        });
    }

    /// Adds an error of a file, at a line of it if it is known.
    pub fn in_file(
        &mut self,
        file: &str,
        line: Option<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(Diagnostic {
            file: file.to_owned(),
            pointer: None,
            line,
            message: message.into(),
            help: Some(help.into()),
        });
    }

    /// Renames the files, such as to the paths that the caller knows.
    #[must_use]
    pub fn renamed(mut self, name: impl Fn(&str) -> Option<String>) -> Self {
        for diagnostic in &mut self.0 {
            if let Some(name) = name(&diagnostic.file) {
                diagnostic.file = name;
            }
        }
        self
    }

    /// Names the files that schemas come from in the errors of a document that has several.
    pub(crate) fn spread(&mut self, file: &str, files: &BTreeMap<String, String>) {
        let mine = self.0.iter_mut().filter(|d| d.file == file);
        for diagnostic in mine.filter(|_| !files.is_empty()) {
            let schema = diagnostic.pointer.as_ref().and_then(Pointer::in_schema);
            if let Some(file) = schema.and_then(|schema| files.get(&schema)) {
                diagnostic.file.clone_from(file);
            }
        }
    }

    /// Returns true if nothing was found.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of errors.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The errors.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }

    /// Fills in the lines that can be found in the sources, so that it is done only for documents
    /// that have errors.
    pub(crate) fn locate<'a>(&mut self, sources: impl IntoIterator<Item = &'a Source>) {
        for source in sources {
            let mine = self
                .0
                .iter_mut()
                .filter(|d| d.file == source.name && d.line.is_none());
            let mut open: Vec<_> = mine.filter(|d| d.pointer.is_some()).collect();
            if open.is_empty() {
                continue;
            }
            let lines = source.lines();
            for diagnostic in &mut open {
                let found = diagnostic.pointer.as_ref().and_then(|p| lines.of(p));
                diagnostic.line = found.map(|place| place.line);
                if let (Some(false), Some(help)) =
                    (found.map(|place| place.exact), &mut diagnostic.help)
                {
                    help.push_str("; the place itself comes from an overlay");
                }
            }
        }
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diagnostic in &self.0 {
            writeln!(f, "{diagnostic}\n")?;
        }
        let count = self.0.len();
        write!(f, "{count} error{}", if count == 1 { "" } else { "s" })
    }
}

impl std::error::Error for Diagnostics {}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
