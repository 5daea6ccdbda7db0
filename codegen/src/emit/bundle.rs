//! The crate that bundles the others: it re-exports them, and macros of it list their kinds and
//! conversions, so that a program needs no list of its own.

use proc_macro2::TokenStream;
use quote::quote;

use super::comment::root_attributes;
use super::file::{Content, File, group_versions};
use super::item::Item;
use super::runtime::{Feature, MANIFESTS};
use super::{manifest, root};
use crate::config::Bundle;
use crate::doc::{self, NoLinks};
use crate::model::{ApiVersion, Crate};
use crate::name::{self, APPLY_MODULE, Ident, KINDS_FILE, SCHEME_FILE};

/// The files of the crate that bundles these.
pub(crate) fn emit(bundle: &Bundle, crates: &[Crate<'_>]) -> Vec<File> {
    let mut files = vec![manifest::bundle(bundle, crates), lib(bundle, crates)];
    files.push(file(KINDS_FILE, Content::Macros(macros(bundle, crates))));
    let scheme = Content::Rust {
        attributes: TokenStream::new(),
        items: registration(crates).into_iter().map(Item::from).collect(),
    };
    files.push(file(SCHEME_FILE, scheme));
    files
}

fn file(name: &str, content: Content) -> File {
    File {
        path: format!("src/{name}.rs"),
        origin: "codegen.toml".to_owned(),
        content,
    }
}

fn lib(bundle: &Bundle, crates: &[Crate<'_>]) -> File {
    let (kinds, scheme) = (name::fixed(KINDS_FILE), name::fixed(SCHEME_FILE));
    let gate = Feature::Manifests.gate();
    let mut items = vec![quote!(mod #kinds;), quote!(#gate mod #scheme;)];
    let modules = crates.iter().filter_map(module);
    let mut uses: Vec<_> = modules
        .map(|module| (module.clone(), quote!(pub use #module;)))
        .collect();
    let register = quote!(#gate pub use #scheme::add_to_scheme;);
    uses.push((scheme, register));
    uses.sort_by(|(a, _), (b, _)| a.cmp(b));
    items.extend(uses.into_iter().map(|(_, item)| item));
    items.extend(root::newest(crates));
    let attributes = root_attributes(&lines(bundle, crates));
    let items = items.into_iter().map(Item::from).collect();
    file("lib", Content::Rust { attributes, items })
}

fn lines(bundle: &Bundle, crates: &[Crate<'_>]) -> Vec<String> {
    let description = format!("{}.", bundle.description.trim_end_matches('.'));
    let mut lines = doc::lines(&description, &NoLinks);
    lines.extend(["", "| crate | group and version |", "|---|---|"].map(str::to_owned));
    for krate in crates {
        let Some(module) = module(krate) else {
            continue;
        };
        let versions = group_versions(&krate.versions);
        lines.push(format!("| [`{module}`] | {versions} |"));
    }
    lines.push(String::new());
    lines.push(
        "[`for_each_kind!`] and [`for_each_conversion!`] list the kinds and conversions of all \
         of them."
            .to_owned(),
    );
    lines.extend(root::feature_table(root::of_bundles(crates)));
    lines.extend(root::about(&bundle.about));
    lines
}

/// The name of a crate in code.
fn module(krate: &Crate<'_>) -> Option<Ident> {
    name::given_module(&krate.config.name.replace('-', "_"))
}

fn registration(crates: &[Crate<'_>]) -> Vec<TokenStream> {
    let mut calls = Vec::new();
    for krate in crates {
        let Some(root) = module(krate) else { continue };
        let mut modules: Vec<_> = krate
            .versions
            .iter()
            .filter(|version| version.kinds().next().is_some())
            .map(|version| version.module.as_ref())
            .collect();
        modules.sort();
        modules.dedup();
        for inner in modules {
            let inner = inner.into_iter();
            calls.push(quote!(#root::#(#inner::)* add_to_scheme(scheme);));
        }
    }
    vec![
        quote!(
            use #MANIFESTS::scheme::Scheme;
        ),
        quote! {
            /// Registers the kinds of all crates, their lists and their conversions.
            pub fn add_to_scheme(scheme: &mut Scheme) {
                #(#calls)*
            }
        },
    ]
}

/// The macros that list kinds and conversions. They are text, because neither prettyplease nor
/// rustfmt formats them.
fn macros(bundle: &Bundle, crates: &[Crate<'_>]) -> String {
    let mut kinds = String::new();
    let mut conversions = String::new();
    for krate in crates {
        for version in &krate.versions {
            add_rows(bundle, krate, version, &mut kinds, &mut conversions);
        }
    }
    let kinds = list(
        "for_each_kind",
        "\
/// Calls a macro with a row for each kind of all crates.
///
/// The name of a row is unique and a name for a test or a module. A kind without a list, or without
/// a type for server-side apply, has a row without that part. Tokens after the macro's name are
/// passed on before the rows.
",
        &kinds,
    );
    let conversions = list(
        "for_each_conversion",
        "\
/// Calls a macro with a row for each kind that is converted into a newer one and back.
///
/// The name of a row is that of the older kind in [`for_each_kind!`]. A conversion is `lossless`
/// if neither direction loses anything, and `lossy` otherwise. Tokens after the macro's name are
/// passed on before the rows.
",
        &conversions,
    );
    format!("//! The kinds and their conversions, listed in macros.\n\n{kinds}\n{conversions}")
}

fn list(name: &str, about: &str, rows: &str) -> String {
    format!(
        "\
{about}#[rustfmt::skip]
#[macro_export]
macro_rules! {name} {{
    ($($callback:ident)::+ $(, $($first:tt)*)?) => {{
        $($callback)::+! {{
            $($($first)*)?
{rows}        }}
    }};
}}
"
    )
}

/// Adds the rows of the kinds of a group-version, and of their conversions.
fn add_rows(
    bundle: &Bundle,
    krate: &Crate<'_>,
    version: &ApiVersion,
    kinds: &mut String,
    conversions: &mut String,
) {
    let Some(mut path) = module(krate).map(|module| format!("$crate::{module}")) else {
        return;
    };
    let mut prefix = prefix(bundle, krate);
    if let Some(inner) = &version.module {
        path = format!("{path}::{inner}");
        prefix = format!("{inner}_{prefix}");
    }
    for (schema, resource) in version.kinds() {
        let Some(ty) = version.types.get(schema) else {
            continue;
        };
        let Some(name) = name::module_name(&ty.name) else {
            continue;
        };
        let (name, kind) = (name.as_str().trim_end_matches('_'), &ty.name);
        *kinds += &format!("            {prefix}_{name}: {path}::{kind}");
        let list = resource
            .list
            .as_ref()
            .and_then(|list| version.types.get(list));
        if let Some(list) = list {
            *kinds += &format!(",\n                list = {path}::{}", list.name);
        }
        if version.derived.apply.types.contains_key(schema) {
            *kinds += &format!(",\n                apply = {path}::{APPLY_MODULE}::{kind}");
        }
        *kinds += ";\n";
        for conversion in version.conversions_of(schema) {
            let how = if conversion.total {
                "lossless"
            } else {
                "lossy"
            };
            *conversions += &format!(
                "            {prefix}_{name}: {how}\n                {path}::{kind}\n                \
                 => $crate::{};\n",
                conversion.to
            );
        }
    }
}

/// Returns the prefix of the names of a crate's rows: its name without the words that it has in
/// common with the bundle's.
fn prefix(bundle: &Bundle, krate: &Crate<'_>) -> String {
    let name = &krate.config.name;
    let words = name.split('-').zip(bundle.name.split('-'));
    let common: usize = words
        .take_while(|(a, b)| a == b)
        .map(|(word, _)| word.len() + 1)
        .sum();
    name.get(common..)
        .filter(|rest| !rest.is_empty())
        .unwrap_or(name)
        .replace('-', "_")
}
