//! Input files as text, and the lines of their parts.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions};

use crate::load::error::Error;
use crate::manifest::{self, Definition};
use crate::pointer::Pointer;
use crate::release::Release;

/// The largest document that is read; Kubernetes' own stay below 3 MB.
const MAX_BYTES: usize = 64 << 20;

/// A document, overlay or configuration as text.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name in diagnostics and headers: a path relative to the root that the caller chooses.
    pub name: String,
    /// The text.
    pub text: String,
    /// The CustomResourceDefinitions in it, once they have been read: a file is asked for each of
    /// its versions, and YAML is slow to read.
    definitions: OnceLock<Arc<[Definition]>>,
}

impl Source {
    /// A source of the given name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            definitions: OnceLock::new(),
        }
    }

    /// The CustomResourceDefinitions in the text, which is read once.
    pub(crate) fn definitions(&self) -> Result<&[Definition], Error> {
        if let Some(known) = self.definitions.get() {
            return Ok(known);
        }
        self.check_size()?;
        let read = manifest::definitions(&self.text)?;
        Ok(self.definitions.get_or_init(|| read.into()))
    }

    /// Refuses a text that is too large to be read.
    pub(crate) fn check_size(&self) -> Result<(), Error> {
        let (size, limit) = (self.text.len() >> 20, MAX_BYTES >> 20);
        match self.text.len() > MAX_BYTES {
            true => Err((
                None,
                format!("the document is {size} MiB; the limit is {limit} MiB"),
                "Kubernetes writes one document a group-version: name only those you need",
            )),
            false => Ok(()),
        }
    }

    /// Drops the text if it isn't asked for any more: it has manifests in YAML, and their
    /// definitions have been read. Errors in YAML name no line of a schema.
    pub fn drop_read_text(&mut self) {
        if manifest::is_manifest(&self.name) && self.definitions.get().is_some() {
            self.text = String::new();
        }
    }

    /// The number of the line that a byte is in, counted from 1.
    pub(crate) fn line_at(&self, byte: usize) -> Option<usize> {
        let before = self.text.as_bytes().get(..byte)?;
        Some(before.iter().filter(|byte| **byte == b'\n').count() + 1)
    }

    /// The lines of a JSON text. This parses it a second time, so it is for errors only.
    pub(crate) fn lines(&self) -> Lines<'_> {
        let parsed = jsonc_parser::parse_to_ast(
            &self.text,
            &CollectOptions::default(),
            &ParseOptions::default(),
        );
        Lines {
            source: self,
            root: parsed.ok().and_then(|parsed| parsed.value),
        }
    }
}

/// The texts that a run works on, by the names that the configuration gives them.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// The documents, by [`crate::DocumentConfig::path`].
    pub documents: BTreeMap<String, DocumentSource>,
    /// The `.proto` files with the numbers of fields.
    pub protos: Vec<Source>,
    /// The overlays, by file name.
    pub overlays: BTreeMap<String, Source>,
}

/// A document and the release that it describes.
#[derive(Clone, Debug)]
pub struct DocumentSource {
    /// The text.
    pub source: Source,
    /// The release, which decides what overlays say of it.
    pub release: Release,
}

/// Finds the lines of places in one JSON text.
pub(crate) struct Lines<'a> {
    source: &'a Source,
    root: Option<Value<'a>>,
}

/// A line, and whether what was looked for is there or would only be inside of it.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) exact: bool,
}

impl Lines<'_> {
    /// The place, or the nearest place around it that the text has: what an overlay added has
    /// no line of its own.
    pub(crate) fn of(&self, pointer: &Pointer) -> Option<Place> {
        let mut place = self.root.as_ref()?;
        let mut start = place.start();
        let mut exact = true;
        for segment in pointer.segments() {
            let next = match place {
                Value::Object(object) => object
                    .get(&segment)
                    .map(|found| (&found.value, found.start())),
                Value::Array(array) => {
                    let item = segment
                        .parse()
                        .ok()
                        .and_then(|i: usize| array.elements.get(i));
                    item.map(|found| (found, found.start()))
                }
                _ => None,
            };
            let Some((value, at)) = next else {
                exact = false;
                break;
            };
            place = value;
            start = at;
        }
        let line = self.source.line_at(start)?;
        Some(Place { line, exact })
    }
}
