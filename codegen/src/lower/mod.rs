//! Lower: makes the model from schemas and operations.
//!
//! Only this module and [`load`](crate::load) know OpenAPI.

mod definitions;
mod docs;
mod external;
mod paths;
mod role;
mod rule_keywords;
mod schema;

use std::cell::RefCell;
use std::collections::BTreeMap;

use openapiv3::{AdditionalProperties, ReferenceOr, Schema, SchemaKind, Type as OpenApiType};
use serde_json::Value;

use crate::config::{Config, DocumentConfig, Part};
use crate::diag::{Diagnostics, Spot};
use crate::load::Document;
use crate::model::{
    ApiVersion, Docs, Enum, Facts, Field, Lowered, Role, RuleKeywords, Shape, Struct, Type, Variant,
};
use crate::name::{self, Ident};
use crate::pointer::Pointer;

/// Lowers the schemas that become types of the crate, and finds a home for the others.
pub(crate) fn lower(
    document: &Document,
    document_config: &DocumentConfig,
    config: &Config,
    diagnostics: &mut Diagnostics,
) -> ApiVersion<Lowered> {
    let mut version = ApiVersion {
        file: document.file.clone(),
        files: document.files.clone(),
        module: document_config
            .module
            .as_deref()
            .and_then(name::given_module),
        release: document.release,
        is_custom: document.is_of_custom_resources(),
        has_numbers: config.protobuf.is_some() && has_numbers(document, document_config, config),
        unchecked: document.unchecked.clone(),
        definitions: BTreeMap::new(),
        replaced: document.replaced.used.clone(),
        merges_equal: document_config.merge_equal,
        others: document
            .other_places()
            .map(|(name, others)| (name.clone(), others.clone()))
            .collect(),
        names: document_config.names_of_parts(),
        home: config.home(document_config, document.release),
        types: BTreeMap::new(),
        externs: BTreeMap::new(),
        aliases: BTreeMap::new(),
        layout: (),
        features: (),
        derived: (),
    };
    let diagnostics = RefCell::new(diagnostics);
    let root = Spot::root(&document.file, &diagnostics);
    let resources = paths::resources(&document.json, &root);
    for (name, schema) in &document.schemas {
        let at = root.at(document.place(name));
        if let Some(short) = name.strip_prefix(&document_config.prefix) {
            own_type(name, short, schema, at, &resources, &mut version);
        }
    }
    for name in &document.others {
        let at = root.at(document.place(name));
        let external = external::of(name, document, &at, config);
        version
            .externs
            .extend(external.map(|found| (name.clone(), found)));
    }
    version.externs.extend(external::given(document));
    for name in &document.shared {
        let external = external::shared(name, document, document_config, config);
        version
            .externs
            .extend(external.map(|found| (name.clone(), found)));
    }
    version.definitions = definitions::of(document, &document_config.prefix, &root);
    role::check_kinds(&version, &root);
    let has_own = !document.schemas.is_empty() || !document.shared.is_empty();
    if !has_own && !document.others.is_empty() {
        root.at(Pointer::schemas()).report(
            format!("no schema starts with `{}`", document_config.prefix),
            "check that it is the document of the right group-version, or the `prefix` in \
             codegen.toml",
        );
    }
    version
}

/// Adds what a schema of the crate becomes, a type or an alias, unless it is faulty.
fn own_type(
    schema_name: &str,
    short: &str,
    schema: &Schema,
    at: Spot<'_>,
    resources: &paths::Resources,
    version: &mut ApiVersion<Lowered>,
) -> Option<()> {
    let name = match version.is_custom {
        true => name::kind_name(short),
        false => name::type_name(short),
    };
    let name = name.or_else(|| {
        at.refuse(
            format!("`{short}` can't be the name of a Rust type"),
            "a type's name starts with an upper-case letter and has only letters and \
             digits after the prefix that codegen.toml gives",
        )
    })?;
    let shape = match (&schema.schema_kind, Object::of(schema)) {
        (_, Some(object)) => {
            let resources = (resources, version.is_custom);
            Shape::Struct(structure(&name, schema, &object, resources, &at))
        }
        (SchemaKind::Type(OpenApiType::String(string)), None) if !string.enumeration.is_empty() => {
            let values = schema::values(string.enumeration.iter().cloned(), &at)?;
            Shape::Enum(enumeration(schema, values, &at))
        }
        _ => {
            let alias = schema::ty(schema, &at)?;
            version.aliases.insert(schema_name.to_owned(), alias);
            return Some(());
        }
    };
    let ty = Type {
        name,
        docs: docs::of(&schema.schema_data),
        facts: docs::facts(&schema.schema_data, (false, version.is_custom), &at),
        pointer: at.pointer,
        shape,
    };
    version.types.insert(schema_name.to_owned(), ty);
    Some(())
}

/// The parts of a schema that describe an object of the crate.
struct Object<'a> {
    properties: Vec<(&'a String, &'a ReferenceOr<Box<Schema>>)>,
    required: &'a [String],
    /// True if it may have other fields as well.
    is_open: bool,
}

