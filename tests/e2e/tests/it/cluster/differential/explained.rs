//! The explanations of rules.

use std::collections::BTreeSet;

use kubernetes_storage::rules;

/// Each rule by which objects are refused has an explanation for those who meet it in a manifest.
#[test]
fn rules_are_explained() {
    let lists = [
        include_str!("rules.txt"),
        include_str!("rules-snapshots.txt"),
        include_str!("rules-volumes.txt"),
    ];
    let lines = lists.iter().flat_map(|list| list.lines());
    let created = lines.filter(|line| line.starts_with("Create "));
    let rules: BTreeSet<_> = created.filter_map(|line| line.split(' ').nth(3)).collect();
    assert!(rules.len() > 50, "{rules:?}");
    let unknown = rules.iter().filter(|rule| rules::named(rule).is_err());
    assert_eq!(unknown.collect::<Vec<_>>(), [&""; 0]);
}
