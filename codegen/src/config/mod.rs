//! The configuration: which documents become which crate, and where other schemas live.

mod bundle;
mod conversion;
mod dependencies;
mod derives;
mod document;
mod externs;
mod grpc;
mod k8s_openapi;
mod parts;
mod protobuf;
mod replacements;
mod standalone;

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::diag::Diagnostics;
use crate::name::{HandWritten, RulePath};
use crate::release::Release;
use crate::source::Source;

pub use bundle::Bundle;
pub use conversion::{Conversion, ConversionRule};
pub use derives::Derive;
pub(crate) use derives::Derived;
pub use document::DocumentConfig;
pub use externs::Extern;
pub use grpc::{Grpc, GrpcRules};
pub use k8s_openapi::K8sOpenapi;
pub use parts::{Part, Parts};
pub use protobuf::{NumberedTypes, Protobuf};
pub use standalone::Standalone;

/// The contents of `codegen.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The newest Kubernetes release that is known: that of documents that say no other, and of
    /// what older ones are as of.
    pub newest: Option<Release>,
    /// The crates, in the order in which they are generated.
    #[serde(rename = "crate", default)]
    pub crates: Vec<CrateConfig>,
    /// The releases that k8s-openapi has, if any document says where it has its types.
    #[serde(rename = "k8s-openapi")]
    pub k8s_openapi: Option<K8sOpenapi>,
    /// The crate that bundles all of them, if there is to be one.
    pub bundle: Option<Bundle>,
    /// The numbers of fields in protobuf, if there are any.
    pub protobuf: Option<Protobuf>,
    /// The modules that are made from `.proto` files.
    #[serde(default)]
    pub grpc: Vec<Grpc>,
    /// Schemas that other crates already have.
    #[serde(rename = "extern", default)]
    pub externs: Vec<Extern>,
}

/// One generated crate.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrateConfig {
    /// The crate's name, which is also its folder's.
    pub name: String,
    /// The summary for the manifest and the first line of its documentation.
    pub description: String,
    /// Further words for its documentation, in Markdown.
    #[serde(default)]
    pub about: String,
    /// The documents, each of one group-version.
    #[serde(rename = "document", default)]
    pub documents: Vec<DocumentConfig>,
    /// The modules that are written by hand beside what is generated: `FILE` or
    /// `MODULE::FILE`, after `pub ` if they are public.
    #[serde(rename = "by-hand", default)]
    pub by_hand: Vec<String>,
    /// The module of the functions that `x-check`, `x-warn`, `x-set-defaults` and `x-same` of
    /// overlays name without a path: `crate::rules`, a hand-written module of this crate, which is
    /// private, or a module of another crate.
    pub rules: Option<String>,
    /// The packages of the workspace with hand-written rules that `rules` names or calls. The
    /// feature `validation` brings them.
    #[serde(rename = "rules-packages", default)]
    pub rules_packages: Vec<String>,
    /// A hand-written module whose items the prelude has too, of this crate, `crate::topology`, or
    /// of another one.
    pub prelude: Option<String>,
    /// True if its structs keep the fields that they don't know and write them back, in a field
    /// `unknown_fields` of their own. A crate and the one into which it is converted agree on it.
    #[serde(rename = "keep-unknown-fields", default)]
    pub keep_unknown_fields: bool,
    /// The conversion of its types into those of another crate.
    pub conversion: Option<Conversion>,
    /// The parts that it has beside its types; all but the definitions if none is given.
    #[serde(default)]
    pub parts: Parts,
    /// Further derives of its types: `Eq`, `Boat=Eq`, `@struct=Eq` or `@enum=derive_more::Display`.
    #[serde(default)]
    pub derives: Vec<Derive>,
    /// Types of other crates for objects in its documents: for a generated type, or a place in the
    /// objects of a kind: `"Boat.spec.owner" = "k8s_openapi::api::core::v1::ObjectReference"`.
    #[serde(default)]
    pub types: BTreeMap<String, String>,
    /// True if objects that are like `Condition` and `ObjectReference` of k8s-openapi are of these
    /// types.
    #[serde(rename = "known-types", default)]
    pub known_types: bool,
    /// Further dependencies, as in the manifest of a crate.
    #[serde(default)]
    pub dependencies: BTreeMap<String, toml::Value>,
    /// True if it is no crate but a file, a module for a crate of the user's own. It has types and
    /// builders only.
    #[serde(rename = "single-file", default)]
    pub single_file: bool,
    /// The facts of its manifest if it inherits nothing from a workspace. It then has a README.
    pub standalone: Option<Standalone>,
}

