//! The configuration: which documents become which crate, and where other schemas live.

use serde::Deserialize;

use crate::diag::{Diagnostic, Diagnostics};
use crate::release::Release;
use crate::source::Source;

/// What `codegen.toml` says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The crates, in the order in which they are generated.
    #[serde(rename = "crate", default)]
    pub crates: Vec<CrateConfig>,
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
}

/// One document of a crate.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentConfig {
    /// The file's name, as Kubernetes names it.
    pub file: String,
    /// The release whose folder holds the project's own document.
    pub release: Release,
    /// The prefix of the schemas that become types of the crate, with its last dot.
    pub prefix: String,
    /// The overlays to apply, in order.
    #[serde(default)]
    pub overlays: Vec<String>,
}

/// Schemas that are not generated because a crate has them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extern {
    /// The prefix of the schemas' names, with its last dot. The longest match counts.
    pub prefix: String,
    /// The Rust module that stands for it; further parts of a name are modules below it.
    pub path: String,
    /// Schemas so large that an optional field holds them in a `Box`.
    #[serde(default)]
    pub large: Vec<String>,
}

impl Config {
    /// Reads the configuration.
    ///
    /// # Errors
    ///
    /// When it isn't TOML of this form, or names what can't be a crate or module.
    pub fn parse(source: &Source) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let mut fault = |line, message: String, help: &str| {
            diagnostics.push(Diagnostic {
                file: source.name.clone(),
                pointer: None,
                line,
                message,
                help: Some(help.to_owned()),
            });
        };
        let config: Self = match toml::from_str(&source.text) {
            Ok(config) => config,
            Err(error) => {
                let line = error.span().map(|span| {
                    let before = source.text.get(..span.start).unwrap_or_default();
                    before.matches('\n').count() + 1
                });
                fault(
                    line,
                    error.message().to_owned(),
                    "see the comments in codegen.toml",
                );
                return Err(diagnostics);
            }
        };
        for krate in &config.crates {
            let plain =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if !krate.name.starts_with(|c: char| c.is_ascii_lowercase())
                || !krate.name.chars().all(plain)
            {
                fault(
                    None,
                    format!("`{}` can't be the name of a crate", krate.name),
                    "use lower-case letters, digits and hyphens, as in `storage-v1`",
                );
            }
            for document in &krate.documents {
                let names = std::iter::once(&document.file).chain(&document.overlays);
                for name in names.filter(|name| !is_plain_file_name(name)) {
                    fault(
                        None,
                        format!("`{name}` is not a plain file name"),
                        "documents are looked up in the folder given with --spec, overlays \
                         in spec/overlays: name the file only, without a path",
                    );
                }
            }
        }
        for external in &config.externs {
            if syn::parse_str::<syn::Path>(&external.path).is_err() {
                fault(
                    None,
                    format!("`{}` is not a Rust path", external.path),
                    "write a module path such as `k8s_openapi::api::core::v1`",
                );
            }
        }
        if diagnostics.is_empty() {
            Ok(config)
        } else {
            Err(diagnostics)
        }
    }

    /// The external that a schema falls under, if any.
    pub fn external(&self, schema: &str) -> Option<&Extern> {
        let matching = self.externs.iter().filter(|e| schema.starts_with(&e.prefix));
        matching.max_by_key(|e| e.prefix.len())
    }
}

fn is_plain_file_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0'])
}
