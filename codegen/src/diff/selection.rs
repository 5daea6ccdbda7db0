//! The scope of a comparison: groups, and kinds of them.

use std::collections::{BTreeMap, BTreeSet};

use super::api::Api;

/// Kinds, by their groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kinds(BTreeMap<String, Named>);

/// The kinds of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Named {
    All,
    These(BTreeSet<String>),
}

impl Kinds {
    /// Adds kinds of a group; all of them if none is named. The core group is the empty text.
    pub fn add(&mut self, group: &str, kinds: &[String]) {
        let named = self.0.entry(group.to_owned());
        let named = named.or_insert_with(|| Named::These(BTreeSet::new()));
        match named {
            _ if kinds.is_empty() => *named = Named::All,
            Named::All => {}
            Named::These(names) => names.extend(kinds.iter().cloned()),
        }
    }

    pub(super) fn has(&self, group: &str, kind: &str) -> bool {
        match self.0.get(group) {
            Some(Named::All) => true,
            Some(Named::These(names)) => names.contains(kind),
            None => false,
        }
    }
}

/// The parts of two releases that are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The groups, of which the core group is the empty text; all if there is none.
    pub groups: Vec<String>,
    /// The kinds, with their lists and what belongs to them; without it all kinds, and the types
    /// that belong to none of them.
    pub kinds: Option<Kinds>,
}

/// The kinds that are left out of a comparison.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    /// Those that aren't wanted.
    pub(super) unwanted: BTreeSet<String>,
    /// Those that a release doesn't describe.
    pub(super) undescribed: BTreeSet<String>,
}

impl Scope {
    pub(super) fn has_group(&self, group: &str) -> bool {
        self.groups.is_empty() || self.groups.iter().any(|wanted| wanted == group)
    }

    /// Takes the kinds out of a document that aren't wanted, or that one of the releases doesn't
    /// describe.
    pub(super) fn restrict(
        &self,
        api: &mut Api,
        described: [&Option<Kinds>; 2],
        left_out: &mut LeftOut,
    ) {
        if self.kinds.is_none() && described.iter().all(|kinds| kinds.is_none()) {
            return;
        }
        if !api.is_served {
            // Types that are of no group are those of a crate, or not wanted.
            api.is_empty = self.kinds.is_some() && !api.has_crate;
            return;
        }
        let group = api.group().to_owned();
        let is_in = |kinds: &Option<Kinds>, kind: &str| {
            let mut kinds = kinds.iter();
            kinds.all(|kinds| kinds.has(&group, kind))
        };
        let is_wanted = |kind: &str| is_in(&self.kinds, kind);
        let is_described = |kind: &str| described.iter().all(|kinds| is_in(kinds, kind));
        let others = api.retain(|kind| is_wanted(kind) && is_described(kind));
        for kind in others {
            let name = format!("{} {kind}", api.group_version);
            match is_wanted(&kind) {
                true => left_out.undescribed.insert(name),
                false => left_out.unwanted.insert(name),
            };
        }
        api.is_empty = api.kinds.is_empty();
    }
}
