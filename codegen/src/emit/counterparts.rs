//! Conversion from and to the types of k8s-openapi: a table of the fields of each type, which a
//! macro of `kubernetes-kinds` takes.

use proc_macro2::{Span, TokenStream};
use quote::quote;

use super::comment::inner_comment;
use super::declared::Declared;
use super::file::{File, folder, origins, places};
use super::imports::use_item;
use super::runtime::{Feature, KINDS};
use crate::model::{
    ApiVersion, Availability, Counterpart, Crate, Field, Rest, Role, SchemaName, Shape, Struct,
};
use crate::name::{self, COUNTERPARTS_FILE, Ident};
use crate::release::Release;

/// The comment at the top of a file.
const ABOUT: [&str; 4] = [
    "Conversion from and to the types of `k8s_openapi`, which depend on the Kubernetes release",
    "that it is built for.",
    "",
    "`k8s_if_ge_1_36` stands for 1.36 and later releases, `k8s_if_le_1_35` for 1.35 and earlier.",
];

/// The module, if k8s-openapi has any of the types.
pub(super) fn module(versions: &[&ApiVersion]) -> Option<Declared> {
    let any = versions
        .iter()
        .any(|version| !version.derived.counterparts.is_empty());
    let name = name::fixed(COUNTERPARTS_FILE);
    any.then(|| Declared::new(name, false, Some(Feature::Counterparts)))
}

pub(super) fn files(krate: &Crate<'_>) -> Vec<File> {
    let places = places(krate);
    places
        .iter()
        .filter_map(|(place, versions)| file(*place, versions))
        .collect()
}

fn file(place: Option<&Ident>, versions: &[&ApiVersion]) -> Option<File> {
    let versions: Vec<_> = versions
        .iter()
        .copied()
        .filter(|version| !version.derived.counterparts.is_empty())
        .collect();
    let (mut names, mut tables) = (Vec::new(), Vec::new());
    for version in &versions {
        for schema in version
            .layout
            .modules
            .iter()
            .flat_map(|module| &module.types)
        {
            let Some(ty) = version.types.get(schema) else {
                continue;
            };
            let table = match (&ty.shape, version.derived.counterparts.get(schema)) {
                (Shape::Struct(object), Some(counterpart)) => present(
                    counterpart,
                    table(version, schema, &ty.name, object, counterpart),
                ),
                (Shape::Enum(_), _) if is_held(version, schema) => {
                    let name = &ty.name;
                    quote!(counterpart::enumeration! { #name })
                }
                _ => continue,
            };
            names.push(&ty.name);
            tables.push(table);
        }
    }
    names.sort();
    if names.is_empty() {
        return None;
    }
    let inner = place.iter();
    let path = quote!(crate::#(#inner::)*);
    let mut items = vec![
        quote!(
            use #KINDS::counterpart;
        ),
        use_item(&quote!(use #path), &names),
    ];
    items.extend(tables);
    let mut about = Vec::from(ABOUT);
    let mut all = versions
        .iter()
        .flat_map(|version| version.derived.counterparts.values());
    let allow = all.any(|c| c.since.is_some() || c.last.is_some()).then(|| {
        about.push("A type that a release lacks is imported all the same.");
        quote!(#![allow(unused_imports)])
    });
    let about: Vec<_> = about.into_iter().map(str::to_owned).collect();
    let mut attributes = inner_comment(&about);
    attributes.extend(allow);
    let path = format!("{}{COUNTERPARTS_FILE}.rs", folder(place));
    Some(File::rust(path, origins(versions), attributes, items))
}

/// Returns true if a type with a counterpart has fields of this enumeration.
fn is_held(version: &ApiVersion, schema: &str) -> bool {
    let users = version.layout.graph.users(&schema.to_owned());
    users
        .iter()
        .any(|(owner, _)| version.derived.counterparts.contains_key(owner))
}

/// The table for the releases of k8s-openapi that have the type.
fn present(counterpart: &Counterpart, table: TokenStream) -> TokenStream {
    let since = counterpart.since.map(from);
    let until = counterpart.last.map(to);
    since
        .into_iter()
        .chain(until)
        .fold(table, |table, gate| quote!(k8s_openapi::#gate! { #table }))
}

fn table(
    version: &ApiVersion,
    schema: &SchemaName,
    name: &Ident,
    object: &Struct,
    counterpart: &Counterpart,
) -> TokenStream {
    let theirs = &counterpart.path;
    let theirs = match object.role {
        Role::List { .. } => quote!(k8s_openapi::List<#theirs>),
        _ => quote!(#theirs),
    };
    let how = match counterpart.complete {
        Availability::Always => quote!(total),
        Availability::Never => quote!(partial),
        Availability::Since(release) => {
            let gates = gates(release);
            quote!(total #gates)
        }
    };
    let mut fields: Vec<_> = object.fields.iter().zip(&counterpart.fields).collect();
    // The macro takes those of all releases first.
    fields.sort_by_key(|(_, has)| **has != Availability::Always);
    let rows = fields
        .into_iter()
        .map(|(field, has)| row(version, schema, field, *has));
    let unknown = object
        .unknown
        .iter()
        .map(|Rest { name, .. }| quote!(_ => #name));
    let rows = rows.chain(unknown);
    quote! {
        counterpart::object! {
            #name => #theirs { #how, #(#rows,)* }
        }
    }
}

fn row(version: &ApiVersion, owner: &SchemaName, field: &Field, has: Availability) -> TokenStream {
    let (key, name) = (&field.json, &field.name);
    let gates = match has {
        Availability::Always => None,
        Availability::Never => Some(quote!([])),
        Availability::Since(release) => Some(gates(release)),
    };
    let held = field.ty.reference();
    let own = held.filter(|held| version.types.contains_key(*held));
    // k8s-openapi has a `Box` only where a type holds itself.
    let graph = &version.layout.graph;
    let is_boxed_there = own.is_some_and(|held| graph.is_recursive(owner, held));
    let shape = match (own, field.form.boxed && !is_boxed_there) {
        (Some(_), false) => Some(quote!(as part)),
        (Some(_), true) => Some(quote!(as boxed_part)),
        (None, true) => Some(quote!(as boxed)),
        (None, false) => None,
    };
    quote!(#gates #key => #name #shape)
}

/// The macros of k8s-openapi for the releases from this one, and for those before it.
fn gates(release: Release) -> TokenStream {
    let (since, before) = (from(release), to(before(release)));
    quote!([#since #before])
}

fn before(release: Release) -> Release {
    Release {
        minor: release.minor.saturating_sub(1),
        ..release
    }
}

fn from(Release { major, minor }: Release) -> proc_macro2::Ident {
    gate(&format!("k8s_if_ge_{major}_{minor}"))
}

fn to(Release { major, minor }: Release) -> proc_macro2::Ident {
    gate(&format!("k8s_if_le_{major}_{minor}"))
}

fn gate(name: &str) -> proc_macro2::Ident {
    proc_macro2::Ident::new(name, Span::call_site())
}
