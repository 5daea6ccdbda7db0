//! Lower: makes the model from schemas and operations.
//!
//! Only this module and [`load`](crate::load) know OpenAPI.

mod asked;
mod docs;
mod external;
mod paths;
mod role;
mod schema;

use std::collections::{BTreeMap, BTreeSet};

use openapiv3::{ReferenceOr, Schema, SchemaKind, Type as OpenApiType};

use crate::config::{Config, DocumentConfig};
use crate::diag::{Diagnostics, Pointer};
use crate::load::Document;
use crate::model::{
    ApiVersion, Applies, Behaviour, Docs, Enum, Field, Graph, Role, Rules, Shape,
    Struct, Ty, Type, TypeRules, Variant,
};
use crate::name::{self, Ident};

/// The diagnostics, and the document that they are about.
struct Context<'a> {
    file: &'a str,
    diagnostics: &'a mut Diagnostics,
}

impl Context<'_> {
    fn report(
        &mut self,
        pointer: &Pointer,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.diagnostics.at(self.file, pointer, message, help);
    }
}

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
        types: BTreeMap::new(),
        externs: BTreeMap::new(),
        aliases: BTreeMap::new(),
        graph: Graph::default(),
        features: BTreeMap::new(),
        modules: Vec::new(),
        apply: Applies::default(),
        conversions: BTreeMap::new(),
    };
    let mut cx = Context {
        file: &document.file,
        diagnostics,
    };
    let resources = paths::resources(document, &mut cx);
    for (name, schema) in &document.schemas {
        let pointer = Pointer::schema(name);
        let Some(short) = name.strip_prefix(&document_config.prefix) else {
            let external = external::of(name, document, &pointer, config, &mut cx);
            if let Some(external) = external {
                version.externs.insert(name.clone(), external);
            }
            continue;
        };
        match own_type(short, schema, pointer, &resources, &mut cx) {
            Some(Lowered::Type(ty)) => {
                version.types.insert(name.clone(), *ty);
            }
            Some(Lowered::Alias(ty)) => {
                version.aliases.insert(name.clone(), ty);
            }
            None => {}
        }
    }
    role::check_kinds(&version, &mut cx);
    let ours = |name: &String| name.starts_with(&document_config.prefix);
    if !document.schemas.is_empty() && !document.schemas.keys().any(ours) {
        cx.report(
            &Pointer::root().child("components").child("schemas"),
            format!("no schema starts with `{}`", document_config.prefix),
            "check that it is the document of the right group-version, or the `prefix` in \
             codegen.toml",
        );
    }
    version
}

enum Lowered {
    Type(Box<Type>),
    Alias(Ty),
}

/// What a schema of the crate becomes.
fn own_type(
    short: &str,
    schema: &Schema,
    pointer: Pointer,
    resources: &paths::Resources,
    cx: &mut Context<'_>,
) -> Option<Lowered> {
    let Some(name) = name::type_name(short) else {
        cx.report(
            &pointer,
            format!("`{short}` can't be the name of a Rust type"),
            "a type's name starts with an upper-case letter and has only letters and \
             digits after the prefix that codegen.toml gives",
        );
        return None;
    };
    let Some(mut shape) = shape(schema, &pointer, cx)? else {
        return schema::ty(schema, &pointer, cx).map(Lowered::Alias);
    };
    if let Shape::Struct(object) = &mut shape {
        object.role = role::of(&name, schema, object, &pointer, resources, cx);
        if !matches!(object.role, Role::Part) {
            let type_meta = ["apiVersion", "kind"];
            object.fields.retain(|field| !type_meta.contains(&field.json.as_str()));
        }
        if matches!(object.role, Role::Kind(_) | Role::List { .. }) {
            role::mark_metadata(object);
        }
    }
    let docs = docs::of(&schema.schema_data, &pointer, cx);
    let facts = docs::facts(&schema.schema_data, false, &pointer, cx);
    Some(Lowered::Type(Box::new(Type {
        name,
        pointer,
        docs,
        facts,
        shape,
    })))
}

