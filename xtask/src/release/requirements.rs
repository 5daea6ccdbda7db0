//! The dependencies that a README has its reader add, by its lines of `cargo add`.

use toml::{Table, Value};

/// The crate whose Kubernetes release a program chooses.
pub(super) const K8S_OPENAPI: &str = "k8s-openapi";

/// Returns true if a feature of `k8s-openapi` chooses a release of Kubernetes.
pub(super) fn is_release(feature: &str) -> bool {
    matches!(feature, "latest" | "earliest") || feature.starts_with("v1_")
}

/// Returns the dependencies, without versions.
pub(super) fn of(readme: &str) -> Table {
    let lines = readme
        .lines()
        .filter_map(|line| line.trim().strip_prefix("cargo add "));
    lines.flat_map(added).collect()
}

/// Returns the dependencies of one line.
fn added(line: &str) -> Vec<(String, Value)> {
    let mut names = Vec::new();
    let mut table = Table::new();
    let mut words = line.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "--features" => {
                let features = words.next().unwrap_or_default().split(',');
                let features = features.map(Value::from).collect();
                table.insert("features".to_owned(), Value::Array(features));
            }
            "--no-default-features" => {
                table.insert("default-features".to_owned(), false.into());
            }
            option if option.starts_with('-') => {}
            comment if comment.starts_with('#') => break,
            name => names.push(name.to_owned()),
        }
    }
    let table = Value::from(table);
    names
        .into_iter()
        .map(|name| (name, table.clone()))
        .collect()
}

/// Returns true if the dependencies choose a release of Kubernetes.
pub(super) fn choose_release(dependencies: &Table) -> bool {
    let features = dependencies
        .get(K8S_OPENAPI)
        .and_then(|table| table.get("features"));
    let mut features = features.and_then(Value::as_array).into_iter().flatten();
    features.any(|feature| feature.as_str().is_some_and(is_release))
}