impl Config {
    /// Reads the configuration.
    ///
    /// # Errors
    ///
    /// When it isn't TOML of this form, or names what can't be a crate or module.
    pub fn parse(source: &Source) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let mut config: Self = match toml::from_str(&source.text) {
            Ok(config) => config,
            Err(error) => {
                let line = error.span().and_then(|span| source.line_at(span.start));
                let help = "see the comments in codegen.toml";
                diagnostics.in_file(&source.name, line, error.message(), help);
                return Err(diagnostics);
            }
        };
        config.check(&mut |message, help| {
            diagnostics.in_file(&source.name, None, message, help);
        });
        if diagnostics.is_empty() {
            Ok(config)
        } else {
            Err(diagnostics)
        }
    }

    /// Checks all parts, and completes the documents.
    fn check(&mut self, report: Report<'_>) {
        self.fill_in_releases(report);
        self.fill_in_protobuf();
        self.check_homes(report);
        self.check_parts(report);
        self.check_protobuf(report);
        let mut names = BTreeSet::new();
        for krate in &self.crates {
            krate.check(&self.crates, report);
            if !names.insert(&krate.name) {
                report(
                    format!("two crates of the name `{}`", krate.name),
                    "put all documents of a crate into one [[crate]]",
                );
            }
        }
        if let Some(bundle) = &self.bundle {
            bundle.check(&self.crates, report);
        }
        let mut prefixes = BTreeSet::new();
        for external in &self.externs {
            external.check(report);
            if !prefixes.insert(&external.prefix) {
                report(
                    format!("two externals of the prefix `{}`", external.prefix),
                    "a schema can live in one place only: take one of them out",
                );
            }
        }
    }

    /// Gives every document that says none the newest release.
    fn fill_in_releases(&mut self, report: Report<'_>) {
        for document in self
            .crates
            .iter_mut()
            .flat_map(|krate| &mut krate.documents)
        {
            if document.release == Release::default() {
                match self.newest {
                    Some(newest) => document.release = newest,
                    None => report(
                        format!("{} has no `release`", document.file),
                        "say the newest Kubernetes release at the top, `newest = \"1.37\"`, \
                         or the document's own",
                    ),
                }
            }
            if let Some(newest) = self.newest
                && document.release > newest
            {
                report(
                    format!(
                        "{} is of {}, after the newest release {newest}",
                        document.file, document.release
                    ),
                    "correct the release, or `newest`",
                );
            }
            document.as_of = document.as_of.or(self.newest);
        }
    }

    /// The document whose schemas have a prefix.
    pub(crate) fn document_of(&self, prefix: &str) -> Option<&DocumentConfig> {
        let mut documents = self.crates.iter().flat_map(|krate| &krate.documents);
        documents.find(|document| document.prefix == prefix)
    }

    /// The external that a schema falls under, if any.
    pub fn external(&self, schema: &str) -> Option<&Extern> {
        self.external_of(schema, |_| true)
    }

    /// The external that a schema falls under, of those that are asked for.
    pub(crate) fn external_of(
        &self,
        schema: &str,
        is_wanted: impl Fn(&Extern) -> bool,
    ) -> Option<&Extern> {
        let matching = self
            .externs
            .iter()
            .filter(|e| schema.starts_with(&e.prefix));
        matching
            .filter(|e| is_wanted(e))
            .max_by_key(|e| e.prefix.len())
    }
}

/// Takes a message and what to do about it.
type Report<'a> = &'a mut dyn FnMut(String, &str);

