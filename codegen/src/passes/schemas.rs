//! JSON Schemas: selects what the document and the rules say of each value and JSON Schema can
//! say in a CustomResourceDefinition.
//!
//! A schema never asks for more than the server does. Rules that it can't express are left out:
//! functions, sums of lengths, quantities, fields that depend on others. So are rules in CEL: where
//! `oldSelf` is allowed depends on where a user embeds the type.

use std::collections::BTreeMap;
use std::mem::discriminant;

use serde_json::Value;

use crate::doc;
use crate::keyword::REQUIRED_KEYS;
use crate::model::{
    Analysed, ApiVersion, Argument, Call, Check, Docs, Exact, Field, Keywords, Known, NameFormat,
    Property, Rules, SchemaName, Setting, Shape, Struct, Ty, Type, TypeSchema, ValueForm,
};

/// Makes the schema of every type.
pub(super) fn run(
    version: &ApiVersion<Analysed>,
    types: &BTreeMap<SchemaName, Type>,
) -> BTreeMap<SchemaName, TypeSchema> {
    let types = types.iter();
    let schemas = types.map(|(name, ty)| (name.clone(), of_type(version, ty)));
    schemas.collect()
}

fn of_type(version: &ApiVersion<Analysed>, ty: &Type) -> TypeSchema {
    let mut keywords = Keywords::default();
    let mut properties = Vec::new();
    if let Shape::Struct(object) = &ty.shape {
        of_object(ty, object, &mut keywords);
        let fields = object.fields.iter();
        properties.extend(fields.map(|field| of_field(version, object, field)));
    }
    TypeSchema {
        description: description(&ty.docs),
        keywords,
        properties,
    }
}

fn of_object(ty: &Type, object: &Struct, keywords: &mut Keywords) {
    if object.rules.exactly_one {
        keywords.set("minProperties", 1);
        keywords.set("maxProperties", 1);
    }
    if let Some(is_atomic) = ty.facts.atomic {
        keywords.set("x-kubernetes-map-type", map_type(is_atomic));
    }
    if object.unknown.as_ref().is_some_and(|rest| !rest.only_nulls) {
        keywords.set("x-kubernetes-preserve-unknown-fields", true);
    }
}

fn map_type(is_atomic: bool) -> &'static str {
    if is_atomic { "atomic" } else { "granular" }
}

fn of_field(version: &ApiVersion<Analysed>, object: &Struct, field: &Field) -> Property {
    let mut ty = field.ty.clone();
    let mut keywords = of_value(&mut ty, &field.server.rules);
    if let Some(default) = default(version, object, field) {
        keywords
            .list
            .insert(0, ("default", Setting::Value(default)));
    }
    topology(version, field, &mut keywords);
    Property {
        json: field.json.clone(),
        required: field.required,
        ty,
        description: description(&field.docs),
        keywords,
    }
}

/// Returns the default that a server of the release sets if its gates are as by default. A field
/// that may be the only one has none: set unasked, it would exclude the others.
fn default(version: &ApiVersion<Analysed>, object: &Struct, field: &Field) -> Option<Value> {
    if object.rules.exactly_one {
        return None;
    }
    let is_on = field.server.feature.as_ref().is_none_or(|name| {
        let feature = version.features.get(name);
        let on = feature.and_then(|feature| feature.on.or(feature.stable));
        on.is_some_and(|on| on <= version.release)
    });
    // Defaults without a form in Rust have been left out there too.
    field.form.literal.as_ref().filter(|_| is_on)?;
    let default = field.facts.default.clone();
    default.filter(|default| *default != Value::Array(Vec::new()))
}

/// Sets the keywords for the merge of a value by server-side apply.
fn topology(version: &ApiVersion<Analysed>, field: &Field, keywords: &mut Keywords) {
    let Some(is_atomic) = field.facts.atomic else {
        return;
    };
    let keys = &field.facts.list_keys;
    match &field.ty {
        Ty::List(_) if is_atomic => keywords.set("x-kubernetes-list-type", "atomic"),
        Ty::List(item) if keys.is_empty() && is_scalar(version, item) => {
            keywords.set("x-kubernetes-list-type", "set");
        }
        Ty::List(item) if !keys.is_empty() && are_keys(version, item, keys) => {
            keywords.set("x-kubernetes-list-type", "map");
            keywords.set("x-kubernetes-list-map-keys", keys.clone());
        }
        // A CustomResourceDefinition is refused with any other.
        Ty::List(_) => {}
        Ty::Map(_) | Ty::Ref(_) => {
            keywords.set("x-kubernetes-map-type", map_type(is_atomic));
        }
        _ => {}
    }
}

