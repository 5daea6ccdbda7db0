//! Registration of the kinds, as `register.go` in Kubernetes' own packages.
//!
//! The group and version are in another file, because registration is a feature.

use proc_macro2::TokenStream;
use quote::quote;

use super::declared::Declared;
use super::file::{File, folder, origins, places};
use super::imports::use_item;
use super::runtime::{Feature, KINDS, MANIFESTS};
use crate::model::{ApiVersion, Conversion, Crate, Resource, SchemaName};
use crate::name::{self, GROUP_FILE, Ident, SCHEME_FILE};

/// The files with the group and version of the modules that have kinds of one.
pub(super) fn group_files(krate: &Crate<'_>) -> Vec<File> {
    let places = places(krate).into_iter();
    let files = places.filter_map(|(module, versions)| {
        let kinds = kinds(&versions);
        let items = group_version(module, one_group_version(&kinds)?);
        Some(file(module, &versions, GROUP_FILE, items))
    });
    files.collect()
}

/// The files that register the kinds of modules.
pub(super) fn files(krate: &Crate<'_>) -> Vec<File> {
    let places = places(krate).into_iter();
    let files = places.filter_map(|(module, versions)| {
        let kinds = kinds(&versions);
        let items = (!kinds.is_empty()).then(|| registration(module, &kinds))?;
        Some(file(module, &versions, SCHEME_FILE, items))
    });
    files.collect()
}

fn file(
    module: Option<&Ident>,
    versions: &[&ApiVersion],
    name: &str,
    items: Vec<TokenStream>,
) -> File {
    let path = format!("{}{name}.rs", folder(module));
    File::rust(
        path,
        origins(versions.iter().copied()),
        TokenStream::new(),
        items,
    )
}

fn kinds<'a>(versions: &[&'a ApiVersion]) -> Vec<Kind<'a>> {
    let kinds = versions.iter().map(|v| v.kinds().map(move |k| (*v, k)));
    kinds.flatten().collect()
}

fn registration(module: Option<&Ident>, kinds: &[Kind<'_>]) -> Vec<TokenStream> {
    let mut types: Vec<&Ident> = Vec::new();
    let mut calls: Vec<TokenStream> = Vec::new();
    let mut conversions: Vec<TokenStream> = Vec::new();
    for (version, (schema, resource)) in kinds {
        let name = |schema: &SchemaName| version.types.get(schema).map(|ty| &ty.name);
        let Some(kind) = name(schema) else { continue };
        let of_kind = conversions_of(version, schema, kind);
        if !of_kind.is_empty() || resource.list.is_none() {
            types.push(kind);
        }
        conversions.extend(of_kind);
        let list = resource
            .list
            .as_ref()
            .and_then(|list| Some((list, name(list)?)));
        // The list brings its kind along.
        calls.push(match list {
            Some((_, list)) => quote!(scheme.add_list::<#list>();),
            None => quote!(scheme.add_kind::<#kind>();),
        });
        if let Some((schema, list)) = list {
            types.push(list);
            conversions.extend(conversions_of(version, schema, list));
        }
    }
    types.sort();
    types.dedup();
    let inner = module.iter();
    let types = use_item(&quote!(use crate::#(#inner::)*), &types);
    vec![
        quote!(
            use #MANIFESTS::scheme::Scheme;
        ),
        types,
        quote! {
            /// Makes the kinds, their lists and their conversions known to a scheme.
            pub fn add_to_scheme(scheme: &mut Scheme) {
                #(#calls)*
                #(#conversions)*
            }
        },
    ]
}

/// The files, for the module that declares them.
pub(super) fn modules(versions: &[&ApiVersion]) -> Vec<Declared> {
    let kinds = kinds(versions);
    let mut modules = Vec::new();
    if one_group_version(&kinds).is_some() {
        let exports = ["GROUP_VERSION", "resource"].map(name::fixed).into();
        let group = Declared::new(name::fixed(GROUP_FILE), false, None);
        modules.push(group.exporting(exports));
    }
    if !kinds.is_empty() {
        let gate = Some(Feature::Manifests);
        let scheme = Declared::new(name::fixed(SCHEME_FILE), false, gate);
        modules.push(scheme.exporting(vec![name::fixed("add_to_scheme")]));
    }
    modules
}

type Kind<'a> = (&'a ApiVersion, (&'a SchemaName, &'a Resource));

/// A kind of the group and version, if all kinds are of one.
fn one_group_version<'a>(kinds: &[Kind<'a>]) -> Option<&'a Ident> {
    let mut all = kinds
        .iter()
        .map(|(_, (_, resource))| resource.api_version());
    let first = all.next();
    let (version, (schema, _)) = kinds.first()?;
    let kind = &version.types.get(*schema)?.name;
    all.all(|other| Some(other) == first).then_some(kind)
}

fn group_version(module: Option<&Ident>, kind: &Ident) -> Vec<TokenStream> {
    let inner = module.iter();
    vec![
        quote!(
            use #KINDS::{GroupResource, GroupVersion};
        ),
        quote!(
            use crate::#(#inner::)* #kind;
        ),
        quote! {
            /// The group and version of the kinds.
            pub static GROUP_VERSION: GroupVersion = GroupVersion::of::<#kind>();
        },
        quote! {
            /// The resource of that name in the group, such as the plural of a kind.
            pub fn resource(
                resource: impl Into<std::borrow::Cow<'static, str>>,
            ) -> GroupResource {
                GROUP_VERSION.resource(resource)
            }
        },
    ]
}

fn conversions_of(version: &ApiVersion, schema: &SchemaName, name: &Ident) -> Vec<TokenStream> {
    let conversions = version.conversions_of(schema);
    let both = |Conversion { to, total, .. }: &Conversion| {
        let method = if *total {
            quote!(add_conversion)
        } else {
            quote!(add_lossy_conversion)
        };
        [
            quote!(scheme.#method::<#name, #to>();),
            quote!(scheme.#method::<#to, #name>();),
        ]
    };
    conversions.flat_map(both).collect()
}
