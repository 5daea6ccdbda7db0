//! Structs, and how a type of the model is written in Rust.

use proc_macro2::TokenStream;
use quote::quote;

use super::alias;
use super::comment::comment;
use super::item::{Declaration, Item};
use super::{imports, literal};
use crate::doc;
use crate::model::{ApiVersion, Field, Rest, Role, Shape, Struct, Ty, Type};
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
) -> Vec<Item> {
    let name = &ty.name;
    let zero = zero(version, object);
    let own = match zero {
        Some(_) => "Clone, Debug, PartialEq",
        None => "Clone, Debug, Default, PartialEq",
    };
    let head = format!("pub struct {name}");
    let attributes = [derive(own, derives)].into_iter();
    let attributes: Vec<_> = attributes.chain(kind_alias(ty, object)).collect();
    let mut declared = Declaration::new(&ty.docs.lines, &attributes, &head);
    for field in &object.fields {
        let (name, ty) = (&field.name, field_type(version, field));
        let alias = alias::attribute(name.as_str(), [field.json.as_str()]);
        let member = format!("pub {name}: {ty}");
        declared.member(&field.docs.lines, alias.as_deref(), &member);
    }
    if let Some(Rest { name, only_nulls }) = &object.unknown {
        let docs = if *only_nulls {
            NULL_FIELDS
        } else {
            UNKNOWN_FIELDS
        };
        let member = format!("pub {name}: wire::UnknownFields");
        declared.member(&docs.map(str::to_owned), None, &member);
    }
    let zero = zero.map(|zero| {
        let item = quote! {
            impl Default for #name {
                #zero
            }
        };
        item.into()
    });
    std::iter::once(declared.end()).chain(zero).collect()
}

/// The other names of a kind or list: those by which kubectl knows it too.
fn kind_alias(ty: &Type, object: &Struct) -> Option<String> {
    let names = match &object.role {
        Role::Kind(resource) => {
            let all = [resource.kind.as_str(), &resource.plural].into_iter();
            all.chain(resource.short_names.iter().map(String::as_str))
                .collect()
        }
        Role::List { kind, .. } => vec![kind.as_str()],
        // Who searches for a kind wants the full type.
        Role::Part | Role::Apply(_) => Vec::new(),
    };
    alias::attribute(ty.name.as_str(), names)
}

/// The attribute with the traits that a type derives.
pub(super) fn derive(own: &str, more: &[&RustPath]) -> String {
    let mut text = format!("derive({own}");
    for path in more {
        text += &format!(", {path}");
    }
    text + ")"
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
fn field_type(version: &ApiVersion, field: &Field) -> String {
    let mut ty = type_text(version, &field.ty);
    if field.form.boxed {
        ty = format!("Box<{ty}>");
    }
    if field.is_optional() {
        ty = format!("Option<{ty}>");
    }
    ty
}

/// The type of a value, without `Option` and `Box`.
pub(super) fn value_type(version: &ApiVersion, ty: &Ty) -> TokenStream {
    // It is of names and signs of Rust only, which are tokens.
    type_text(version, ty).parse().unwrap_or_default()
}

/// The same as text.
pub(super) fn type_text(version: &ApiVersion, ty: &Ty) -> String {
    let fixed = match ty {
        Ty::Bool => "bool",
        Ty::I32 => "i32",
        Ty::I64 => "i64",
        Ty::Unsigned(bits) => return format!("u{bits}"),
        Ty::F32 => "f32",
        Ty::F64 => "f64",
        Ty::String | Ty::Values { .. } => "String",
        Ty::Bytes => "k8s_openapi::ByteString",
        Ty::Time => "k8s_openapi::apimachinery::pkg::apis::meta::v1::Time",
        Ty::IntOrString => "k8s_openapi::apimachinery::pkg::util::intstr::IntOrString",
        Ty::Json | Ty::Object => "k8s_openapi::serde_json::Value",
        Ty::Exact(exact) => return format!("values::{}", exact.name()),
        Ty::List(item) => return format!("Vec<{}>", type_text(version, item)),
        Ty::Map(value) => return format!("BTreeMap<String, {}>", type_text(version, value)),
        Ty::Ref(schema) => match (version.types.get(schema), version.externs.get(schema)) {
            (Some(own), _) => own.name.as_str(),
            (None, Some(external)) if imports::is_imported(version, schema) => {
                external.path.name().as_str()
            }
            (None, Some(external)) => return external.path.to_string(),
            // The closure pass has reported it; nothing is rendered then.
            (None, None) => "()",
        },
    };
    fixed.to_owned()
}
