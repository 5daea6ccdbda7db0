//! Facts from our own configuration: the overlays of documents, and what is generated.

use serde_json::Value;

use crate::config::{Config, CrateConfig, DocumentConfig};
use crate::diag::Diagnostics;
use crate::load;
use crate::release::Release;
use crate::source::{DocumentSource, Inputs, Source};

use super::api::Api;
use super::selection::Kinds;

/// Facts about documents from our own configuration.
#[derive(Clone, Copy, Debug)]
pub struct Knowledge<'a> {
    /// The configuration, which names the kinds and the overlays of each document.
    pub config: &'a Config,
    /// The overlays, and the documents, which say what group each is of.
    pub inputs: &'a Inputs,
    /// True if the overlays are applied to documents that are compared.
    pub applies_overlays: bool,
}

impl<'a> Knowledge<'a> {
    /// Returns the kinds that are generated: of each group those that its documents name, or all
    /// if one of them names none, in any version.
    pub fn kinds(&self) -> Kinds {
        let mut kinds = Kinds::default();
        for (_, config) in self.documents() {
            if let Some(group) = self.group(config) {
                kinds.add(&group, &config.kinds);
            }
        }
        kinds
    }

    fn documents(&self) -> impl Iterator<Item = (&'a CrateConfig, &'a DocumentConfig)> {
        let crates = self.config.crates.iter();
        crates.flat_map(|krate| krate.documents.iter().map(move |config| (krate, config)))
    }

    /// The group of a document, by its text, or by its name if it isn't there.
    fn group(&self, config: &DocumentConfig) -> Option<String> {
        let input = self.inputs.documents.get(&config.path());
        let read = input.and_then(|input| {
            let prefix = Some(config.prefix.as_str());
            load::read(&input.source, prefix, &mut Diagnostics::default())
        });
        let api = read.and_then(|document| Api::of(&config.file, &document, None));
        let named = || config.file.strip_prefix("apis__")?.split("__").next();
        match api {
            Some(api) => api.is_served.then(|| api.group().to_owned()),
            None => named().map(str::to_owned),
        }
    }

    /// The configuration of a document that describes a release: of several of one name the first
    /// that is not older, or the last. A custom resource's document may have another name.
    pub(super) fn document(
        &self,
        file: &str,
        document: &Value,
        release: Option<Release>,
    ) -> Option<(&'a CrateConfig, &'a DocumentConfig)> {
        let is_custom = load::is_of_custom_resources(document);
        let is_meant = |config: &DocumentConfig| match is_custom {
            true => has_schemas(document, &config.prefix),
            false => config.file == file,
        };
        let all = self.documents().filter(|(_, config)| is_meant(config));
        let mut all: Vec<_> = all.collect();
        all.sort_by_key(|(_, config)| config.release);
        let serves = |config: &DocumentConfig| release.is_none_or(|at| config.release >= at);
        let serving = all.iter().find(|(_, config)| serves(config));
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

/// Returns true if a document has schemas of a prefix.
fn has_schemas(document: &Value, prefix: &str) -> bool {
    let schemas = document.pointer(load::SCHEMAS).and_then(Value::as_object);
    let mut names = schemas.into_iter().flatten().map(|(name, _)| name);
    names.any(|name| name.starts_with(prefix))
}
