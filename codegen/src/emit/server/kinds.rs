//! What holds for a kind as a whole.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Context, features};
use crate::model::{Resource, Role, Struct, Type};

/// The implementation of `ServerRules`.
pub(super) fn item(cx: &Context<'_>, ty: &Type, object: &Struct) -> Option<TokenStream> {
    let Role::Kind(resource) = &object.role else {
        return None;
    };
    let name = &ty.name;
    let namespaced = resource.namespaced;
    let unconditional = object.checks.unconditional_update.then(|| {
        quote! {
            const UNCONDITIONAL_UPDATE: bool = true;
        }
    });
    let names = object.checks.names_on_create_only.then(|| {
        quote! {
            const CHECKS_NAMES_ON_UPDATE: bool = false;
        }
    });
    let status = status(cx, object, resource);
    Some(quote! {
        impl validation::ServerRules for #name {
            const NAMESPACED: bool = #namespaced;
            #unconditional
            #names
            #status
        }
    })
}

fn status(
    cx: &Context<'_>,
    object: &Struct,
    resource: &Resource,
) -> Option<TokenStream> {
    let field = object.fields.iter().find(|f| f.json == "status" && f.is_optional())?;
    if !resource.status {
        return None;
    }
    let feature = field.docs.lifecycle.as_ref().and_then(features::of);
    let (target, new) = match feature {
        Some(feature) => {
            (quote!(target), quote!(target.has(&#feature).then(Default::default)))
        }
        None => (quote!(_target), quote!(Some(Default::default()))),
    };
    let check =
        cx.own(&field.ty).filter(|(s, _)| cx.needs.checks.contains(s)).map(|_| {
            quote! {
                fn check_status(
                    &self,
                    at: &validation::Path<'_>,
                    to: &mut validation::Checker<'_>,
                ) {
                    if let Some(status) = &self.status {
                        status.check(&at.field("status"), to);
                    }
                }
            }
        });
    Some(quote! {
        fn reset_status(&mut self, stored: Option<&Self>, #target: &validation::Target) {
            self.status = match stored {
                Some(stored) => stored.status.clone(),
                None => #new,
            };
        }

        #check
    })
}
