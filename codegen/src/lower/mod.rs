//! Lower: makes the model from schemas and operations.
//!
//! Only this module and [`load`](crate::load) know OpenAPI.

mod asked;
mod docs;
mod external;
mod paths;
mod role;
mod schema;

use std::cell::RefCell;

use openapiv3::{ObjectType, ReferenceOr, Schema, SchemaKind, Type as OpenApiType};

use crate::config::{Config, DocumentConfig};
use crate::diag::{Diagnostics, Pointer, Spot};
use crate::load::Document;
use crate::model::{
    ApiVersion, Behaviour, Docs, Enum, Field, Role, Rules, Shape, Struct, Type,
    TypeRules, Variant,
};
use crate::name::{self, Ident};

/// Lowers the schemas that become types of the crate, and finds a home for the others.
pub(crate) fn lower(
    document: &Document,
    document_config: &DocumentConfig,
    config: &Config,
    diagnostics: &mut Diagnostics,
) -> ApiVersion {
    let mut version = ApiVersion {
        file: document.file.clone(),
        module: document_config.module.as_deref().and_then(name::given_module),
        release: document.release,
        home: config.home(document_config, document.release),
        ..ApiVersion::default()
    };
    let diagnostics = RefCell::new(diagnostics);
    let root = Spot::root(&document.file, &diagnostics);
    let resources = paths::resources(&document.json, &root);
    for (name, schema) in &document.schemas {
        let at = root.at(Pointer::schema(name));
        match name.strip_prefix(&document_config.prefix) {
            Some(short) => {
                own_type(name, short, schema, at, &resources, &mut version);
            }
            None => {
                let external = external::of(name, document, &at, config);
                version.externs.extend(external.map(|found| (name.clone(), found)));
            }
        }
    }
    role::check_kinds(&version, &root);
    let ours = |name: &String| name.starts_with(&document_config.prefix);
    if !document.schemas.is_empty() && !document.schemas.keys().any(ours) {
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
    version: &mut ApiVersion,
) -> Option<()> {
    let name = name::type_name(short).or_else(|| {
        at.refuse(
            format!("`{short}` can't be the name of a Rust type"),
            "a type's name starts with an upper-case letter and has only letters and \
             digits after the prefix that codegen.toml gives",
        )
    })?;
    let shape = match &schema.schema_kind {
        SchemaKind::Type(OpenApiType::Object(object))
            if !object.properties.is_empty() =>
        {
            Shape::Struct(structure(&name, schema, object, resources, &at))
        }
        SchemaKind::Type(OpenApiType::String(string))
            if !string.enumeration.is_empty() =>
        {
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
        docs: docs::of(&schema.schema_data, &at),
        facts: docs::facts(&schema.schema_data, false, &at),
        pointer: at.pointer,
        shape,
    };
    version.types.insert(schema_name.to_owned(), ty);
    Some(())
}

fn structure(
    name: &Ident,
    schema: &Schema,
    object: &ObjectType,
    resources: &paths::Resources,
    at: &Spot<'_>,
) -> Struct {
    let mut required: Vec<_> = object.required.iter().collect();
    required.sort();
    for name in required {
        if !object.properties.contains_key(name) {
            at.child("required").report(
                format!("`{}` is required but not a property", name.escape_debug()),
                "add the property or take the name out of `required`",
            );
        }
    }
    let fields = object.properties.iter().filter_map(|(json, property)| {
        let at = at.child("properties").child(json);
        field(json, property, object.required.contains(json), at)
    });
    let mut lowered = Struct {
        fields: fields.collect(),
        unknown: None,
        role: Role::Part,
        rules: Box::new(TypeRules::default()),
        asked: asked::of_type(schema),
        behaviour: Behaviour::default(),
    };
    lowered.role = role::of(name, schema, &lowered, resources, at);
    if !matches!(lowered.role, Role::Part) {
        let type_meta = ["apiVersion", "kind"];
        lowered.fields.retain(|field| !type_meta.contains(&field.json.as_str()));
        for field in &mut lowered.fields {
            field.metadata = field.json == "metadata";
        }
    }
    lowered
}

fn field(
    json: &str,
    property: &ReferenceOr<Box<Schema>>,
    required: bool,
    at: Spot<'_>,
) -> Option<Field> {
    let name = name::field_name(json).or_else(|| {
        at.refuse(
            format!("`{}` can't be the name of a Rust field", json.escape_debug()),
            "a property's name is in camel case, with letters and digits only",
        )
    });
    let ty = schema::of(property, &at);
    let (docs, facts, asked) = match property {
        ReferenceOr::Item(schema) => (
            docs::of(&schema.schema_data, &at),
            docs::facts(&schema.schema_data, required, &at),
            asked::of(schema),
        ),
        ReferenceOr::Reference { .. } => Default::default(),
    };
    Some(Field {
        json: json.to_owned(),
        name: name?,
        pointer: at.pointer,
        ty: ty?,
        required,
        metadata: false,
        boxed: false,
        docs,
        facts,
        rules: Rules::default(),
        asked,
    })
}

fn enumeration(schema: &Schema, values: Vec<String>, at: &Spot<'_>) -> Enum {
    let descriptions = docs::value_descriptions(&schema.schema_data, &values, at);
    let variants = values.into_iter().zip(descriptions);
    let variants = variants.filter_map(|(value, description)| {
        let Some(name) = name::variant_name(&value) else {
            return at.child("enum").refuse(
                format!("`{}` can't be the name of a variant", value.escape_debug()),
                name::VARIANT_RULE,
            );
        };
        let docs = Docs {
            description,
            ..Docs::default()
        };
        Some(Variant { value, name, docs })
    });
    Enum {
        variants: variants.collect(),
    }
}
