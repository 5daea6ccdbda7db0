//! `lib.rs`: the documentation of the crate, its modules, and the exports of its types.

use proc_macro2::TokenStream;
use quote::quote;

use super::imports::use_item;
use super::runtime::{Feature, KINDS};
use super::scheme::Export;
use super::{
    File, apply, by_hand, group_versions, inner_comment, origins, places, releases,
    scheme, validation,
};
use crate::doc::{self, NoLinks};
use crate::model::{ApiVersion, Crate, Resource, Type};
use crate::name::Ident;
use crate::release::Release;

/// The root of the crate and the modules below it that are the root of others.
pub(super) fn files(krate: &Crate<'_>) -> Vec<File> {
    let places = places(krate);
    let all: Vec<_> = places.keys().copied().flatten().collect();
    let files = places.iter().map(|(here, versions)| file(krate, *here, versions, &all));
    files.collect()
}

fn file(
    krate: &Crate<'_>,
    here: Option<&Ident>,
    versions: &[&ApiVersion],
    all: &[&Ident],
) -> File {
    let mut items: Vec<TokenStream> = Vec::new();
    let modules = versions.iter().flat_map(|v| v.modules.iter().map(move |m| (v, m)));
    let by_hand = by_hand::modules(krate).into_iter();
    let by_hand = by_hand.filter(|((module, _), _)| module.as_ref() == here);
    let by_hand = by_hand.map(|((_, file), how)| (how.public, (file, how.gate)));
    let (public, private): (Vec<_>, Vec<_>) = by_hand.partition(|(public, _)| *public);
    let mut public: Vec<Declared> =
        public.into_iter().map(|(_, declared)| declared).collect();
    public.extend(apply::module(versions).map(|name| (name, Some(Feature::Apply))));
    if here.is_none() {
        public.extend(all.iter().map(|name| ((*name).clone(), None)));
    }
    items.extend(declarations(public, &quote!(pub mod)));
    let mut names: Vec<Declared> =
        modules.clone().map(|(_, module)| (module.name.clone(), None)).collect();
    names.extend(private.into_iter().map(|(_, declared)| declared));
    let exports = scheme::exports(versions);
    names.extend(exports.iter().map(|export| (export.file.clone(), export.gate)));
    names.extend(
        validation::module(versions).map(|name| (name, Some(Feature::Validation))),
    );
    items.extend(declarations(names, &quote!(mod)));
    let mut uses: Vec<_> = exports
        .iter()
        .map(|Export { file, gate, names }| {
            let gate = gate.map(Feature::gate);
            (file, quote!(#gate pub use #file::#names;))
        })
        .collect();
    for (version, module) in modules {
        let file = &module.name;
        let types = module.types.iter().filter_map(|name| version.types.get(name));
        let mut types: Vec<_> = types.map(|ty| &ty.name).collect();
        types.sort();
        uses.push((file, use_item(&quote!(pub use #file::), &types)));
    }
    uses.sort_by_key(|(file, _)| *file);
    items.extend(uses.into_iter().map(|(_, item)| item));
    if here.is_none() {
        items.extend(newest(std::slice::from_ref(krate)));
    }
    let attributes = inner_comment(&lines(krate, versions, here, all));
    let (path, origin) = match here {
        Some(module) => {
            (format!("src/{module}/mod.rs"), origins(versions.iter().copied()))
        }
        None => ("src/lib.rs".to_owned(), origins(&krate.versions)),
    };
    File::rust(path, origin, attributes, items)
}

/// The constant with the newest release that the documents of the crates describe.
pub(super) fn newest(crates: &[Crate<'_>]) -> Option<TokenStream> {
    let documents = crates.iter().flat_map(|krate| &krate.config.documents);
    let newest = documents.map(|document| document.described()).max()?;
    let value = super::kind::release(newest);
    Some(quote! {
        /// The newest Kubernetes release whose fields and rules the crate has.
        pub const KUBERNETES: #KINDS::Release = #value;
    })
}

/// A module, and the feature that brings it, if not all have it.
type Declared = (Ident, Option<Feature>);

/// The items that declare the modules, sorted.
fn declarations(mut modules: Vec<Declared>, how: &TokenStream) -> Vec<TokenStream> {
    modules.sort_by(|a, b| a.0.cmp(&b.0));
    let items = modules.into_iter().map(|(name, feature)| {
        let gate = feature.map(Feature::gate);
        quote!(#gate #how #name;)
    });
    items.collect()
}

/// The features that add something to the crate, after an empty line.
fn features(krate: &Crate<'_>) -> Vec<String> {
    let versions: Vec<_> = krate.versions.iter().collect();
    let adds = |feature: &Feature| match feature {
        Feature::Apply => apply::module(&versions).is_some(),
        Feature::Manifests => !scheme::exports(&versions).is_empty(),
        Feature::Validation => validation::module(&versions).is_some(),
    };
    feature_table(Feature::ALL.into_iter().filter(adds))
}

/// The table of features, after an empty line.
pub(super) fn feature_table(features: impl Iterator<Item = Feature>) -> Vec<String> {
    let rows = features.map(|f| format!("| `{}` | {} |", f.name(), f.adds()));
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return rows;
    }
    let head = [
        String::new(),
        "None of the features is on by default:".to_owned(),
        String::new(),
        "| feature | adds |".to_owned(),
        "|---|---|".to_owned(),
    ];
    head.into_iter().chain(rows).collect()
}

fn lines(
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
        lines.push(format!(
            "Generated from OpenAPI documents, as of Kubernetes {}.",
            releases(versions)
        ));
    }
    lines.extend(table(versions));
    if let Some(apply) = apply::module(versions) {
        lines.push(String::new());
        // No link, because without the feature there is nothing to link to.
        lines.push(format!(
            "Types for server-side apply are in `{apply}`, with the feature `{}`.",
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
        let inside =
            krate.versions.iter().filter(|v| v.module.as_ref() == Some(*module));
        let names = group_versions(inside);
        [String::new(), format!("Those of {names} are in [`{module}`].")]
    }));
    lines.extend(features(krate));
    lines.extend(about(&krate.config.about));
    lines
}

/// What the configuration has to say, after an empty line.
pub(super) fn about(text: &str) -> Vec<String> {
    let lines = text.trim_end().lines().map(doc::harmless);
    let before = (!text.is_empty()).then(String::new);
    before.into_iter().chain(lines).collect()
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
    let mut rows: Vec<_> = kinds
        .into_iter()
        .map(|(ty, resource)| {
            let shown =
                |at: Option<Release>| at.map(|at| at.to_string()).unwrap_or_default();
            let scope = if resource.namespaced {
                "namespace"
            } else {
                "cluster"
            };
            let since = shown(ty.facts.lifecycle.as_ref().map(|l| l.introduced));
            let removed = match any_removed {
                true => format!(" {} |", shown(removed(ty))),
                false => String::new(),
            };
            let status = if resource.status { "status" } else { "" };
            format!("| [`{}`] | {scope} | {since} |{removed} {status} |", ty.name)
        })
        .collect();
    if rows.is_empty() {
        return rows;
    }
    rows.sort();
    let (title, line) = if any_removed {
        (" removed |", "---|")
    } else {
        ("", "")
    };
    let head = [
        String::new(),
        format!("| kind | scope | since |{title} subresource |"),
        format!("|---|---|---|{line}---|"),
    ];
    head.into_iter().chain(rows).collect()
}
