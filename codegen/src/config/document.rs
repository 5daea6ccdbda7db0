//! The documents of crates.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Report, check_prefix};
use crate::name::RESERVED_FILES;
use crate::release::Release;

/// One document of a crate.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentConfig {
    /// The file's name, as Kubernetes names it.
    pub file: String,
    /// Further files of the same release with schemas of that prefix. They are read as one
    /// document.
    #[serde(rename = "more-files", default)]
    pub more_files: Vec<String>,
    /// The release whose folder holds the project's own document; the newest if it says none.
    #[serde(default)]
    pub release: Release,
    /// The release whose fields that document has; the newest if it says none. Types of a
    /// version that is no longer served still change.
    #[serde(rename = "as-of")]
    pub as_of: Option<Release>,
    /// The prefix of the schemas that become types of the crate, with its last dot.
    pub prefix: String,
    /// The kinds that are generated, with their lists and what belongs to them; all if none is
    /// named. The document is read as if it had no others.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// The prefix of the schemas of a newer version of the same kinds, in a document of this
    /// configuration, whose new properties the project's own document has as well: Kubernetes
    /// keeps the types of all versions alike.
    pub follows: Option<String>,
    /// The module of the crate that holds its types, if they are not at the root.
    pub module: Option<String>,
    /// Further words for the documentation of that module, in Markdown.
    #[serde(default)]
    pub about: String,
    /// The module in which k8s-openapi has the types of the document, if it has them.
    #[serde(rename = "k8s-openapi")]
    pub k8s_openapi: Option<String>,
    /// Names for types of objects inside other schemas, in place of the names made from their
    /// paths: `VolumeSnapshotSpecSource = "VolumeSnapshotSource"`. Objects that are alike can share
    /// one. After a type and a dot comes a property or a value of an enumeration:
    /// `"BoatSpec.proxy_url" = "old_proxy_url"`.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    /// True if objects inside its schemas that are equal but for their descriptions are one type,
    /// which has the shortest of their names.
    #[serde(rename = "merge-equal", default)]
    pub merge_equal: bool,
    /// True if objects inside its schemas that are equal to a small type of k8s-openapi are that.
    #[serde(rename = "kubernetes-types", default)]
    pub kubernetes_types: bool,
    /// True if its objects have no numbers in `.proto` files, so that servers speak JSON only for
    /// them. Custom resources never have.
    #[serde(rename = "json-only", default)]
    pub json_only: bool,
    /// The overlays to apply, in order.
    #[serde(default)]
    pub overlays: Vec<String>,
    /// True if rules of CustomResourceDefinitions that can't be checked are listed in the
    /// generated crate; otherwise they are errors.
    #[serde(rename = "list-unchecked", default)]
    pub list_unchecked: bool,
}

impl DocumentConfig {
    /// The names of properties and values.
    pub(crate) fn names_of_parts(&self) -> BTreeMap<String, String> {
        let parts = self.names.iter().filter(|(key, _)| key.contains('.'));
        let parts = parts.map(|(key, name)| (key.clone(), name.clone()));
        parts.collect()
    }

    /// The path of the document below the folder of all documents, `v1.37/FILE`.
    pub fn path(&self) -> String {
        format!("v{}/{}", self.release, self.file)
    }

    /// The document once for each of its files, its own first, as if it had no other.
    pub fn each_file(&self) -> impl Iterator<Item = Self> {
        let files = std::iter::once(&self.file).chain(&self.more_files);
        files.map(|file| Self {
            file: file.clone(),
            more_files: Vec::new(),
            ..self.clone()
        })
    }

    /// The release whose fields the project's own document has.
    pub fn described(&self) -> Release {
        self.as_of.unwrap_or(self.release)
    }

    pub(super) fn check(&self, report: Report<'_>) {
        check_prefix(&self.prefix, report);
        if let Some(prefix) = &self.follows {
            check_prefix(prefix, report);
        }
        let names = std::iter::once(&self.file).chain(&self.more_files);
        let names = names.chain(&self.overlays);
        for name in names.filter(|name| !is_plain_file_name(name)) {
            report(
                format!("`{}` is not a plain file name", name.escape_debug()),
                "documents are looked up in the folder given with --spec, overlays in \
                 spec/overlays: name the file only, with letters, digits, `.`, `-`, `_`",
            );
        }
        if let Some(as_of) = self.as_of.filter(|as_of| *as_of < self.release) {
            report(
                format!(
                    "{} is of {as_of}, before its release {}",
                    self.file, self.release
                ),
                "`as-of` is a later release than that of the document's folder",
            );
        }
        if self.module.is_none() && !self.about.is_empty() {
            report(
                format!("{} has an `about` and no `module`", self.file),
                "the documentation of the root is the `about` of the crate",
            );
        }
        if let Some(module) = &self.module
            && !is_module_name(module)
        {
            report(
                format!("`{}` can't be the name of a module", module.escape_debug()),
                "use a word of lower-case letters and digits that names no file with another \
                 use, as in `csi`",
            );
        }
    }
}

fn is_module_name(name: &str) -> bool {
    name.bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        && syn::parse_str::<syn::Ident>(name).is_ok()
        && !RESERVED_FILES.contains(&name)
}

fn is_plain_file_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    !name.is_empty() && !name.starts_with('.') && name.chars().all(plain)
}