/// The shape of a schema that is a type of its own; nothing inside if it is only a name for
/// another, nothing at all if it is faulty.
fn shape(
    schema: &Schema,
    pointer: &Pointer,
    cx: &mut Context<'_>,
) -> Option<Option<Shape>> {
    match &schema.schema_kind {
        SchemaKind::Type(OpenApiType::Object(object))
            if !object.properties.is_empty() =>
        {
            let required: BTreeSet<&str> =
                object.required.iter().map(String::as_str).collect();
            for name in &required {
                if !object.properties.contains_key(*name) {
                    cx.report(
                        &pointer.child("required"),
                        format!(
                            "`{}` is required but not a property",
                            name.escape_debug()
                        ),
                        "add the property or take the name out of `required`",
                    );
                }
            }
            let mut fields = Vec::new();
            for (json, property) in &object.properties {
                let pointer = pointer.child("properties").child(json);
                let required = required.contains(json.as_str());
                fields.extend(field(json, property, required, pointer, cx));
            }
            Some(Some(Shape::Struct(Struct {
                fields,
                unknown: None,
                role: Role::Part,
                rules: Box::new(TypeRules::default()),
                asked: asked::of_type(schema),
                behaviour: Behaviour::default(),
            })))
        }
        SchemaKind::Type(OpenApiType::String(string))
            if !string.enumeration.is_empty() =>
        {
            let values = schema::values(&string.enumeration, pointer, cx)?;
            Some(Some(Shape::Enum(enumeration(schema, values, pointer, cx))))
        }
        _ => Some(None),
    }
}

fn field(
    json: &str,
    property: &ReferenceOr<Box<Schema>>,
    required: bool,
    pointer: Pointer,
    cx: &mut Context<'_>,
) -> Option<Field> {
    let name = field_name(json, &pointer, cx);
    let ty = schema::of(property, &pointer, cx);
    let (docs, facts, asked) = match property {
        ReferenceOr::Item(schema) => (
            docs::of(&schema.schema_data, &pointer, cx),
            docs::facts(&schema.schema_data, required, &pointer, cx),
            asked::of(schema),
        ),
        ReferenceOr::Reference { .. } => Default::default(),
    };
    let (name, ty) = (name?, ty?);
    Some(Field {
        json: json.to_owned(),
        name,
        pointer,
        ty,
        required,
        metadata: false,
        boxed: false,
        docs,
        facts,
        rules: Rules::default(),
        asked,
    })
}

fn field_name(json: &str, pointer: &Pointer, cx: &mut Context<'_>) -> Option<Ident> {
    let name = name::field_name(json);
    if name.is_none() {
        cx.report(
            pointer,
            format!("`{}` can't be the name of a Rust field", json.escape_debug()),
            "a property's name is in camel case, with letters and digits only",
        );
    }
    name
}

fn enumeration(
    schema: &Schema,
    values: Vec<String>,
    pointer: &Pointer,
    cx: &mut Context<'_>,
) -> Enum {
    let descriptions =
        docs::value_descriptions(&schema.schema_data, &values, pointer, cx);
    let mut variants = Vec::new();
    for (value, description) in values.into_iter().zip(descriptions) {
        let docs = Docs {
            description,
            ..Docs::default()
        };
        variants.extend(variant(value, docs, &pointer.child("enum"), cx));
    }
    Enum { variants }
}

fn variant(
    value: String,
    docs: Docs,
    pointer: &Pointer,
    cx: &mut Context<'_>,
) -> Option<Variant> {
    let Some(name) = name::variant_name(&value) else {
        cx.report(
            pointer,
            format!("`{}` can't be the name of a variant", value.escape_debug()),
            name::VARIANT_RULE,
        );
        return None;
    };
    Some(Variant { value, name, docs })
}
