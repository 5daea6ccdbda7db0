//! Reasons to leave a file, or a part of it, unchecked.

use crate::text::counted;

/// The reason why a file, or a part of it, isn't checked, although it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Note {
    /// A template of manifests, or a manifest with placeholders: what they stand for isn't known.
    Template,
    /// A part of an object, to which a test compares an object.
    Assertion,
    /// A part of an object, which a kustomization adds to one.
    Patch,
    /// A text without an object of Kubernetes.
    NoManifest,
}

impl Note {
    /// The name of the reason in data.
    pub(crate) const fn reason(self) -> &'static str {
        match self {
            Self::Template => "Template",
            Self::Assertion => "Assertion",
            Self::Patch => "Patch",
            Self::NoManifest => "NoManifest",
        }
    }

    /// The name of its rule.
    pub(crate) const fn rule(self) -> &'static str {
        match self {
            Self::Template => "template",
            Self::Assertion => "assertion",
            Self::Patch => "patch",
            Self::NoManifest => "noManifest",
        }
    }

    /// A number of files, as in `2 patches`.
    pub(crate) fn counted(self, count: usize) -> String {
        match (self, count) {
            (Self::Template, _) => counted(count, "template"),
            (Self::Assertion, _) => counted(count, "assertion"),
            (Self::Patch, 1) => "1 patch".to_owned(),
            (Self::Patch, _) => format!("{count} patches"),
            (Self::NoManifest, _) => counted(count, "file") + " without manifests",
        }
    }

    /// The reason in words.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Template => "template, not read; lint the rendered manifests instead",
            Self::Assertion => "part of an object in a test, not checked",
            Self::Patch => "patch of a kustomization, not checked; lint what it makes instead",
            Self::NoManifest => "no manifest: it has no apiVersion and kind",
        }
    }
}
