//! The role of a struct in the API: a kind, a list of a kind, or a part of other types.

use std::collections::BTreeMap;

use openapiv3::Schema;
use serde_json::Value;

use super::paths::{GroupVersionKind, Resources};
use crate::diag::Spot;
use crate::load::crd::SHORT_NAMES;
use crate::load::refs::KIND;
use crate::model::{ApiVersion, Lowered, Resource, Role, Struct, Ty};
use crate::name::{self, Ident};
use crate::pointer::Pointer;

/// The role of a struct.
pub(super) fn of(
    name: &Ident,
    schema: &Schema,
    object: &Struct<Lowered>,
    resources: &Resources,
    spot: &Spot<'_>,
) -> Role<Lowered> {
    let mut role = in_api(name, schema, object, resources, spot);
    if let Some(value) = schema.schema_data.extensions.get(SHORT_NAMES) {
        set_short_names(&mut role, value, &spot.child(SHORT_NAMES));
    }
    role
}

fn set_short_names(role: &mut Role<Lowered>, value: &Value, at: &Spot<'_>) {
    match (role, serde_json::from_value(value.clone())) {
        (Role::Kind(Resource { short_names, .. }), Ok(given)) => *short_names = given,
        (Role::Kind(_), Err(_)) => at.report(
            "not a list of short names",
            "write a list of texts, such as `[pvc]`",
        ),
        _ => at.report(
            "short names of a schema that isn't that of a kind",
            "take them out: kubectl knows only kinds by a short name",
        ),
    }
}

fn in_api(
    name: &Ident,
    schema: &Schema,
    object: &Struct<Lowered>,
    resources: &Resources,
    spot: &Spot<'_>,
) -> Role<Lowered> {
    let Some(value) = schema.schema_data.extensions.get(KIND) else {
        return Role::Part;
    };
    let at = spot.child(KIND);
    let kinds: Vec<GroupVersionKind> = match serde_json::from_value(value.clone()) {
        Ok(kinds) => kinds,
        Err(error) => {
            at.report(
                format!("not a list of groups, versions and kinds: {error}"),
                "write a list of objects with the strings `group`, `version` and `kind`",
            );
            return Role::Part;
        }
    };
    if let Some(kind) = kinds.iter().find(|kind| !is_name_of(name, &kind.kind)) {
        at.report(
            format!(
                "the kind `{}` of a schema named `{name}`",
                kind.kind.escape_debug()
            ),
            "name the schema after its kind",
        );
    }
    let role = match list_item(name, object) {
        Some(item) => {
            check_list(object, spot);
            let kind = kinds.into_iter().next().map(|kind| kind.kind);
            let kind = kind.unwrap_or_else(|| name.to_string());
            Role::List { item, kind }
        }
        None => match kinds.iter().find_map(|kind| resources.get(kind)) {
            Some(resource) => Role::Kind(resource.clone()),
            None => {
                at.report(
                    "no path of the document serves this kind",
                    "a kind needs its paths, from which its plural, its scope and whether its \
                     status is a subresource are taken",
                );
                Role::Part
            }
        },
    };
    let metadata = match role {
        Role::List { .. } => "ListMeta",
        _ => "ObjectMeta",
    };
    check_metadata(object, metadata, spot);
    role
}

/// Returns true if a type has the name of a kind.
fn is_name_of(name: &Ident, kind: &str) -> bool {
    kind == name.as_str() || name::kind_name(kind).as_ref() == Some(name)
}

/// The schema of the items, if the struct is a list by its name or metadata, and its items.
fn list_item(name: &Ident, object: &Struct<Lowered>) -> Option<String> {
    // The definition of a custom resource can name its list as it likes.
    let metadata = object
        .field("metadata")
        .and_then(|field| reference(&field.ty));
    let is_list = metadata.is_some_and(|schema| schema.ends_with(".ListMeta"));
    let items = object
        .field("items")
        .filter(|_| is_list || name.as_str().ends_with("List"))?;
    match &items.ty {
        Ty::List(item) => reference(item).cloned(),
        _ => None,
    }
}

fn reference(ty: &Ty) -> Option<&String> {
    match ty {
        Ty::Ref(schema) => Some(schema),
        _ => None,
    }
}

/// A list is made from its items and nothing else.
fn check_list(object: &Struct<Lowered>, at: &Spot<'_>) {
    if object.field("items").is_some_and(|items| !items.required) {
        at.child("properties").child("items").report(
            "the items of a list are optional",
            "add `items` to `required`: Kubernetes always writes it",
        );
    }
    let known = ["apiVersion", "kind", "metadata", "items"];
    for field in object
        .fields
        .iter()
        .filter(|field| !known.contains(&field.json.as_str()))
    {
        at.at(field.pointer.clone()).report(
            format!("a list with the property `{}`", field.json),
            "a list has `metadata` and `items` only",
        );
    }
}

fn check_metadata(object: &Struct<Lowered>, expected: &str, at: &Spot<'_>) {
    let Some(metadata) = object.field("metadata") else {
        at.report(
            "a kind without `metadata`",
            format!("add the property, a reference to {expected}"),
        );
        return;
    };
    let found = reference(&metadata.ty).and_then(|schema| schema.rsplit('.').next());
    if found != Some(expected) {
        at.at(metadata.pointer.clone()).report(
            format!("`metadata` that is not a reference to {expected}"),
            format!("refer to {expected}: k8s-openapi and kube ask for it"),
        );
    }
}

/// Each kind has one schema.
pub(super) fn check_kinds(version: &ApiVersion<Lowered>, root: &Spot<'_>) {
    let mut seen = BTreeMap::new();
    for (name, resource) in version.kinds() {
        let kind = (&resource.group, &resource.version, &resource.kind);
        if let Some(other) = seen.insert(kind, name) {
            root.at(Pointer::schema(name)).report(
                format!(
                    "the kind `{}` has a second schema beside `{other}`",
                    resource.kind
                ),
                "a kind has one schema",
            );
        }
    }
}
