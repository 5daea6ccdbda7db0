//! JSON Schemas: tables of properties and keywords, which macros of `kubernetes-kinds` take.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::Value;

use super::comment::{comment, inner_comment};
use super::declared::{Declared, declarations};
use super::file::{File, folder, origin, origins, places};
use super::imports;
use super::runtime::Feature;
use super::table::{presence, table_macro};
use super::types::value_type;
use crate::config::CrateConfig;
use crate::model::{
    ApiVersion, Crate, Keywords, Module, NameFormat, Property, Setting, Shape, Ty, Type, TypeSchema,
};
use crate::name::{self, SCHEMA_FOLDER};

/// The module of a part of the crate, if it has types.
pub(super) fn module(versions: &[&ApiVersion]) -> Option<Declared> {
    let any = versions
        .iter()
        .any(|version| !version.layout.modules.is_empty());
    let gate = Some(Feature::Schemars);
    any.then(|| Declared::new(name::fixed(SCHEMA_FOLDER), false, gate))
}

/// The files that declare those of the schemas.
pub(super) fn files(krate: &Crate<'_>) -> Vec<File> {
    let mut files = Vec::new();
    for (place, versions) in places(krate) {
        if module(&versions).is_none() {
            continue;
        }
        let modules = versions.iter().flat_map(|version| &version.layout.modules);
        let names = modules.map(|module| module.name.clone());
        let names = names.map(|name| Declared::new(name, false, None));
        let about = "JSON Schemas of the types, for a CustomResourceDefinition.";
        files.push(File::rust(
            format!("{}{SCHEMA_FOLDER}/mod.rs", folder(place)),
            origins(versions.iter().copied()),
            inner_comment(&[about.to_owned()]),
            declarations(names.collect(), Vec::new()),
        ));
    }
    files
}

/// The file of the schemas of some types.
pub(super) fn file(_: &CrateConfig, version: &ApiVersion, module: &Module) -> File {
    let types = module.types.iter().filter_map(|schema| {
        Some((
            schema,
            version.types.get(schema)?,
            version.derived.schemas.get(schema)?,
        ))
    });
    let types: Vec<_> = types.collect();
    let properties = types.iter().flat_map(|(_, _, schema)| &schema.properties);
    let values: Vec<_> = properties.map(|property| &property.ty).collect();
    let mut all = imports::of_schemas(version, module, &values);
    let each = types.iter();
    all.extend(each.map(|(name, ty, schema)| item(version, (name, ty), schema)));
    let folder = folder(version.module.as_ref());
    let path = format!("{folder}{SCHEMA_FOLDER}/{}.rs", module.name);
    File::rust(path, origin(version, module), TokenStream::new(), all)
}

fn item(
    version: &ApiVersion,
    (schema_name, ty): (&str, &Type),
    schema: &TypeSchema,
) -> TokenStream {
    let name = &ty.name;
    let docs = comment(&schema.description);
    let sort = match &ty.shape {
        Shape::Enum(_) => {
            return quote!(schema::enumeration! { #docs #name #schema_name });
        }
        Shape::Struct(object) => name::fixed(table_macro(object)),
    };
    let keywords = keywords(&Ty::Json, &schema.keywords);
    let rows = schema
        .properties
        .iter()
        .map(|property| row(version, property));
    quote! {
        schema::#sort! {
            #docs
            #name #schema_name { #keywords #(#rows,)* }
        }
    }
}

fn row(version: &ApiVersion, property: &Property) -> TokenStream {
    let docs = comment(&property.description);
    let json = &property.json;
    let ty = value_type(version, &property.ty);
    let presence = name::fixed(presence(property.required));
    let more = (!property.keywords.is_empty()).then(|| {
        let keywords = keywords(&property.ty, &property.keywords);
        quote!({ #keywords })
    });
    quote!(#docs #presence #json => #ty #more)
}

/// The rows of the keywords of a value of a type.
fn keywords(ty: &Ty, of: &Keywords) -> TokenStream {
    let rows = of.list.iter().map(|(name, setting)| {
        let value = match setting {
            Setting::Value(value) => constant(value),
            Setting::Pattern { format, any_case } => pattern(*format, *any_case),
        };
        quote!(#name => #value,)
    });
    let inside = of.inside.as_deref().map(|of| {
        let (sort, ty) = match ty {
            Ty::List(item) => (quote!(items), &**item),
            Ty::Map(value) => (quote!(values), &**value),
            other => (quote!(items), other),
        };
        let keywords = keywords(ty, of);
        quote!(#sort { #keywords },)
    });
    quote!(#(#rows)* #inside)
}

/// The constant of `kubernetes-kinds` with a regular expression.
fn pattern(format: NameFormat, any_case: bool) -> TokenStream {
    match (format, any_case) {
        (NameFormat::DnsSubdomain, false) => quote!(schema::DNS_SUBDOMAIN),
        (NameFormat::DnsSubdomain, true) => quote!(schema::DNS_SUBDOMAIN_ANY_CASE),
        (NameFormat::DnsLabel, false) => quote!(schema::DNS_LABEL),
        (NameFormat::DnsLabel, true) => quote!(schema::DNS_LABEL_ANY_CASE),
        (NameFormat::QualifiedName, false) => quote!(schema::QUALIFIED_NAME),
        (NameFormat::QualifiedName, true) => quote!(schema::QUALIFIED_NAME_ANY_CASE),
        // Its letters may be of any case as it is.
        (NameFormat::LabelValue, _) => quote!(schema::LABEL_VALUE),
    }
}

/// A value of which `serde_json::Value` can be made.
fn constant(value: &Value) -> TokenStream {
    match value {
        Value::Bool(value) => quote!(#value),
        Value::String(text) => quote!(#text),
        Value::Number(number) => {
            let small = number
                .as_i64()
                .and_then(|number| i32::try_from(number).ok());
            let literal = match (small, number.as_i64(), number.as_f64()) {
                (Some(number), _, _) => Literal::i32_unsuffixed(number),
                (None, Some(number), _) => Literal::i64_suffixed(number),
                (None, None, number) => Literal::f64_unsuffixed(number.unwrap_or_default()),
            };
            quote!(#literal)
        }
        Value::Array(values) => {
            let values = values.iter().map(constant);
            quote!([#(#values),*])
        }
        // No keyword has such a value.
        Value::Null | Value::Object(_) => quote!(()),
    }
}
