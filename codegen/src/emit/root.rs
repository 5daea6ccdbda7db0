//! `lib.rs`: the documentation of the crate, its modules, and the exports of its types.

use proc_macro2::TokenStream;
use quote::quote;

use super::comment::{inner_comment, root_attributes};
use super::declared::{Declared, declarations, of_types};
use super::file::{File, group_versions, origins, places, releases};
use super::imports::{self, use_item};
use super::runtime::{Feature, KINDS, VALIDATION};
use super::{apply, by_hand, counterparts, definition, merge, schema, scheme, validation};
use crate::config::{Part, Parts};
use crate::doc::{self, NoLinks};
use crate::model::{ApiVersion, Crate, Resource, Type};
use crate::name::{self, APPLY_MODULE, Ident, PRELUDE_MODULE, RustPath};
use crate::release::Release;

/// The root of the crate and the modules below it that are the root of others.
pub(super) fn files(krate: &Crate<'_>) -> Vec<File> {
    let places = places(krate);
    let all: Vec<_> = places.keys().copied().flatten().collect();
    let files = places
        .iter()
        .map(|(here, versions)| file(krate, *here, versions, &all));
    files.collect()
}

fn file(krate: &Crate<'_>, here: Option<&Ident>, versions: &[&ApiVersion], all: &[&Ident]) -> File {
    let mut modules: Vec<_> = versions
        .iter()
        .flat_map(|version| of_types(version, &version.layout.modules))
        .collect();
    let by_hand = by_hand::modules(krate).into_iter();
    let by_hand = by_hand.filter(|((module, _), _)| module.as_ref() == here);
    modules.extend(by_hand.map(|((_, name), how)| Declared::new(name, how.0, how.1)));
    modules.extend(apply::module(versions));
    modules.extend(counterparts::module(versions));
    modules.extend(definition::module(versions));
    modules.extend(merge::module(versions));
    modules.extend(schema::module(versions));
    modules.extend(validation::module(versions));
    modules.extend(scheme::modules(versions));
    if here.is_none() {
        modules.extend(
            all.iter()
                .map(|name| Declared::new((*name).clone(), true, None)),
        );
    }
    modules.retain(|module| module.is_in(&krate.config.parts));
    let mut items = declarations(modules, imports::re_exports(versions));
    let more = krate.config.prelude.as_deref().filter(|_| here.is_none());
    items.extend(prelude(versions, more, &krate.config.parts));
    if here.is_none() {
        items.extend(newest(std::slice::from_ref(krate)));
    }
    let docs = lines(krate, versions, here, all);
    let (path, origin, attributes) = match here {
        Some(module) => (
            format!("src/{module}/mod.rs"),
            origins(versions.iter().copied()),
            inner_comment(&docs),
        ),
        None => (
            "src/lib.rs".to_owned(),
            origins(&krate.versions),
            root_attributes(&docs),
        ),
    };
    File::rust(path, origin, attributes, items)
}