fn is_scalar(version: &ApiVersion<Analysed>, ty: &Ty) -> bool {
    match ty {
        Ty::Bool | Ty::I32 | Ty::I64 | Ty::Unsigned(_) | Ty::F32 | Ty::F64 => true,
        Ty::Exact(exact) => matches!(exact, Exact::DateTime | Exact::Number),
        Ty::String | Ty::Bytes | Ty::Time => true,
        ty => version.own_enum(ty).is_some(),
    }
}

/// Returns true if these are properties that every element has.
fn are_keys(version: &ApiVersion<Analysed>, item: &Ty, keys: &[String]) -> bool {
    let object = version.own_struct(item).map(|(_, object)| object);
    keys.iter().all(|key| {
        let field = object.and_then(|object| object.field(key));
        field.is_some_and(|field| field.required && is_scalar(version, &field.ty))
    })
}

/// The keywords of a value, from its rules. An enumeration becomes a plain text where a rule says
/// which values count, because the schema of its type has all of them.
fn of_value(ty: &mut Ty, rules: &Rules) -> Keywords {
    let mut keywords = Keywords::default();
    match ty {
        Ty::Json => keywords.set("x-kubernetes-preserve-unknown-fields", true),
        // The type of k8s-openapi has no schema.
        Ty::Bytes => {
            *ty = Ty::String;
            keywords.set("format", "byte");
        }
        _ => {}
    }
    let mut formats = Vec::new();
    for rule in &rules.list {
        if let Check::Call(call) = &rule.check {
            of_call(ty, rule.keyword, call, &mut keywords, &mut formats);
        }
    }
    for format in formats {
        of_format(format, &mut keywords);
    }
    let empty = Rules::default();
    if let Ty::List(inner) | Ty::Map(inner) = ty {
        let inside = of_value(inner, rules.items.as_deref().unwrap_or(&empty));
        keywords.inside = (!inside.is_empty()).then(|| Box::new(inside));
    }
    keywords
}

fn of_call(
    ty: &mut Ty,
    keyword: &'static str,
    call: &Call,
    keywords: &mut Keywords,
    formats: &mut Vec<(NameFormat, bool)>,
) {
    let is_enumeration = call.takes == ValueForm::AsStr;
    match (keyword, call.arguments.first()) {
        // A quantity is a text or a number.
        ("minimum", _) if call.method == "minimum_quantity" => {}
        ("pattern", _) if call.method == "pattern_of_quantity" => {}
        ("minLength" | "minItems" | "minProperties", _) => keywords.set(keyword, 1),
        (
            "maxLength" | "minimum" | "maximum" | "maxItems" | "maxProperties",
            Some(Argument::Int(limit)),
        ) => keywords.set(keyword, *limit),
        ("pattern", Some(Argument::Pattern(pattern))) => {
            keywords.set(keyword, pattern.text.as_str());
            if is_enumeration {
                *ty = Ty::String;
            }
        }
        ("format", Some(Argument::TextFormat(format))) => {
            keywords.set("format", format.name());
        }
        ("format", Some(Argument::NameFormat(format))) => {
            formats.push((*format, call.method == "format_lowered"));
        }
        (REQUIRED_KEYS, Some(Argument::Texts(keys))) => keywords.set("required", keys.clone()),
        ("enum", Some(Argument::Known(known))) => {
            let values: Vec<_> = known.iter().map(Known::json).collect();
            // They are an array in Rust.
            let is_alike =
                |pair: &[Value]| matches!(pair, [a, b] if discriminant(a) == discriminant(b));
            if values.windows(2).all(is_alike) {
                keywords.set("enum", values);
            }
        }
        (_, Some(Argument::Texts(values))) => {
            keywords.set("enum", values.clone());
            if is_enumeration {
                *ty = Ty::String;
            }
        }
        _ => {}
    }
}

/// A form of names as a pattern and a length. The keywords of a rule stay as they are.
fn of_format((format, any_case): (NameFormat, bool), keywords: &mut Keywords) {
    if !keywords.has("pattern") {
        keywords
            .list
            .push(("pattern", Setting::Pattern { format, any_case }));
    }
    let longest = match format {
        NameFormat::DnsSubdomain => 253,
        NameFormat::DnsLabel | NameFormat::LabelValue => 63,
        // A name of 63 after a prefix of 253 and a slash.
        NameFormat::QualifiedName => 317,
    };
    if !keywords.has("maxLength") {
        keywords.set("maxLength", longest);
    }
}

/// The lines of the first paragraph. The rest is for readers of the documentation: an API server
/// stores a CustomResourceDefinition with all that is in it.
fn description(docs: &Docs) -> Vec<String> {
    let paragraph = docs.description.trim().lines();
    let paragraph = paragraph.take_while(|line| !line.trim().is_empty());
    doc::filled(&paragraph.collect::<Vec<_>>().join(" "))
}
