//! The changes that are found while two documents are compared.

use std::collections::BTreeMap;

use crate::release::Release;

use super::api::Api;
use super::change::{ChangeKind, Severity};

/// A change at a place of a schema.
#[derive(Clone, Debug)]
pub(super) struct Raw {
    pub(super) schema: String,
    pub(super) path: String,
    pub(super) what: ChangeKind,
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    pub(super) details: Vec<String>,
    pub(super) release: Option<Release>,
    pub(super) readers: Severity,
    pub(super) writers: Severity,
    /// True if the field is, or is to be, required.
    pub(super) is_required: bool,
    /// True if the Rust type stays the same although `what` may change it.
    pub(super) keeps_type: bool,
}

/// A text that has changed.
#[derive(Clone, Debug)]
pub(super) struct RawText {
    pub(super) schema: String,
    pub(super) path: String,
    pub(super) keyword: String,
}

/// Compares the schemas that two documents of one group-version share.
pub(super) struct Comparer<'a> {
    pub(super) from: &'a Api,
    pub(super) to: &'a Api,
    pub(super) found: Vec<Raw>,
    pub(super) texts: Vec<RawText>,
    pub(super) schema: String,
    pub(super) is_required: bool,
    /// The pairs of types of different names that have been compared, since some hold themselves,
    /// and how much it matters if they have nothing in common.
    pub(super) seen: BTreeMap<(String, String), Option<(Severity, Severity)>>,
}

impl Comparer<'_> {
    /// Returns true if the documents are about custom resources.
    pub(super) fn is_custom(&self) -> bool {
        self.from.is_custom && self.to.is_custom
    }

    /// Adds a change.
    pub(super) fn push(
        &mut self,
        path: &str,
        what: ChangeKind,
        severities: (Severity, Severity),
    ) -> &mut Raw {
        let at = self.found.len();
        self.found.push(Raw {
            schema: self.schema.clone(),
            path: path.to_owned(),
            what,
            from: None,
            to: None,
            details: Vec::new(),
            release: None,
            readers: severities.0,
            writers: severities.1,
            is_required: self.is_required,
            keeps_type: false,
        });
        &mut self.found[at]
    }

    /// Adds a change of a text.
    pub(super) fn text(&mut self, path: &str, keyword: &str) {
        self.texts.push(RawText {
            schema: self.schema.clone(),
            path: path.to_owned(),
            keyword: keyword.to_owned(),
        });
    }
}
