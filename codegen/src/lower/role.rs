//! The role of a struct in the API: a kind, a list of a kind, or a part of other types.

use std::collections::BTreeMap;

use openapiv3::Schema;

use super::{Context, paths};
use crate::diag::Pointer;
use crate::load::GroupVersionKind;
use crate::model::{ApiVersion, Field, Role, Struct, Ty};
use crate::name::Ident;

/// The extension with the group, version and kind of a schema.
const EXTENSION: &str = "x-kubernetes-group-version-kind";

/// The role of a struct.
pub(super) fn of(
    name: &Ident,
    schema: &Schema,
    object: &Struct,
    pointer: &Pointer,
    resources: &paths::Resources,
    cx: &mut Context<'_>,
) -> Role {
    let Some(value) = schema.schema_data.extensions.get(EXTENSION) else {
        return Role::Part;
    };
    let at = pointer.child(EXTENSION);
    let kinds: Vec<GroupVersionKind> = match serde_json::from_value(value.clone()) {
        Ok(kinds) => kinds,
        Err(error) => {
            cx.report(
                &at,
                format!("not a list of groups, versions and kinds: {error}"),
                "write a list of objects with the strings `group`, `version` and `kind`",
            );
            return Role::Part;
        }
    };
    if let Some(kind) = kinds.iter().find(|kind| kind.kind != name.as_str()) {
        cx.report(
            &at,
            format!(
                "the kind `{}` of a schema named `{name}`",
                kind.kind.escape_debug()
            ),
            "name the schema after its kind",
        );
    }
    let role = match list_item(name, object) {
        Some(item) => {
            check_list(object, pointer, cx);
            Role::List { item }
        }
        None => match kinds.iter().find_map(|kind| resources.get(kind)) {
            Some(resource) => Role::Kind(resource.clone()),
            None => {
                cx.report(
                    &at,
                    "no path of the document serves this kind",
                    "a kind needs its paths, from which its plural, its scope and whether its \
                     status is a subresource are taken",
                );
                Role::Part
            }
        },
    };
    let metadata = if matches!(role, Role::List { .. }) {
        "ListMeta"
    } else {
        "ObjectMeta"
    };
    check_metadata(object, metadata, pointer, cx);
    role
}

/// The schema of the items, if the struct is a list by its name and its items.
fn list_item(name: &Ident, object: &Struct) -> Option<String> {
    let items = field(object, "items").filter(|_| name.as_str().ends_with("List"))?;
    match &items.ty {
        Ty::List(item) => match &**item {
            Ty::Ref(item) => Some(item.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn field<'a>(object: &'a Struct, json: &str) -> Option<&'a Field> {
    object.fields.iter().find(|field| field.json == json)
}

/// A list is made from its items and nothing else.
fn check_list(object: &Struct, pointer: &Pointer, cx: &mut Context<'_>) {
    if field(object, "items").is_some_and(|items| !items.required) {
        cx.report(
            &pointer.child("properties").child("items"),
            "the items of a list are optional",
            "add `items` to `required`: Kubernetes always writes it",
        );
    }
    let known = ["apiVersion", "kind", "metadata", "items"];
    for field in
        object.fields.iter().filter(|field| !known.contains(&field.json.as_str()))
    {
        cx.report(
            &field.pointer,
            format!("a list with the property `{}`", field.json),
            "a list has `metadata` and `items` only",
        );
    }
}

fn check_metadata(
    object: &Struct,
    expected: &str,
    pointer: &Pointer,
    cx: &mut Context<'_>,
) {
    let Some(metadata) = field(object, "metadata") else {
        cx.report(
            pointer,
            "a kind without `metadata`",
            format!("add the property, a reference to {expected}"),
        );
        return;
    };
    let found = match &metadata.ty {
        Ty::Ref(schema) => schema.rsplit('.').next(),
        _ => None,
    };
    if found != Some(expected) {
        cx.report(
            &metadata.pointer,
            format!("`metadata` that is not a reference to {expected}"),
            format!("refer to {expected}: k8s-openapi and kube ask for it"),
        );
    }
}

/// Marks the metadata of a kind or list, which its check has found to be that.
pub(super) fn mark_metadata(object: &mut Struct) {
    for field in &mut object.fields {
        field.metadata |= field.json == "metadata";
    }
}

/// Each kind has one schema.
pub(super) fn check_kinds(version: &ApiVersion, cx: &mut Context<'_>) {
    let mut seen = BTreeMap::new();
    for (name, object) in version.structs() {
        let Role::Kind(resource) = &object.role else {
            continue;
        };
        let kind = (&resource.group, &resource.version, &resource.kind);
        if let Some(other) = seen.insert(kind, name) {
            cx.report(
                &Pointer::schema(name),
                format!(
                    "the kind `{}` has a second schema beside `{other}`",
                    resource.kind
                ),
                "a kind has one schema",
            );
        }
    }
}
