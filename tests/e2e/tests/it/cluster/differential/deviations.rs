//! The intended differences of our rules from the server's: `deviations.toml`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use conformance::valid::Kind;
use serde::Deserialize;

use super::ours::Operation;
use super::verdict::Cause;

/// A result that only one side has, and why.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Deviation {
    /// `Create`, `Update` or `UpdateStatus`; any if it isn't given.
    operation: Option<String>,
    kind: Option<String>,
    /// `server` or `ours`.
    only: String,
    /// The reason and field of the result.
    cause: String,
    field: String,
    why: String,
    #[serde(skip)]
    occurred: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Deviations {
    #[serde(default)]
    deviation: Vec<Deviation>,
}

impl Deviations {
    pub(crate) fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/it/cluster/differential/deviations.toml");
        toml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    }

    /// Returns the results that only one side has, except those that are listed.
    pub(crate) fn unexplained(
        &mut self,
        kind: Kind,
        operation: Operation,
        server: &BTreeSet<Cause>,
        ours: &BTreeSet<Cause>,
    ) -> Option<String> {
        // A text that we can't read has no results of ours.
        let unreadable = ours.iter().find(|cause| cause.is_unreadable());
        if let Some(cause) = unreadable
            && (self.explain(kind, operation, "ours", cause)
                || kind.is_custom() && server.iter().any(|s| s.is_of_type(cause) || s.is_stale()))
        {
            return None;
        }
        let only_server = server.difference(ours).map(|cause| ("server", cause));
        let only_ours = ours.difference(server).map(|cause| ("ours", cause));
        let all: Vec<_> = only_server.chain(only_ours).collect();
        let unexplained: Vec<_> = all
            .into_iter()
            .filter(|(side, cause)| !self.explain(kind, operation, side, cause))
            .collect();
        (!unexplained.is_empty()).then(|| format!("only on one side: {unexplained:?}"))
    }

    fn explain(&mut self, kind: Kind, operation: Operation, side: &str, cause: &Cause) -> bool {
        let is_right = |given: &Option<String>, value: &str| {
            given.as_deref().is_none_or(|given| given == value)
        };
        let found = self.deviation.iter_mut().find(|deviation| {
            deviation.only == side
                && deviation.cause == cause.reason
                && deviation.field == cause.field
                && is_right(&deviation.kind, kind.name())
                && is_right(&deviation.operation, &format!("{operation:?}"))
        });
        let Some(found) = found else { return false };
        found.occurred = true;
        true
    }

    /// Reports listed deviations of these kinds that no longer occur.
    pub(crate) fn check_all_occurred(&self, kinds: impl IntoIterator<Item = Kind>) {
        let names: Vec<_> = kinds.into_iter().map(Kind::name).collect();
        let is_of = |deviation: &&Deviation| {
            deviation
                .kind
                .as_deref()
                .is_none_or(|kind| names.contains(&kind))
        };
        let listed = self.deviation.iter().filter(is_of);
        let stale: Vec<_> = listed.filter(|d| !d.occurred).map(|d| &d.why).collect();
        assert!(stale.is_empty(), "deviations that do not occur: {stale:#?}");
    }
}
