//! `README.md` of a crate that stands alone; the others have theirs by hand.

use std::fmt::Write;

use super::file::{Content, File, origins};
use super::root;
use crate::doc;
use crate::model::Crate;

/// The README, if the crate needs one.
pub(super) fn files(krate: &Crate<'_>) -> Vec<File> {
    if krate.config.standalone.is_none() {
        return Vec::new();
    }
    vec![File {
        path: "README.md".to_owned(),
        origin: origins(&krate.versions),
        content: Content::Markdown(text(krate)),
    }]
}

fn text(krate: &Crate<'_>) -> String {
    let config = krate.config;
    let mut text = format!(
        "# {}\n\n{}.\n\nThe kinds implement the traits of [k8s-openapi](https://docs.rs/k8s-openapi), \
         so that `Api`,\n`watcher`, `reflector` and `Controller` of [kube](https://kube.rs) take \
         them. A program that uses\nthe crate selects a Kubernetes release of k8s-openapi, such as \
         its feature `latest`.\n\n| kind | plural | scope | subresource |\n|---|---|---|---|\n",
        config.name,
        doc::harmless(config.description.trim_end_matches('.')),
    );
    let kinds = krate.versions.iter().flat_map(|version| version.kinds());
    let mut rows: Vec<_> = kinds
        .map(|(_, resource)| {
            let (scope, status) = root::scope_and_status(resource);
            let [kind, plural] = [&resource.kind, &resource.plural].map(|name| doc::plain(name));
            format!("| {kind} | {plural} | {scope} | {status} |\n")
        })
        .collect();
    rows.sort();
    text.extend(rows);
    let features = root::features(krate);
    if !features.is_empty() {
        let _ = writeln!(text, "{}", features.join("\n"));
    }
    text
}
