//! The implementations of `Kind`, with the lifecycle of a kind, the keys of its lists and what can
//! have several owners, and of `StatusSubresource`.

use proc_macro2::TokenStream;
use quote::quote;

use super::runtime::KINDS;
use super::types::value_type;
use crate::model::{ApiVersion, KindName, Lifecycle, Resource, Role, Struct, Type};
use crate::release::Release;

/// The implementations of the traits of `kubernetes-kinds` for a kind.
pub(super) fn items(version: &ApiVersion, ty: &Type, object: &Struct) -> Vec<TokenStream> {
    let Role::Kind(resource) = &object.role else {
        return Vec::new();
    };
    let name = &ty.name;
    let lifecycle = match &ty.facts.lifecycle {
        Some(lifecycle) => {
            let lifecycle = lifecycle_of(lifecycle);
            quote!(Some(#lifecycle))
        }
        None => quote!(None),
    };
    let lists = resource
        .paths
        .keyed_lists
        .iter()
        .map(|(path, keys)| quote!((#path, &[#(#keys),*])));
    let granular = &resource.paths.granular;
    let deprecation = resource.deprecation.as_ref();
    let deprecation = deprecation
        .map(|warning| quote!(const DEPRECATION: Option<&'static str> = Some(#warning);));
    let kind = quote! {
        impl #KINDS::Kind for #name {
            const LIFECYCLE: Option<#KINDS::Lifecycle> = #lifecycle;

            const LIST_MAP_KEYS: #KINDS::ListMapKeys = &[#(#lists),*];

            const GRANULAR: &'static [&'static str] = &[#(#granular),*];

            #deprecation
        }
    };
    let status = status_impl(version, ty, object, resource);
    status.into_iter().chain([kind]).collect()
}

fn status_impl(
    version: &ApiVersion,
    ty: &Type,
    object: &Struct,
    resource: &Resource,
) -> Option<TokenStream> {
    let name = &ty.name;
    let field = object.field("status").filter(|field| !field.required)?;
    let status = value_type(version, &field.ty);
    resource.status.then(|| {
        quote! {
            impl #KINDS::StatusSubresource for #name {
                type Status = #status;

                fn status(&self) -> Option<&#status> {
                    self.status.as_ref()
                }

                fn status_mut(&mut self) -> &mut Option<#status> {
                    &mut self.status
                }
            }
        }
    })
}

pub(super) fn lifecycle_of(lifecycle: &Lifecycle) -> TokenStream {
    let introduced = release(lifecycle.introduced);
    let deprecated = optional(lifecycle.deprecated.map(release));
    let removed = optional(lifecycle.removed.map(release));
    let replacement = lifecycle.replacement.as_deref().and_then(KindName::parse);
    let replacement = optional(replacement.map(|kind| {
        let KindName { api_version, kind } = kind;
        quote!(#KINDS::Replacement { api_version: #api_version, kind: #kind })
    }));
    quote! {
        #KINDS::Lifecycle {
            introduced: #introduced,
            deprecated: #deprecated,
            removed: #removed,
            replacement: #replacement,
        }
    }
}

pub(super) fn optional(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(Some(#value)),
        None => quote!(None),
    }
}

pub(super) fn release(release: Release) -> TokenStream {
    let numbers = [release.major, release.minor];
    let [major, minor] = numbers.map(proc_macro2::Literal::u16_unsuffixed);
    quote!(#KINDS::Release::new(#major, #minor))
}
