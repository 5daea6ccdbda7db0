//! The documents of one release.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::diag::Diagnostics;
use crate::load;
use crate::protobuf::Protos;
use crate::release::Release;
use crate::source::Source;

use super::selection::Kinds;

/// The groups of which a snapshot has all documents. A version of theirs without a document isn't
/// served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Complete {
    /// Nothing is known.
    #[default]
    Unknown,
    /// These groups; the core group is the empty text.
    Groups(BTreeSet<String>),
    /// All groups.
    All,
}

impl Complete {
    pub(super) fn has(&self, group: &str) -> bool {
        match self {
            Self::Unknown => false,
            Self::Groups(groups) => groups.contains(group),
            Self::All => true,
        }
    }
}

/// The documents of one release, or what else is to be compared with another.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The name in reports.
    pub name: String,
    /// The release, if it is known.
    pub release: Option<Release>,
    /// The groups of which a missing document means that a version isn't served.
    pub complete: Complete,
    pub(super) documents: BTreeMap<String, Value>,
    /// The messages of protobuf, if they are known.
    pub(super) protos: Option<Protos>,
    /// True if the texts are ours, and not Kubernetes' own.
    pub(super) has_own_words: bool,
    /// The kinds that it describes, if it leaves out others that the release has.
    pub(super) described: Option<Kinds>,
    /// Places that are known to have differed, in a form that isn't known: schemas, and what is in
    /// them.
    pub(super) gaps: BTreeSet<(String, String)>,
}

impl Snapshot {
    /// Makes a snapshot without documents.
    pub fn new(name: impl Into<String>, release: Option<Release>) -> Self {
        Self {
            name: name.into(),
            release,
            ..Self::default()
        }
    }

    /// Adds the `.proto` files with the numbers of fields.
    ///
    /// # Errors
    ///
    /// When a file can't be read.
    pub fn add_protos(&mut self, sources: &[Source]) -> Result<(), Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let protos = Protos::read(sources, &mut diagnostics);
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        self.protos = Some(protos);
        Ok(())
    }

    /// Adds a document, by the name that Kubernetes gives its file.
    ///
    /// # Errors
    ///
    /// When the text isn't an OpenAPI document of version 3.0 with schemas or paths.
    pub fn add(&mut self, file: &str, source: &Source) -> Result<(), Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let Some(document) = load::read(source, None, &mut diagnostics) else {
            return Err(diagnostics);
        };
        let has = |pointer: &str| document.pointer(pointer).is_some_and(Value::is_object);
        if !has(load::SCHEMAS) && !has("/paths") {
            diagnostics.in_file(
                &source.name,
                None,
                "the document has neither schemas nor paths",
                "an OpenAPI document of a Kubernetes group-version has its types under \
                 components/schemas",
            );
            return Err(diagnostics);
        }
        self.documents.insert(file.to_owned(), document);
        Ok(())
    }

    /// Returns the release of the server that published the documents, if one did and they agree.
    pub fn server_release(&self) -> Option<Release> {
        let releases = self.documents.values().map(server_release);
        let found: BTreeSet<_> = releases.flatten().collect();
        found.first().copied().filter(|_| found.len() == 1)
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Returns whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }
}

/// The release in the version of a document that a server has published, `v1.36.3`. Those of custom
/// resources have another version, `v0.1.0`, which says nothing.
fn server_release(document: &Value) -> Option<Release> {
    if load::is_of_custom_resources(document) {
        return None;
    }
    let version = document.pointer("/info/version").and_then(Value::as_str)?;
    let mut parts = version.trim_start_matches('v').splitn(3, '.');
    let (major, minor) = (parts.next()?, parts.next()?);
    let minor: String = minor.chars().take_while(char::is_ascii_digit).collect();
    format!("{major}.{minor}").parse().ok()
}
