//! Full names in place of references.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::Diagnostics;

use super::{Package, ProtoType, package_of_file};

/// Resolves the references of all packages, and reports those that lead nowhere.
pub(super) fn resolve(packages: &mut BTreeMap<String, Package>, diagnostics: &mut Diagnostics) {
    let messages = packages.values().flat_map(|package| &package.messages);
    let known: BTreeSet<_> = messages.map(|message| message.name.clone()).collect();
    let names: BTreeSet<_> = packages.keys().cloned().collect();
    for (name, package) in packages {
        let mut seen = BTreeSet::from([name.clone()]);
        seen.extend(package.imports.iter().map(|path| package_of_file(path)));
        for message in &mut package.messages {
            message.fields.retain_mut(|field| {
                let ProtoType::Message(written) = &mut field.ty else {
                    return true;
                };
                let problem = match target(written, name) {
                    Some(full) if known.contains(&full) && is_seen(&full, &seen) => {
                        *written = full;
                        return true;
                    }
                    found => problem(written, found.as_deref(), name, &names, &seen),
                };
                let (message, help) = problem;
                diagnostics.in_file(&package.file, Some(field.line), message, help);
                false
            });
        }
    }
}

/// The full name that a reference means: an absolute one starts with a dot, and other ones name a
/// message of the same package.
fn target(written: &str, package: &str) -> Option<String> {
    match written.strip_prefix('.') {
        Some(full) => Some(full.to_owned()),
        None if written.contains('.') => None,
        None => Some(format!("{package}.{written}")),
    }
}

/// Returns true if a file sees a message: it is of the same package or of one that it imports.
fn is_seen(full: &str, seen: &BTreeSet<String>) -> bool {
    let package = full.rsplit_once('.').map(|(package, _)| package);
    package.is_some_and(|package| seen.contains(package))
}

/// Returns the message about a reference that leads nowhere, and its help.
fn problem(
    written: &str,
    full: Option<&str>,
    package: &str,
    packages: &BTreeSet<String>,
    seen: &BTreeSet<String>,
) -> (String, String) {
    let Some((of, name)) = full.and_then(|full| full.rsplit_once('.')) else {
        return (
            format!("the type `{written}` is of another package, but has no dot before it"),
            format!("write `.{written}` if `{written}` is its full name"),
        );
    };
    let unknown = format!("the type `{written}` is unknown");
    if !packages.contains(of) {
        return (
            unknown,
            format!("no file has the package `{of}`: add the file, or mend the name"),
        );
    }
    if !seen.contains(of) {
        return (
            format!("the file of the type `{written}` isn't imported"),
            format!("import the file of the package `{of}`"),
        );
    }
    let of = if of == package { "this package" } else { of };
    (
        unknown,
        format!("{of} has no message `{name}`: add it, or mend the name"),
    )
}
