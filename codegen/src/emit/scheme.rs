//! What registers the kinds: the counterpart of `register.go` in Kubernetes' own packages.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Content, File};
use crate::model::{ApiVersion, Conversion, Resource, SchemaName};
use crate::name::{Ident, SCHEME_FILE};

/// The file of one module of the crate, if it has kinds.
pub(super) fn file(module: Option<&Ident>, versions: &[&ApiVersion]) -> Option<File> {
    let kinds: Vec<_> = versions
        .iter()
        .flat_map(|version| version.kinds().map(move |k| (*version, k)))
        .collect();
    let (version, (first, _)) = kinds.first()?;
    let first = &version.types.get(*first)?.name;
    let mut types: Vec<&Ident> = Vec::new();
    let mut calls: Vec<TokenStream> = Vec::new();
    let mut conversions: Vec<TokenStream> = Vec::new();
    for (version, (schema, resource)) in &kinds {
        let name = |schema: &SchemaName| version.types.get(schema).map(|ty| &ty.name);
        let Some(kind) = name(schema) else { continue };
        let of_kind = conversions_of(version, schema, kind);
        if !of_kind.is_empty() || resource.list.is_none() {
            types.push(kind);
        }
        conversions.extend(of_kind);
        let list = resource.list.as_ref().and_then(|list| Some((list, name(list)?)));
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
    let one = is_one_group_version(&kinds);
    if one {
        types.push(first);
    }
    types.sort();
    types.dedup();
    let inner = module.iter();
    let mut items = vec![quote!(
        use apimachinery::scheme::Scheme;
    )];
    if one {
        items.push(quote!(
            use apimachinery::{GroupResource, GroupVersion};
        ));
    }
    items.push(match types.as_slice() {
        [name] => quote!(use crate::#(#inner::)* #name;),
        names => quote!(use crate::#(#inner::)* {#(#names),*};),
    });
    if one {
        items.extend(group_version(first));
    }
    items.push(quote! {
        /// Makes the kinds, their lists and their conversions known to a scheme.
        pub fn add_to_scheme(scheme: &mut Scheme) {
            #(#calls)*
            #(#conversions)*
        }
    });
    let folder = module.map(|module| format!("{module}/")).unwrap_or_default();
    let origin: Vec<_> = versions.iter().map(|version| version.file.as_str()).collect();
    Some(File {
        path: format!("src/{folder}{SCHEME_FILE}.rs"),
        origin: origin.join(",\n// "),
        content: Content::Rust {
            attributes: TokenStream::new(),
            items,
        },
    })
}

/// What the root makes public of it.
pub(super) fn exports(versions: &[&ApiVersion]) -> Option<TokenStream> {
    let kinds: Vec<_> = versions
        .iter()
        .flat_map(|version| version.kinds().map(move |k| (*version, k)))
        .collect();
    match kinds.as_slice() {
        [] => None,
        kinds if is_one_group_version(kinds) => Some(quote!(
            pub use scheme::{GROUP_VERSION, add_to_scheme, resource};
        )),
        _ => Some(quote!(
            pub use scheme::add_to_scheme;
        )),
    }
}

type Kind<'a> = (&'a ApiVersion, (&'a SchemaName, &'a Resource));

fn is_one_group_version(kinds: &[Kind<'_>]) -> bool {
    let mut all = kinds.iter().map(|(_, (_, resource))| resource.api_version());
    let first = all.next();
    all.all(|other| Some(other) == first)
}

fn group_version(kind: &Ident) -> Vec<TokenStream> {
    vec![
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

fn conversions_of(
    version: &ApiVersion,
    schema: &SchemaName,
    name: &Ident,
) -> Vec<TokenStream> {
    let conversions = version.conversions.get(schema).into_iter().flatten();
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
