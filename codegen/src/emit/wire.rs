//! Reading and writing: each field is named once for either.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{Role, Struct, Type};

/// The implementations of `wire::Object` and of serde's traits.
pub(super) fn items(ty: &Type, object: &Struct) -> Vec<TokenStream> {
    let name = &ty.name;
    let kubernetes = ty.name.as_str();
    let keys: Vec<_> = object.fields.iter().map(|field| &field.json).collect();
    let names: Vec<_> = object.fields.iter().map(|field| &field.name).collect();
    let writes = object.fields.iter().map(|field| {
        let (key, name) = (&field.json, &field.name);
        if field.is_optional() {
            quote!(wire::optional(fields, #key, &self.#name)?;)
        } else {
            quote!(wire::required(fields, #key, &self.#name)?;)
        }
    });
    let unknown = match &object.unknown {
        Some(unknown) => quote!(wire::keep(map, name, &mut self.#unknown)),
        None => quote!(wire::skip(map)),
    };
    let kept = object.unknown.iter().map(|unknown| {
        quote! {
            fn unknown_fields(&self) -> Option<&wire::UnknownFields> {
                Some(&self.#unknown)
            }
        }
    });
    let (read, write) = match object.role {
        Role::Part => (quote!(read_object), quote!(write_object)),
        Role::Kind(_) | Role::Apply(_) | Role::List { .. } => {
            (quote!(read_kind), quote!(write_kind))
        }
    };
    vec![
        quote! {
            impl wire::Object for #name {
                const NAME: &'static str = #kubernetes;

                const FIELDS: &'static [&'static str] = &[#(#keys),*];

                fn read_field<'de, M: serde::de::MapAccess<'de>>(
                    &mut self,
                    name: &str,
                    map: &mut M,
                ) -> Result<(), M::Error> {
                    match name {
                        #(#keys => wire::read(map, &mut self.#names),)*
                        _ => #unknown,
                    }
                }

                fn write_fields<F: wire::Fields>(&self, fields: &mut F) -> Result<(), F::Error> {
                    #(#writes)*
                    Ok(())
                }

                #(#kept)*
            }
        },
        quote! {
            impl<'de> serde::Deserialize<'de> for #name {
                fn deserialize<D: serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> Result<Self, D::Error> {
                    wire::#read(deserializer)
                }
            }
        },
        quote! {
            impl serde::Serialize for #name {
                fn serialize<S: serde::Serializer>(
                    &self,
                    serializer: S,
                ) -> Result<S::Ok, S::Error> {
                    wire::#write(self, serializer)
                }
            }
        },
    ]
}
