//! The implementations of k8s-openapi's traits for kinds and lists, which kube uses.

use proc_macro2::TokenStream;
use quote::quote;

use super::types::value_type;
use crate::model::{ApiVersion, Resource, Role, Struct, Type};

/// The trait implementations of a kind or list.
pub(super) fn items(version: &ApiVersion, ty: &Type, object: &Struct) -> Vec<TokenStream> {
    let resource = match &object.role {
        Role::Kind(resource) | Role::Apply(resource) => {
            Some((resource, (&*resource.kind, &*resource.plural)))
        }
        // A list has no place of its own in the API server, as in k8s-openapi.
        Role::List { item, kind } => match version.object(item).map(|item| &item.role) {
            Some(Role::Kind(resource)) => Some((resource, (&**kind, ""))),
            _ => None,
        },
        Role::Part => None,
    };
    let Some((resource, names)) = resource else {
        return Vec::new();
    };
    let mut items = vec![
        resource_impl(ty, resource, names),
        metadata_impl(version, ty, object),
    ];
    if let Role::Kind(resource) = &object.role {
        items.extend(listable_impl(version, ty, resource));
    }
    items
}

fn resource_impl(ty: &Type, resource: &Resource, (kind, plural): (&str, &str)) -> TokenStream {
    let name = &ty.name;
    let api_version = resource.api_version();
    let Resource { group, version, .. } = resource;
    let scope = if resource.namespaced {
        quote!(NamespaceResourceScope)
    } else {
        quote!(ClusterResourceScope)
    };
    quote! {
        impl k8s_openapi::Resource for #name {
            const API_VERSION: &'static str = #api_version;
            const GROUP: &'static str = #group;
            const KIND: &'static str = #kind;
            const VERSION: &'static str = #version;
            const URL_PATH_SEGMENT: &'static str = #plural;
            type Scope = k8s_openapi::#scope;
        }
    }
}

fn metadata_impl(version: &ApiVersion, ty: &Type, object: &Struct) -> TokenStream {
    let name = &ty.name;
    let Some(field) = object.field("metadata") else {
        return TokenStream::new();
    };
    let metadata = value_type(version, &field.ty);
    quote! {
        impl k8s_openapi::Metadata for #name {
            type Ty = #metadata;

            fn metadata(&self) -> &#metadata {
                &self.metadata
            }

            fn metadata_mut(&mut self) -> &mut #metadata {
                &mut self.metadata
            }
        }
    }
}

fn listable_impl(version: &ApiVersion, ty: &Type, resource: &Resource) -> Option<TokenStream> {
    let name = &ty.name;
    let Role::List { kind: list, .. } = &version.object(resource.list.as_ref()?)?.role else {
        return None;
    };
    Some(quote! {
        impl k8s_openapi::ListableResource for #name {
            const LIST_KIND: &'static str = #list;
        }
    })
}
