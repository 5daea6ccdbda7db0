//! The documents of one release.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::config::{Config, DocumentConfig};
use crate::diag::Diagnostics;
use crate::load;
use crate::release::Release;
use crate::source::{DocumentSource, Inputs, Source};

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
    /// True if the texts are ours, and not Kubernetes' own.
    pub(super) has_own_words: bool,
    /// Places that are known to have differed, in a form that isn't known.
    pub(super) gaps: BTreeSet<String>,
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

/// The release in the version of a document that a server has published, `v1.36.3`.
pub(super) fn server_release(document: &Value) -> Option<Release> {
    let version = document.pointer("/info/version").and_then(Value::as_str)?;
    let mut parts = version.trim_start_matches('v').splitn(3, '.');
    let (major, minor) = (parts.next()?, parts.next()?);
    let minor: String = minor.chars().take_while(char::is_ascii_digit).collect();
    format!("{major}.{minor}").parse().ok()
}

/// Facts about documents from our own configuration.
#[derive(Clone, Copy, Debug)]
pub struct Knowledge<'a> {
    /// The configuration, which names the overlays of each document.
    pub config: &'a Config,
    /// The overlays, by file name; other inputs aren't used.
    pub inputs: &'a Inputs,
}

impl<'a> Knowledge<'a> {
    /// Returns true if the configuration has a document of this name.
    pub(super) fn has(&self, file: &str) -> bool {
        let mut all = self.config.crates.iter().flat_map(|krate| &krate.documents);
        all.any(|document| document.file == file)
    }

    /// The configuration of a document that describes a release: of several of one name the first
    /// that is not older, or the last.
    pub(super) fn document(&self, file: &str, release: Release) -> Option<&'a DocumentConfig> {
        let all = self.config.crates.iter().flat_map(|krate| &krate.documents);
        let mut all: Vec<_> = all.filter(|document| document.file == file).collect();
        all.sort_by_key(|document| document.release);
        let serving = all.iter().find(|document| document.release >= release);
        serving.or(all.last()).copied()
    }

    /// A document with the overlays that the configuration has for it at a release.
    pub(super) fn annotated(
        &self,
        document: &Value,
        config: &DocumentConfig,
        release: Release,
    ) -> Result<Value, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let mut annotated = document.clone();
        // Only the name and the release of it are used.
        let input = DocumentSource {
            source: Source::new(config.file.clone(), ""),
            release,
        };
        for name in &config.overlays {
            let source = self.inputs.overlays.get(name);
            let overlay = source.and_then(|source| load::Overlay::parse(source, &mut diagnostics));
            if let Some(overlay) = overlay {
                overlay.apply_to_any_version(
                    &mut annotated,
                    &input,
                    &config.prefix,
                    &mut diagnostics,
                );
            }
        }
        if diagnostics.is_empty() {
            load::wrap_bare(&mut annotated);
            return Ok(annotated);
        }
        Err(diagnostics)
    }
}
