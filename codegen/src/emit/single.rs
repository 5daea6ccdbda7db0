//! A crate's types in a single file, a module for a crate of the user's own.

use super::comment::inner_comment;
use super::file::{File, origins};
use super::runtime::KINDS;
use super::{manifest, root, types_file};
use crate::doc;
use crate::model::Crate;

/// The file; its name is that of the crate.
pub(super) fn files(krate: &Crate<'_>) -> Vec<File> {
    let versions: Vec<_> = krate.versions.iter().collect();
    let modules = versions.iter().flat_map(|version| {
        let modules = version.layout.modules.iter();
        modules.map(move |module| (*version, module))
    });
    let items =
        modules.flat_map(|(version, module)| types_file::items(krate.config, version, module));
    let mut lines = root::lines(krate, &versions, None, &[]);
    lines.push(String::new());
    lines.extend(doc::wrapped(&needs(krate)));
    vec![File::rust(
        format!("{}.rs", krate.config.name.replace('-', "_")),
        origins(&krate.versions),
        inner_comment(&lines),
        items,
    )]
}

/// The dependencies of the crate with the file.
fn needs(krate: &Crate<'_>) -> String {
    let features = manifest::of_kinds(krate);
    let features: Vec<_> = features.iter().map(|name| format!("`{name}`")).collect();
    let with = match features.as_slice() {
        [] => String::new(),
        [one] => format!(" with the feature {one}"),
        several => format!(" with the features {}", several.join(" and ")),
    };
    format!(
        "The module needs the crates `k8s-openapi`, and `{}`{with}.",
        KINDS.package
    )
}