/// The module with what most programs import, and all items of another module.
fn prelude(versions: &[&ApiVersion], more: Option<&str>, parts: &Parts) -> Option<TokenStream> {
    let kinds = versions.iter().flat_map(|version| {
        version
            .kinds()
            .filter_map(|(name, _)| Some(&version.types.get(name)?.name))
    });
    let mut kinds: Vec<_> = kinds.collect();
    if kinds.is_empty() {
        return None;
    }
    kinds.sort();
    let kinds = use_item(&quote!(pub use super::), &kinds);
    let name = name::fixed(PRELUDE_MODULE);
    let gate = Feature::Validation.gate();
    let more = more.and_then(|module| RustPath::parse("prelude", Some(module)));
    let more = more.map(|path| path.module());
    let more = more.map(|module| quote!(pub use #module::*;));
    let validates = validation::module(versions).is_some_and(|module| module.is_in(parts));
    let validation = validates.then(|| quote!(#gate pub use #VALIDATION::{Target, Validate};));
    Some(quote! {
        /// The kinds, and the traits and builders that most programs need beside them.
        pub mod #name {
            #kinds
            #more
            pub use #KINDS::prelude::*;
            #validation
        }
    })
}

/// The constant with the newest release that the documents of the crates describe.
pub(super) fn newest(crates: &[Crate<'_>]) -> Option<TokenStream> {
    let versions = crates.iter().flat_map(|krate| &krate.versions);
    let newest = versions.map(|version| version.release).max()?;
    let value = super::kind::release(newest);
    Some(quote! {
        /// The newest Kubernetes release whose fields and rules the crate has.
        pub const KUBERNETES: #KINDS::Release = #value;
    })
}

/// The features that add something to the crate, after an empty line.
pub(super) fn features(krate: &Crate<'_>) -> Vec<String> {
    let versions: Vec<_> = krate.versions.iter().collect();
    let adds = |feature: &Feature| match feature {
        Feature::Apply => apply::module(&versions).is_some(),
        Feature::Counterparts => counterparts::module(&versions).is_some(),
        Feature::Definition => definition::module(&versions).is_some(),
        Feature::Manifests => !scheme::modules(&versions).is_empty(),
        Feature::Merge => merge::module(&versions).is_some(),
        // Crates with types have the one, and those with numbers the other.
        Feature::Protobuf | Feature::Schemars => true,
        Feature::Validation => validation::module(&versions).is_some(),
    };
    let has = |feature: &Feature| has(krate, *feature);
    feature_table(Feature::ALL.into_iter().filter(has).filter(adds))
}

/// Returns true if a crate has a feature. One that adds nothing to it is there for the crates that
/// bring the feature of others, but for that of definitions, which depends on kube, and that of
/// protobuf.
pub(super) fn has(krate: &Crate<'_>, feature: Feature) -> bool {
    let is_wanted = krate.config.parts.has(feature.part());
    is_wanted
        && match feature {
            Feature::Definition => definition::is_any(krate),
            Feature::Protobuf => krate.versions.iter().any(|version| version.has_numbers),
            _ => true,
        }
}

/// The features of a crate that bundles others.
pub(super) fn of_bundles(crates: &[Crate<'_>]) -> impl Iterator<Item = Feature> {
    let parts = Parts::default();
    let all = Feature::ALL.into_iter();
    let is_there = |feature| crates.iter().any(|krate| has(krate, feature));
    all.filter(move |feature| parts.has(feature.part()) && is_there(*feature))
}

/// The table of features, after an empty line.
pub(super) fn feature_table(features: impl Iterator<Item = Feature>) -> Vec<String> {
    let rows = features.map(|f| format!("| `{}` | {} |", f.name(), f.adds()));
    let rows: Vec<_> = rows.collect();
    let head = "None of the features is on by default:\n\n| feature | adds |\n|---|---|";
    below(head, rows)
}

/// The rows of a table below its head, after an empty line; nothing without rows.
fn below(head: &str, rows: Vec<String>) -> Vec<String> {
    if rows.is_empty() {
        return rows;
    }
    let before = std::iter::once("").chain(head.lines());
    before.map(str::to_owned).chain(rows).collect()
}

/// The documentation of the root or of the module that is here.
pub(super) fn lines(
    krate: &Crate<'_>,
    versions: &[&ApiVersion],
    here: Option<&Ident>,
    all: &[&Ident],
) -> Vec<String> {
    let mut lines = Vec::new();
    if here.is_none() {
        let description = format!("{}.", krate.config.description.trim_end_matches('.'));
        lines.extend(doc::lines(&description, &NoLinks));
    } else {
        let names = group_versions(versions.iter().copied());
        lines.push(format!("Types of {names}."));
    }
    if !versions.is_empty() {
        lines.push(String::new());
        lines.push(if versions.iter().all(|version| version.is_custom) {
            "Generated from the schemas of custom resources.".to_owned()
        } else {
            format!(
                "Generated from OpenAPI documents, as of Kubernetes {}.",
                releases(versions)
            )
        });
    }
    lines.extend(table(versions));
    let custom = versions.iter().filter(|version| version.is_custom);
    let unchecked = custom.map(|version| version.unchecked().count()).sum();
    if unchecked > 0 && krate.config.parts.has(Part::Validation) {
        lines.push(String::new());
        lines.extend(doc::filled(&not_checked(unchecked)));
    }
    if apply::module(versions).is_some() {
        lines.push(String::new());
        // No link, because without the feature there is nothing to link to.
        lines.push(format!(
            "Types for server-side apply are in `{APPLY_MODULE}`, with the feature `{}`.",
            Feature::Apply.name()
        ));
    }
    if let Some(here) = here {
        let documents = krate.config.documents.iter();
        let mine = documents.filter(|d| d.module.as_deref() == Some(here.as_str()));
        lines.extend(mine.flat_map(|document| about(&document.about)));
        return lines;
    }
    lines.extend(all.iter().flat_map(|module| {
        let inside = krate
            .versions
            .iter()
            .filter(|v| v.module.as_ref() == Some(*module));
        let names = group_versions(inside);
        [
            String::new(),
            format!("Those of {names} are in [`{module}`]."),
        ]
    }));
    lines.extend(features(krate));
    lines.extend(about(&krate.config.about));
    lines
}

/// Returns a note on rules of the schemas that aren't checked.
fn not_checked(rules: usize) -> String {
    let (s, are) = if rules == 1 { ("", "is") } else { ("s", "are") };
    format!(
        "{rules} rule{s} of the schemas {are} left to a server: what breaks one passes validation here. The \
         constant `UNCHECKED`, with the feature `{}`, lists them.",
        Feature::Validation.name()
    )
}

/// Returns the text of the configuration, after an empty line.
pub(super) fn about(text: &str) -> Vec<String> {
    let lines = text
        .trim_end()
        .lines()
        .map(|line| doc::harmless(line).into_owned());
    let before = (!text.is_empty()).then(String::new);
    before.into_iter().chain(lines).collect()
}

/// The words of tables about the scope of a kind and its subresource.
pub(super) fn scope_and_status(resource: &Resource) -> (&'static str, &'static str) {
    let scope = match resource.namespaced {
        true => "namespace",
        false => "cluster",
    };
    (scope, if resource.status { "status" } else { "" })
}

/// The kinds, with what one looks up first.
fn table(versions: &[&ApiVersion]) -> Vec<String> {
    let kinds = versions.iter().flat_map(|version| {
        let kinds = version.kinds();
        kinds.filter_map(|(name, resource)| Some((version.types.get(name)?, resource)))
    });
    let kinds: Vec<(&Type, &Resource)> = kinds.collect();
    let removed = |ty: &Type| ty.facts.lifecycle.as_ref().and_then(|l| l.removed);
    // A column that would be empty is left out.
    let any_removed = kinds.iter().any(|(ty, _)| removed(ty).is_some());
    let any_since = versions.iter().any(|version| !version.is_custom);
    let mut rows: Vec<_> = kinds
        .into_iter()
        .map(|(ty, resource)| {
            let shown = |at: Option<Release>| at.map(|at| at.to_string()).unwrap_or_default();
            let (scope, status) = scope_and_status(resource);
            let since = match any_since {
                true => {
                    let since = ty.facts.lifecycle.as_ref().map(|l| l.introduced);
                    format!(" {} |", shown(since))
                }
                false => String::new(),
            };
            let removed = match any_removed {
                true => format!(" {} |", shown(removed(ty))),
                false => String::new(),
            };
            format!("| [`{}`] | {scope} |{since}{removed} {status} |", ty.name)
        })
        .collect();
    rows.sort();
    let head = match (any_since, any_removed) {
        (_, true) => "| kind | scope | since | removed | subresource |\n|---|---|---|---|---|",
        (true, false) => "| kind | scope | since | subresource |\n|---|---|---|---|",
        (false, false) => "| kind | scope | subresource |\n|---|---|---|",
    };
    below(head, rows)
}
