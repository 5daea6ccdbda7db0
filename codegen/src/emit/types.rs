//! Structs, and how a type of the model is written in Rust.

use proc_macro2::TokenStream;
use quote::quote;

use super::comment::comment;
use super::{imports, literal};
use crate::doc;
use crate::model::{ApiVersion, Field, Rest, Shape, Struct, Ty, Type};
use crate::name::RustPath;

/// The documentation of the field that keeps unknown fields.
const UNKNOWN_FIELDS: [&str; 2] = [
    "Fields that the type doesn't know, as they were read. They are written back after the",
    "others, but for those whose names it does know.",
];

/// The documentation of the field that keeps fields that are `null`.
const NULL_FIELDS: [&str; 2] = [
    "The optional fields that are `null`, by their names in JSON: a server keeps that. They are",
    "written back if they are unset.",
];

/// The declaration of a struct, with further derives.
pub(super) fn items(
    version: &ApiVersion,
    ty: &Type,
    object: &Struct,
    derives: &[&RustPath],
) -> Vec<TokenStream> {
    let name = &ty.name;
    let docs = comment(&ty.docs.lines);
    let fields = object.fields.iter().map(|field| {
        let docs = comment(&field.docs.lines);
        let name = &field.name;
        let ty = field_type(version, field);
        quote!(#docs pub #name: #ty)
    });
    let unknown = object.unknown.iter().map(|Rest { name, only_nulls }| {
        let docs = if *only_nulls {
            NULL_FIELDS
        } else {
            UNKNOWN_FIELDS
        };
        let docs = comment(&docs.map(str::to_owned));
        quote!(#docs pub #name: wire::UnknownFields)
    });
    let fields = fields.chain(unknown);
    let zero = zero(version, object);
    let default = zero.is_none().then(|| quote!(Default,));
    let zero = zero.map(|zero| {
        quote! {
            impl Default for #name {
                #zero
            }
        }
    });
    let declared = quote! {
        #docs
        #[derive(Clone, Debug, #default PartialEq #(, #derives)*)]
        pub struct #name {
            #(#fields,)*
        }
    };
    std::iter::once(declared).chain(zero).collect()
}

/// The function of `Default` where it can't be derived, because a required field is an enumeration
/// or has a default.
fn zero(version: &ApiVersion, object: &Struct) -> Option<TokenStream> {
    let is_enumeration = |field: &Field| match &field.ty {
        Ty::Ref(schema) if !field.is_optional() => {
            let ty = version.types.get(schema);
            ty.is_some_and(|ty| matches!(ty.shape, Shape::Enum(_)))
        }
        _ => false,
    };
    let default = |field: &Field| {
        let literal = field.form.literal.as_ref().filter(|_| field.required)?;
        let value = literal::of(field, literal, &mut |name| quote!(#name));
        Some(match field.is_optional() {
            true => quote!(Some(#value)),
            false => value,
        })
    };
    let mut said = vec!["Returns the object in which nothing is set."];
    let (mut has_default, mut has_empty) = (false, false);
    let mut fields = Vec::new();
    for field in &object.fields {
        let value = match default(field) {
            Some(value) => {
                has_default = true;
                value
            }
            None if is_enumeration(field) => {
                has_empty = true;
                quote!(wire::Zero::zero())
            }
            None => quote!(Default::default()),
        };
        let name = &field.name;
        fields.push(quote!(#name: #value));
    }
    if has_default {
        said.push("Required fields with a default have that.");
    }
    if has_empty {
        said.push("Its required enumerations are empty, which is none of their values.");
    }
    if !has_default && !has_empty {
        return None;
    }
    let unknown = object
        .unknown
        .iter()
        .map(|Rest { name, .. }| quote!(#name: Default::default()));
    let fields = fields.into_iter().chain(unknown);
    let docs = comment(&doc::wrapped(&said.join(" ")));
    Some(quote! {
        #docs
        fn default() -> Self {
            Self { #(#fields,)* }
        }
    })
}

/// The type of a field as it is declared.
pub(super) fn field_type(version: &ApiVersion, field: &Field) -> TokenStream {
    let mut ty = value_type(version, &field.ty);
    if field.form.boxed {
        ty = quote!(Box<#ty>);
    }
    if field.is_optional() {
        quote!(Option<#ty>)
    } else {
        ty
    }
}

/// The type of a value, without `Option` and `Box`.
pub(super) fn value_type(version: &ApiVersion, ty: &Ty) -> TokenStream {
    match ty {
        Ty::Bool => quote!(bool),
        Ty::I32 => quote!(i32),
        Ty::I64 => quote!(i64),
        Ty::Unsigned(bits) => {
            let name = quote::format_ident!("u{bits}");
            quote!(#name)
        }
        Ty::F32 => quote!(f32),
        Ty::F64 => quote!(f64),
        Ty::String | Ty::Values { .. } => quote!(String),
        Ty::Bytes => quote!(k8s_openapi::ByteString),
        Ty::Time => quote!(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time),
        Ty::IntOrString => {
            quote!(k8s_openapi::apimachinery::pkg::util::intstr::IntOrString)
        }
        Ty::Json | Ty::Object => quote!(k8s_openapi::serde_json::Value),
        Ty::Exact(exact) => {
            let name = exact.name();
            quote!(values::#name)
        }
        Ty::List(item) => {
            let item = value_type(version, item);
            quote!(Vec<#item>)
        }
        Ty::Map(value) => {
            let value = value_type(version, value);
            quote!(BTreeMap<String, #value>)
        }
        Ty::Ref(schema) => {
            match (version.types.get(schema), version.externs.get(schema)) {
                (Some(own), _) => {
                    let name = &own.name;
                    quote!(#name)
                }
                (None, Some(external)) => {
                    let name = external.path.name();
                    if imports::is_imported(version, schema) {
                        quote!(#name)
                    } else {
                        let modules = external.path.modules();
                        quote!(#(#modules::)* #name)
                    }
                }
                // The closure pass has reported it; nothing is rendered then.
                (None, None) => quote!(()),
            }
        }
    }
}
