//! Open enumerations: the last variant keeps what the others don't know.

use proc_macro2::TokenStream;
use quote::quote;

use super::comment;
use super::runtime::KINDS;
use crate::model::{Enum, Type};
use crate::name::Ident;

/// The declaration of an enumeration and its conversions from and to strings.
pub(super) fn items(ty: &Type, shape: &Enum) -> Vec<TokenStream> {
    let mut items = declaration(ty, shape);
    items.extend(from_strings(&ty.name));
    items.extend(to_strings(&ty.name));
    items.extend(serde_impls(&ty.name));
    items
}

fn declaration(ty: &Type, shape: &Enum) -> Vec<TokenStream> {
    let name = &ty.name;
    let docs = comment(&ty.docs.lines);
    let variants: Vec<_> = shape.variants.iter().map(|variant| &variant.name).collect();
    let values: Vec<_> = shape.variants.iter().map(|variant| &variant.value).collect();
    let variant_docs: Vec<_> =
        shape.variants.iter().map(|variant| comment(&variant.docs.lines)).collect();
    vec![
        quote! {
            #docs
            #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            #[non_exhaustive]
            pub enum #name {
                #(#variant_docs #variants,)*
                /// A value that this version of the crate doesn't know, kept as it was read
                /// and written back unchanged.
                Unknown(#KINDS::UnknownValue),
            }
        },
        quote! {
            impl #name {
                /// The values that are known, in the order of the variants.
                #[must_use]
                pub const fn known_values() -> &'static [&'static str] {
                    &[#(#values),*]
                }

                /// The value as it is written.
                #[must_use]
                pub fn as_str(&self) -> &str {
                    match self {
                        #(Self::#variants => #values,)*
                        Self::Unknown(value) => value.as_str(),
                    }
                }

                fn known(value: &str) -> Option<Self> {
                    match value {
                        #(#values => Some(Self::#variants),)*
                        _ => None,
                    }
                }

                fn unknown(value: impl Into<Box<str>>) -> Self {
                    Self::Unknown(#KINDS::UnknownValue::from_generated(value))
                }
            }
        },
    ]
}

fn from_strings(name: &Ident) -> Vec<TokenStream> {
    vec![
        quote! {
            impl Default for #name {
                /// The empty string, which Kubernetes takes as "not set".
                fn default() -> Self {
                    Self::from("")
                }
            }
        },
        quote! {
            impl From<&str> for #name {
                fn from(value: &str) -> Self {
                    Self::known(value).unwrap_or_else(|| Self::unknown(value))
                }
            }
        },
        quote! {
            impl From<String> for #name {
                fn from(value: String) -> Self {
                    Self::known(&value).unwrap_or_else(|| Self::unknown(value))
                }
            }
        },
        quote! {
            impl From<#KINDS::UnknownValue> for #name {
                /// Another enumeration's unknown value may be known here.
                fn from(value: #KINDS::UnknownValue) -> Self {
                    Self::known(value.as_str()).unwrap_or(Self::Unknown(value))
                }
            }
        },
        quote! {
            impl std::str::FromStr for #name {
                type Err = std::convert::Infallible;

                fn from_str(value: &str) -> Result<Self, std::convert::Infallible> {
                    Ok(Self::from(value))
                }
            }
        },
    ]
}

fn to_strings(name: &Ident) -> Vec<TokenStream> {
    vec![
        quote! {
            impl AsRef<str> for #name {
                fn as_ref(&self) -> &str {
                    self.as_str()
                }
            }
        },
        quote! {
            impl std::fmt::Display for #name {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.pad(self.as_str())
                }
            }
        },
    ]
}

fn serde_impls(name: &Ident) -> Vec<TokenStream> {
    vec![
        quote! {
            impl<'de> serde::Deserialize<'de> for #name {
                fn deserialize<D: serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> Result<Self, D::Error> {
                    #KINDS::wire::read_enum(deserializer)
                }
            }
        },
        quote! {
            impl serde::Serialize for #name {
                fn serialize<S: serde::Serializer>(
                    &self,
                    serializer: S,
                ) -> Result<S::Ok, S::Error> {
                    serializer.serialize_str(self.as_str())
                }
            }
        },
    ]
}