impl CrateConfig {
    /// Returns true if the crate has more than types, their builders and definitions.
    pub(crate) fn has_more_than_types(&self) -> bool {
        let alone = [Part::Builders, Part::Definition];
        self.conversion.is_some() || self.parts.iter().any(|part| !alone.contains(&part))
    }

    /// The hand-written module of this crate that `rules` names, if it is one of this crate.
    pub(crate) fn own_rules(&self) -> Option<HandWritten> {
        HandWritten::parse(self.rules.as_deref()?.strip_prefix("crate::")?)
    }

    fn check(&self, crates: &[Self], report: Report<'_>) {
        check_name(&self.name, report);
        if self.documents.is_empty() {
            report(
                format!("the crate `{}` has no document", self.name.escape_debug()),
                "give it a [[crate.document]]",
            );
        }
        for name in self
            .by_hand
            .iter()
            .filter(|name| HandWritten::parse(name).is_none())
        {
            report(
                format!(
                    "`{}` can't be a module written by hand",
                    name.escape_debug()
                ),
                "name its file without the extension, as in `rules`, `csi::rules` or \
                 `pub rules`",
            );
        }
        if let Some(rules) = &self.rules
            && (RulePath::parse("f", Some(rules)).is_none()
                || (rules.starts_with("crate::") && self.own_rules().is_none()))
        {
            report(
                format!("`{}` can't be a module of rules", rules.escape_debug()),
                "name a module of this crate, as in `crate::rules` or `crate::csi::rules`, or \
                 one of another crate, as in `kubernetes_storage_rules::storage`",
            );
        }
        if let Some(prelude) = &self.prelude
            && RulePath::parse("f", Some(prelude)).is_none()
        {
            report(
                format!(
                    "`{}` can't be a module for the prelude",
                    prelude.escape_debug()
                ),
                "name a hand-written module, as in `crate::topology`, or one of another crate, as in \
                 `storage_v1::topology`",
            );
        }
        if let Some(conversion) = &self.conversion {
            conversion.check(&self.name, report);
        }
        self.check_derives(report);
        self.check_dependencies(report);
        self.check_types(report);
        if let Some(standalone) = &self.standalone {
            standalone.check(report);
        }
        for document in &self.documents {
            document.check(report);
        }
        self.check_target(crates, report);
    }

    /// Checks that the crate into which it is converted is there and takes all that it has.
    fn check_target(&self, crates: &[Self], report: Report<'_>) {
        let Some(conversion) = &self.conversion else {
            return;
        };
        match crates.iter().find(|other| other.name == conversion.to) {
            None => report(
                format!(
                    "`{}` is to be converted into `{}`, which isn't a crate",
                    self.name,
                    conversion.to.escape_debug()
                ),
                "name another [[crate]]",
            ),
            Some(other) if other.keep_unknown_fields != self.keep_unknown_fields => report(
                format!(
                    "only one of `{}` and `{}`, into which it is converted, keeps unknown fields",
                    self.name, other.name
                ),
                "set `keep-unknown-fields = true` for both or for neither, since converting would \
                 lose them",
            ),
            Some(_) => {}
        }
    }
}

/// Reports a text that can't be the prefix of the names of schemas. Returns true if it can.
pub(crate) fn check_prefix(text: &str, report: Report<'_>) -> bool {
    let name = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let parts = text.strip_suffix('.').map(|p| p.split('.'));
    let fits = parts.is_some_and(|mut parts| parts.all(|part| !part.is_empty() && name(part)));
    if !fits {
        report(
            format!("`{}` is not a prefix of schemas", text.escape_debug()),
            "write it with its last dot, as in `io.k8s.api.storage.v1.`",
        );
    }
    fits
}

fn check_name(name: &str, report: Report<'_>) {
    let word = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    let own = ["alloc", "core", "proc-macro", "std", "test"];
    let fits = name.split('-').all(word)
        && syn::parse_str::<syn::Ident>(&name.replace('-', "_")).is_ok()
        && !own.contains(&name);
    if !fits {
        report(
            format!("`{}` can't be the name of a crate", name.escape_debug()),
            "use lower-case words of letters and digits with single hyphens between \
             them, as in `storage-v1`, and no name of Rust's own",
        );
    }
}
