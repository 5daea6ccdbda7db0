//! Facts of a kind that its paths have: the plural, the scope, a status subresource.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::diag::Spot;
use crate::load::crd::{DEPRECATION, SCALE};
use crate::load::refs::KIND;
use crate::model::{Lowered, Resource, Scale};

/// The members of a path that are operations.
const VERBS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// The kind that a schema or an operation is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(super) struct GroupVersionKind {
    group: String,
    version: String,
    pub(super) kind: String,
}

pub(super) type Resources = BTreeMap<GroupVersionKind, Resource<Lowered>>;

/// Collects the resources that the document serves.
pub(super) fn resources(document: &Value, root: &Spot<'_>) -> Resources {
    let mut resources = Resources::new();
    let paths = document.get("paths").and_then(Value::as_object);
    for (path, value) in paths.into_iter().flatten() {
        let at = root.child("paths").child(path);
        let Some(operations) = operations(value) else {
            at.report(
                "not an OpenAPI 3.0 path: it and its operations and responses are objects",
                "compare it with a path that works, such as that of csinodes",
            );
            continue;
        };
        for (verb, operation) in operations {
            let at = at.child(verb);
            let kind = match operation.get(KIND) {
                Some(kind) => GroupVersionKind::deserialize(kind),
                // A get returns the kind; a delete returns a Status.
                None => match result_kind(document, operation).filter(|_| verb == "get") {
                    Some(kind) => Ok(kind),
                    None => continue,
                },
            };
            match kind {
                Ok(kind) => {
                    if let Some(resource) = add(kind, path, &mut resources, &at) {
                        custom(operation, resource);
                    }
                }
                Err(error) => at.child(KIND).report(
                    format!("not a group, version and kind: {error}"),
                    "write an object with the strings `group`, `version` and `kind`",
                ),
            }
        }
    }
    resources
}

/// The operations of a path; `None` if it is damaged.
///
/// They are read as JSON, because most of what OpenAPI's types would hold isn't used here.
fn operations(path: &Value) -> Option<Vec<(&'static str, &Value)>> {
    let path = path.as_object()?;
    let operations = VERBS
        .into_iter()
        .filter_map(|verb| Some((verb, path.get(verb)?)));
    let operations: Vec<_> = operations.collect();
    let is_whole = |operation: &Value| {
        let responses = operation.get("responses");
        operation.is_object() && responses.is_none_or(Value::is_object)
    };
    operations
        .iter()
        .all(|(_, operation)| is_whole(operation))
        .then_some(operations)
}

/// The kind of what an operation answers: up to 1.23 only schemas name their kind.
fn result_kind(document: &Value, operation: &Value) -> Option<GroupVersionKind> {
    let content = operation.get("responses")?.get("200")?.get("content")?;
    let schema = content.get("application/json")?.get("schema")?;
    let reference = schema.get("$ref")?.as_str()?;
    let schema = document.pointer(reference.strip_prefix('#')?)?;
    match schema.get(KIND)?.as_array()?.as_slice() {
        [kind] => GroupVersionKind::deserialize(kind).ok(),
        _ => None,
    }
}

/// Adds what an operation on a path says of its kind.
fn add<'r>(
    kind: GroupVersionKind,
    path: &str,
    resources: &'r mut Resources,
    at: &Spot<'_>,
) -> Option<&'r mut Resource<Lowered>> {
    let place = place(path)?;
    let plural = place.plural;
    if !is_plural(plural) {
        at.report(
            format!("`{}` can't be the plural of a kind", plural.escape_debug()),
            "the plural in a path is in lower-case letters",
        );
        return None;
    }
    let resource = resources.entry(kind.clone()).or_insert_with(|| Resource {
        group: kind.group,
        version: kind.version,
        kind: kind.kind,
        plural: plural.to_owned(),
        short_names: Vec::new(),
        namespaced: false,
        status: false,
        scale: None,
        deprecation: None,
        list: (),
        paths: (),
        others: (),
    });
    if resource.plural != plural {
        let (kind, other) = (&resource.kind, &resource.plural);
        at.report(
            format!("`{kind}` has two plurals, `{other}` and `{plural}`"),
            "a kind has one plural, the same in all its paths",
        );
        return None;
    }
    resource.namespaced |= place.namespaced;
    resource.status |= place.subresource == Some("status");
    Some(resource)
}

/// Adds what only the definition of a custom resource has, from where loading has put it.
fn custom(operation: &Value, resource: &mut Resource<Lowered>) {
    let scale = operation
        .get(SCALE)
        .and_then(|scale| Scale::deserialize(scale).ok());
    resource.scale = scale.or(resource.scale.take());
    let warning = operation.get(DEPRECATION).and_then(Value::as_str);
    resource.deprecation = warning.map(str::to_owned).or(resource.deprecation.take());
}

struct Place<'a> {
    plural: &'a str,
    namespaced: bool,
    subresource: Option<&'a str>,
}

/// Takes a path apart: `/apis/GROUP/VERSION[/namespaces/{namespace}]/PLURAL[/{name}[/SUB]]`.
fn place(path: &str) -> Option<Place<'_>> {
    let mut parts = path.trim_start_matches('/').split('/');
    // The group, which the core doesn't have, and the version.
    match parts.next()? {
        "apis" => parts.nth(1)?,
        "api" => parts.next()?,
        _ => return None,
    };
    let mut plural = parts.next().filter(|part| *part != "watch")?;
    let mut namespaced = false;
    let mut rest = parts.next();
    if plural == "namespaces"
        && rest == Some("{namespace}")
        && let Some(inner) = parts.next()
    {
        plural = inner;
        namespaced = true;
        rest = parts.next();
    }
    let subresource = rest.and_then(|_| parts.next());
    let about_itself = subresource.is_none_or(|sub| sub == "status");
    (!plural.is_empty() && about_itself).then_some(Place {
        plural,
        namespaced,
        subresource,
    })
}

fn is_plural(plural: &str) -> bool {
    plural
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}
