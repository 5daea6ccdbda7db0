//! Group-versions that only one release has.

use std::collections::BTreeSet;

use super::api::{Api, Kind};
use super::change::{Change, ChangeKind, Place, Rust, Semver, Severity};
use super::lifecycle;
use super::run::Run;
use super::snapshot::Snapshot;

impl<'a> Run<'a> {
    /// A group-version that only the earlier release has.
    pub(super) fn removed(&mut self, api: &'a Api) {
        let group_version = &api.group_version;
        let release = self.all_between(api, "removed");
        if release.is_none() && !self.is_served_no_more(api) {
            return;
        }
        let context = self.context(api, api);
        let mut losses = Vec::new();
        let mut edits = BTreeSet::new();
        for name in api.kinds.keys() {
            let (loss, edit) = context.replaced(name);
            losses.extend(loss.map(|loss| format!("{name}: {loss}")));
            edits.extend(edit);
        }
        let change = Change {
            release: release.or_else(|| self.next_release(api)),
            conversion: (!losses.is_empty()).then(|| losses.join("; ")),
            edit: (!edits.is_empty()).then(|| edits.into_iter().collect::<Vec<_>>().join("; ")),
            ..self.whole(api, ChangeKind::GroupVersionRemoved, Severity::Breaking)
        };
        self.insert(group_version, change);
    }

    /// Returns true if a group-version that only the earlier release has is gone, and not just
    /// unknown in the later one.
    fn is_served_no_more(&mut self, api: &Api) -> bool {
        let group_version = &api.group_version;
        if api.is_custom {
            return self.has_custom_group(api, self.to, self.all_to);
        }
        if !self.to.complete.has(api.group()) {
            self.has_no_document(api, self.to);
            return false;
        }
        // A server serves no alpha and few beta versions unless it is asked to. One that served it
        // in an earlier release was asked.
        let serves_all = self.all_to.iter().all(|other| !other.from_server);
        let was_asked = api.from_server && self.from.release != self.to.release;
        let is_gone = serves_all || was_asked || !is_unstable(group_version);
        if !is_gone {
            let reason = format!(
                "the server of {} doesn't serve it, which may be a matter of its settings",
                self.to.name
            );
            self.miss(api, reason);
        }
        is_gone
    }

    /// Returns true if a release has documents of the group of custom resources, and thus all of
    /// them: a cluster serves a group as its definitions say, or not at all.
    fn has_custom_group(&mut self, api: &Api, snapshot: &Snapshot, all: &[Api]) -> bool {
        let name = &snapshot.name;
        let has_group = all.iter().any(|other| other.group() == api.group());
        let reason = match (has_group, snapshot.described.is_some()) {
            (true, false) => return true,
            (true, true) => format!("{name} describes other versions of these custom resources"),
            (false, _) => format!(
                "{name} has no document of these custom resources, which are of no release of \
                 Kubernetes: a cluster has them where their definitions are installed"
            ),
        };
        self.miss(api, reason);
        false
    }

    /// The last release of a stage of all kinds, if each has it between the two releases.
    fn all_between(&self, api: &Api, stage: &str) -> Option<crate::Release> {
        let of = |kind: &Kind| lifecycle::stage(api.schema(&kind.schema), stage);
        let releases: Option<Vec<_>> = api.kinds.values().map(of).collect();
        let releases = releases?.into_iter();
        let all: Option<Vec<_>> = releases
            .map(|release| self.is_between(release).then_some(release))
            .collect();
        all?.into_iter().max()
    }

    /// A group-version that only the later release has.
    pub(super) fn added(&mut self, api: &'a Api) {
        let group_version = &api.group_version;
        let release = self.all_between(api, "introduced");
        if api.is_custom && !self.has_custom_group(api, self.from, self.all_from) {
            return;
        }
        if !api.is_custom && release.is_none() && !self.from.complete.has(api.group()) {
            self.has_no_document(api, self.from);
            return;
        }
        let change = Change {
            release: release.or_else(|| self.next_release(api)),
            ..self.whole(api, ChangeKind::GroupVersionAdded, Severity::Info)
        };
        self.insert(group_version, change);
    }

    /// A change of a group-version as a whole.
    fn whole(&self, api: &Api, what: ChangeKind, severity: Severity) -> Change {
        let is_new = what == ChangeKind::GroupVersionAdded;
        let kinds: Vec<_> = api.kinds.keys().map(String::as_str).collect();
        Change {
            what,
            place: Place {
                group_versions: vec![api.group_version.clone()],
                ..Place::default()
            },
            from: None,
            to: None,
            details: vec![format!("kinds {}", kinds.join(", "))],
            release: None,
            readers: severity,
            writers: severity,
            rust: Rust {
                semver: if is_new { Semver::Minor } else { Semver::Major },
                why: if is_new {
                    "its types are new"
                } else {
                    "its types are gone"
                }
                .to_owned(),
            },
            conversion: None,
            edit: is_new.then(|| "add a document to codegen.toml to generate it".to_owned()),
        }
    }

    fn has_no_document(&mut self, api: &Api, snapshot: &Snapshot) {
        self.miss(api, format!("{} has no document of it", snapshot.name));
    }

    /// Says why a group-version can't be compared.
    fn miss(&mut self, api: &Api, reason: String) {
        let missing = self.missing.entry(reason).or_default();
        missing.push(api.group_version.clone());
    }

    fn is_between(&self, release: crate::Release) -> bool {
        let is_later = self.from.release.is_some_and(|from| from < release);
        is_later && self.to.release.is_some_and(|to| release <= to)
    }

    fn next_release(&self, api: &Api) -> Option<crate::Release> {
        if api.is_custom {
            return None;
        }
        let (from, to) = (self.from.release?, self.to.release?);
        (from.major == to.major && from.minor.checked_add(1) == Some(to.minor)).then_some(to)
    }
}

fn is_unstable(group_version: &str) -> bool {
    let version = group_version.rsplit('/').next().unwrap_or_default();
    version.contains("alpha") || version.contains("beta")
}