impl<'a> Object<'a> {
    /// The object, if it is one of certain fields, or of none.
    fn of(schema: &'a Schema) -> Option<Self> {
        let (properties, required, others) = match &schema.schema_kind {
            SchemaKind::Type(OpenApiType::Object(object)) => (
                &object.properties,
                &object.required,
                &object.additional_properties,
            ),
            SchemaKind::Any(any)
                if !any.properties.is_empty()
                    && any.typ.as_ref().is_none_or(|ty| ty == "object") =>
            {
                (&any.properties, &any.required, &any.additional_properties)
            }
            _ => return None,
        };
        let keeps = "x-kubernetes-preserve-unknown-fields";
        let keeps = schema.schema_data.extensions.get(keeps) == Some(&Value::Bool(true));
        let others = match others {
            None | Some(AdditionalProperties::Any(false)) => false,
            Some(_) => true,
        };
        let is_open = keeps || others;
        (!properties.is_empty() || !is_open).then_some(Self {
            properties: properties.iter().collect(),
            required,
            is_open,
        })
    }
}

fn structure(
    name: &Ident,
    schema: &Schema,
    object: &Object<'_>,
    (resources, is_custom): (&paths::Resources, bool),
    at: &Spot<'_>,
) -> Struct<Lowered> {
    let mut required: Vec<_> = object.required.iter().collect();
    required.sort();
    for name in required {
        if !object.properties.iter().any(|(known, _)| *known == name) {
            at.child("required").report(
                format!("`{}` is required but not a property", name.escape_debug()),
                "add the property or take the name out of `required`",
            );
        }
    }
    let fields = object.properties.iter().filter_map(|(json, property)| {
        let at = at.child("properties").child(json);
        let required = object.required.contains(json);
        field(json, property, (required, is_custom), at)
    });
    let mut lowered = Struct {
        fields: fields.collect(),
        is_open: object.is_open,
        unknown: (),
        role: Role::Part,
        rules: (),
        rule_keywords: rule_keywords::of_type(schema),
        behaviour: (),
    };
    lowered.role = role::of(name, schema, &lowered, resources, at);
    if !matches!(lowered.role, Role::Part) {
        let type_meta = ["apiVersion", "kind"];
        lowered
            .fields
            .retain(|field| !type_meta.contains(&field.json.as_str()));
        for field in &mut lowered.fields {
            field.metadata = field.json == "metadata";
        }
    }
    lowered
}

fn field(
    json: &str,
    property: &ReferenceOr<Box<Schema>>,
    (required, is_custom): (bool, bool),
    at: Spot<'_>,
) -> Option<Field<Lowered>> {
    let spelled = || name::field_name(&name::spelled(json)).filter(|_| is_custom);
    let name = name::field_name(json).or_else(spelled).or_else(|| {
        at.refuse(
            format!(
                "`{}` can't be the name of a Rust field",
                json.escape_debug()
            ),
            "a property's name has at least one letter or digit of ASCII",
        )
    });
    let ty = schema::of(property, &at);
    let (docs, facts, rule_keywords) = match property {
        ReferenceOr::Item(schema) => (
            docs::of(&schema.schema_data),
            docs::facts(&schema.schema_data, (required, is_custom), &at),
            rule_keywords::of(schema),
        ),
        ReferenceOr::Reference { .. } => (
            Docs::of(String::new()),
            Facts::default(),
            RuleKeywords::default(),
        ),
    };
    let facts = Facts {
        takes_null: takes_null(property),
        ..facts
    };
    Some(Field {
        json: json.to_owned(),
        name: name?,
        pointer: at.pointer,
        ty: ty?,
        required,
        metadata: false,
        docs,
        facts,
        form: (),
        server: (),
        checks: (),
        rule_keywords,
    })
}

/// Returns, for the value and for the elements at each depth of lists and maps, true if the schema
/// allows `null`.
fn takes_null(property: &ReferenceOr<Box<Schema>>) -> Vec<bool> {
    let mut found = Vec::new();
    let mut next = property.as_item().map(|schema| &**schema);
    while let Some(schema) = next {
        found.push(schema.schema_data.nullable);
        next = match &schema.schema_kind {
            SchemaKind::Type(OpenApiType::Array(array)) => array
                .items
                .as_ref()
                .and_then(|items| items.as_item())
                .map(|item| &**item),
            SchemaKind::Type(OpenApiType::Object(object)) => match &object.additional_properties {
                Some(AdditionalProperties::Schema(values)) => values.as_item(),
                _ => None,
            },
            _ => None,
        };
    }
    found
}

fn enumeration(schema: &Schema, values: Vec<String>, at: &Spot<'_>) -> Enum<Lowered> {
    let descriptions = docs::value_descriptions(&schema.schema_data, &values, at);
    let variants = values.into_iter().zip(descriptions);
    let variants = variants.filter_map(|(value, description)| {
        let Some(name) = name::variant_name(&value) else {
            return at.child("enum").refuse(
                format!("`{}` can't be the name of a variant", value.escape_debug()),
                name::VARIANT_RULE,
            );
        };
        let docs = Docs::of(description);
        Some(Variant { value, name, docs })
    });
    Enum {
        variants: variants.collect(),
    }
}

/// Returns true if the fields of a document are to have numbers: a crate of several files with
/// protobuf, of kinds that servers have it for.
fn has_numbers(document: &Document, document_config: &DocumentConfig, config: &Config) -> bool {
    let krate = config.crate_of(document_config);
    krate.is_some_and(|krate| krate.parts.has(Part::Protobuf) && !krate.single_file)
        && !document_config.json_only
        && !document.is_of_custom_resources()
}
