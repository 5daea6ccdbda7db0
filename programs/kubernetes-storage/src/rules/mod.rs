//! The rules after which findings are named.
//!
//! A rule of a server has the name that [`kubernetes_validation::Error::rule`] has.

use std::sync::LazyLock;

use kubernetes_kinds::Release;
use serde::Deserialize;

use crate::release;
use crate::text::nearest;

/// A rule, with its explanation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The stable name, as it stands in findings, comments and configurations.
    pub id: String,
    /// A finding's message in a few words.
    pub title: String,
    /// The explanation: the request of the rule, and its reason.
    pub about: String,
    /// The first release whose servers have the rule; all that are known if it isn't set.
    since: Option<String>,
    /// A manifest that breaks the rule.
    pub example: Option<String>,
    /// The release of the example; the newest if it isn't set.
    target: Option<String>,
}

/// The tables, from what a server doesn't read to what it refuses.
const TABLES: [&str; 3] = [
    include_str!("own.yaml"),
    include_str!("objects.yaml"),
    include_str!("volumes.yaml"),
];

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let tables = TABLES.iter();
    let read = tables.filter_map(|table| serde_saphyr::from_str::<Vec<Rule>>(table).ok());
    read.flatten().collect()
});

/// Returns all rules that findings have.
#[must_use]
pub fn all() -> &'static [Rule] {
    &RULES
}

/// Returns the rule of that name.
///
/// # Errors
///
/// A message with the nearest name if there is none.
pub fn named(id: &str) -> Result<&'static Rule, String> {
    all().iter().find(|rule| rule.id == id).ok_or_else(|| {
        let ids = all().iter().map(|rule| rule.id.as_str());
        let help = match nearest(id, ids) {
            Some(near) => format!("did you mean {near}?"),
            None => "`kubernetes-storage explain` lists them".to_owned(),
        };
        format!("no rule `{id}`; {help}")
    })
}

impl Rule {
    /// Returns the first release whose servers have the rule, if older ones don't have it.
    #[must_use]
    pub fn since(&self) -> Option<Release> {
        parsed(self.since.as_ref())
    }

    /// Returns the release of the example.
    #[must_use]
    pub fn target(&self) -> Release {
        parsed(self.target.as_ref()).unwrap_or(storage_all::KUBERNETES)
    }
}

fn parsed(text: Option<&String>) -> Option<Release> {
    text.and_then(|text| release::release(text).ok())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_tables_are_read_whole() {
        let mut ids = BTreeSet::new();
        for table in TABLES {
            let rules: Result<Vec<Rule>, _> = serde_saphyr::from_str(table);
            assert!(rules.is_ok(), "{rules:?}");
            for rule in rules.into_iter().flatten() {
                for text in rule.since.iter().chain(&rule.target) {
                    assert!(release::release(text).is_ok(), "{}: {text}", rule.id);
                }
                assert!(ids.insert(rule.id.clone()), "{} twice", rule.id);
            }
        }
        assert_eq!(ids.len(), all().len());
    }
}
