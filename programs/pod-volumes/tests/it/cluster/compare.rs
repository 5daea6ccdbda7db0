//! The differences between the sides.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use super::Outcome;
use super::tree::Tree;

/// Differences that are accepted, each with its reason: `listed.toml`.
pub(crate) struct Listed {
    rules: Vec<Rule>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// Texts that a difference has, all of them.
    has: Vec<String>,
    #[expect(dead_code, reason = "for readers of the file")]
    reason: String,
    #[serde(skip)]
    count: usize,
}

impl Listed {
    pub(crate) fn read() -> Self {
        let text = include_str!("listed.toml");
        let mut rules: BTreeMap<String, Vec<Rule>> = toml::from_str(text).unwrap();
        let rules = rules.remove("difference").unwrap_or_default();
        Self { rules }
    }

    fn find(&self, difference: &str) -> Option<usize> {
        let has_all = |rule: &Rule| rule.has.iter().all(|text| difference.contains(text));
        self.rules.iter().position(has_all)
    }

    pub(crate) fn matches(&self, difference: &str) -> bool {
        self.find(difference).is_some()
    }

    /// Returns true for a listed difference, and counts it.
    pub(crate) fn has(&mut self, difference: &str) -> bool {
        let found = self.find(difference);
        if let Some(found) = found {
            self.rules[found].count += 1;
        }
        found.is_some()
    }

    pub(crate) fn counts(&self) -> String {
        let counts = self.rules.iter().map(|rule| rule.count.to_string());
        counts.collect::<Vec<_>>().join(", ")
    }
}

/// The differences of two outcomes, the kubelet's first.
pub(crate) fn differences(theirs: &Outcome, ours: &Outcome) -> Vec<String> {
    let mut found = of_trees(&theirs.tree, &ours.tree);
    found.extend(of_maps("container", &theirs.containers, &ours.containers));
    found.extend(of_maps("error of", &theirs.errors, &ours.errors));
    found
}

pub(crate) fn of_trees(theirs: &Tree, ours: &Tree) -> Vec<String> {
    of_maps("path", theirs, ours)
}

fn of_maps<T: PartialEq + Debug>(
    what: &str,
    theirs: &BTreeMap<String, T>,
    ours: &BTreeMap<String, T>,
) -> Vec<String> {
    let keys: BTreeSet<_> = theirs.keys().chain(ours.keys()).collect();
    keys.into_iter()
        .filter(|key| theirs.get(*key) != ours.get(*key))
        .map(|key| {
            let side = |side: &BTreeMap<String, T>| match side.get(key) {
                Some(value) => format!("{value:?}"),
                None => "nothing".to_owned(),
            };
            format!(
                "{what} {key}\n    kubelet: {}\n    ours:    {}",
                side(theirs),
                side(ours)
            )
        })
        .collect()
}
