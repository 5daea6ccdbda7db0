//! The lists of rules by which a server refuses objects.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::Path;

use kubernetes_storage::rules;

/// Each damage by itself sets off the rules that are listed, no more and no less.
/// `UPDATE_GOLDEN=1` writes the list anew.
pub(super) fn check_coverage(fired: &BTreeSet<String>, list: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cluster/differential");
    let path = folder.join(list);
    if env::var_os("UPDATE_GOLDEN").is_some() {
        let lines: Vec<_> = fired.iter().map(|rule| format!("{rule}\n")).collect();
        fs::write(&path, lines.concat()).unwrap();
        return;
    }
    let text = fs::read_to_string(&path).unwrap();
    let listed: BTreeSet<_> = text.lines().map(str::to_owned).collect();
    let missing: Vec<_> = listed.difference(fired).collect();
    assert!(
        missing.is_empty(),
        "rules that have not fired: {missing:#?}"
    );
    let new: Vec<_> = fired.difference(&listed).collect();
    assert!(new.is_empty(), "rules that {list} does not list: {new:#?}");
}

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
