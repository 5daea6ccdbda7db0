//! CustomResourceDefinitions, as the OpenAPI document that a server would publish for them.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::document::CUSTOM;
use super::error::Error;
use super::refs::KIND;
use crate::manifest::{self, Definition, Names, Spec, Version};
use crate::source::Source;

/// The prefix of the schemas that every kind and list needs.
pub(super) const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/// A group and version of custom resources.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CustomVersion {
    /// The group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The prefix of its schemas, for [`DocumentConfig::prefix`](crate::DocumentConfig::prefix).
    pub prefix: String,
}

/// The members of operations with what a server's document doesn't say: the paths of the
/// subresource `scale`, and the warning about a deprecated version.
pub(crate) const SCALE: &str = "x-scale";
pub(crate) const DEPRECATION: &str = "x-deprecation";

/// The keyword of the schema of a kind with the short names by which kubectl knows it, which
/// overlays have for Kubernetes' own.
pub(crate) const SHORT_NAMES: &str = "x-short-names";

/// The document of the CustomResourceDefinitions in a text of manifests: of those whose schemas
/// have the prefix, or of all. Objects of other kinds are ignored.
pub(super) fn document(source: &Source, wanted: Option<&str>) -> Result<Value, Error> {
    let mut schemas = Map::new();
    for name in ["ObjectMeta", "ListMeta"] {
        schemas.insert(format!("{META}{name}"), json!({"type": "object"}));
    }
    let mut paths = Map::new();
    let mut found = BTreeSet::new();
    for definition in source.definitions()? {
        let Spec {
            group,
            names,
            versions,
            ..
        } = &definition.spec;
        let is_wanted =
            |version: &&Version| wanted.is_none_or(|wanted| wanted == prefix(group, &version.name));
        for version in versions.iter().filter(is_wanted) {
            let kind = (group.clone(), version.name.clone(), names.kind.clone());
            if !found.insert(kind) {
                let (kind, version) = (&names.kind, &version.name);
                return Err((
                    None,
                    format!("two definitions of {kind} in {group}/{version}"),
                    "leave one of them in the file",
                ));
            }
            add(&definition.spec, version, &mut schemas, &mut paths)?;
        }
    }
    let mut document = json!({
        "openapi": "3.0.0",
        "info": {"title": CUSTOM},
        "components": {},
    });
    // The macro would copy them.
    document["paths"] = Value::Object(paths);
    document["components"]["schemas"] = Value::Object(schemas);
    Ok(document)
}

/// The definitions in a text of manifests, as they are written, by the schemas of their kinds that
/// have the prefix.
pub(super) fn written(source: &Source, wanted: &str) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    // What can't be read has been reported.
    for definition in source.definitions().unwrap_or_default() {
        let Spec { group, names, .. } = &definition.spec;
        let versions = definition.spec.versions.iter();
        let mut prefixes = versions.map(|version| prefix(group, &version.name));
        if prefixes.any(|prefix| prefix == wanted) {
            found.push((format!("{wanted}{}", names.kind), definition.written()));
        }
    }
    found
}

/// The names of the schemas with a prefix that a file of manifests has, which are found without
/// reading them; `None` of other documents.
pub(super) fn names(source: &Source, wanted: &str) -> Option<BTreeSet<String>> {
    if !manifest::is_manifest(&source.name) {
        return None;
    }
    let mut found = BTreeSet::new();
    for Definition { spec, .. } in source.definitions().unwrap_or_default() {
        let versions = spec.versions.iter();
        let mut prefixes = versions.map(|version| prefix(&spec.group, &version.name));
        if prefixes.any(|prefix| prefix == wanted) {
            let names = [&spec.names.kind, &spec.names.list()];
            found.extend(names.map(|name| format!("{wanted}{name}")));
        }
    }
    Some(found)
}

/// The groups and versions that are served, in a text of manifests, sorted.
pub(crate) fn group_versions(source: &Source) -> Result<Vec<CustomVersion>, Error> {
    let mut found = BTreeSet::new();
    for definition in source.definitions()? {
        let Spec {
            group,
            names,
            versions,
            ..
        } = &definition.spec;
        if !versions.iter().any(|version| version.served) {
            return Err((
                None,
                format!("no version of {} of {group} is served", names.kind),
                "a version has `served: true`; leave the definition out if that is meant",
            ));
        }
        let served = versions.iter().filter(|version| version.served);
        found.extend(served.map(|version| CustomVersion {
            prefix: prefix(group, &version.name),
            version: version.name.clone(),
            group: group.clone(),
        }));
    }
    Ok(found.into_iter().collect())
}

/// Returns the prefix of a group-version's schemas: the parts of the group from the back.
fn prefix(group: &str, version: &str) -> String {
    let parts: Vec<_> = group.rsplit('.').collect();
    format!("{}.{version}.", parts.join("."))
}

fn add(
    spec: &Spec,
    version: &Version,
    schemas: &mut Map<String, Value>,
    paths: &mut Map<String, Value>,
) -> Result<(), Error> {
    let Spec {
        group,
        names,
        scope,
        ..
    } = spec;
    let Names { kind, plural, .. } = names;
    let Some(validation) = &version.schema else {
        return Err((
            None,
            format!("{kind} of {group}/{} has no schema", version.name),
            "give the version a `schema.openAPIV3Schema`",
        ));
    };
    let list = names.list();
    let prefix = prefix(group, &version.name);
    let is = |kind: &str| json!({"group": group, "version": version.name, "kind": kind});
    schemas.insert(
        format!("{prefix}{kind}"),
        of_kind(validation.schema.schema()?, is(kind), names),
    );
    schemas.insert(
        format!("{prefix}{list}"),
        json!({
            "description": format!("A list of {kind}."),
            "type": "object",
            "required": ["items"],
            "properties": {
                "metadata": reference(META, "ListMeta"),
                "items": {"type": "array", "items": reference(&prefix, kind)},
            },
            KIND: [is(&list)],
        }),
    );
    let inside = if scope == "Namespaced" {
        "/namespaces/{namespace}"
    } else {
        ""
    };
    let all = format!("/apis/{group}/{}{inside}/{plural}", version.name);
    let operation = |action: &str| {
        json!({"get": {
            "responses": {},
            "x-kubernetes-action": action,
            KIND: is(kind),
        }})
    };
    let has_status = version
        .subresources
        .as_ref()
        .is_some_and(|s| s.status.is_some());
    if has_status {
        paths.insert(format!("{all}/{{name}}/status"), operation("get"));
    }
    let mut get = operation("get");
    let scale = version.subresources.as_ref();
    if let Some(scale) = scale.and_then(|subresources| subresources.scale.as_ref()) {
        get["get"][SCALE] = scale.clone();
    }
    if version.deprecated {
        get["get"][DEPRECATION] = warning(spec, version).into();
    }
    paths.insert(format!("{all}/{{name}}"), get);
    paths.insert(all, operation("list"));
    Ok(())
}

/// The warning with which a server answers requests about a deprecated version.
fn warning(spec: &Spec, version: &Version) -> String {
    if let Some(warning) = &version.deprecation_warning {
        return warning.clone();
    }
    let (group, kind) = (&spec.group, &spec.names.kind);
    let warning = format!("{group}/{} {kind} is deprecated", version.name);
    let others = spec.versions.iter();
    let others = others.filter(|other| other.served && !other.deprecated);
    match others.max_by_key(|other| rank(&other.name)) {
        Some(other) if rank(&other.name) > rank(&version.name) => {
            format!("{warning}; use {group}/{} {kind}", other.name)
        }
        _ => warning,
    }
}

/// The rank of a version among others: `v2`, `v1`, `v1beta1`, `v1alpha1`, and then all other names.
fn rank(version: &str) -> (u8, u64, u64, Reverse<&str>) {
    let number = |text: &str| {
        let is_number = !text.starts_with(['0', '+']);
        text.parse::<u64>().ok().filter(|_| is_number)
    };
    let stable = version.strip_prefix('v').and_then(number);
    let unstable = |stage: &str| {
        let (major, minor) = version.strip_prefix('v')?.split_once(stage)?;
        number(major).zip(number(minor))
    };
    match (stable, unstable("beta"), unstable("alpha")) {
        (Some(major), _, _) => (3, major, 0, Reverse("")),
        (_, Some((major, minor)), _) => (2, major, minor, Reverse("")),
        (_, _, Some((major, minor))) => (1, major, minor, Reverse("")),
        _ => (0, 0, 0, Reverse(version)),
    }
}

/// The schema of a kind, with the fields that every object has.
fn of_kind(mut schema: Map<String, Value>, kind: Value, names: &Names) -> Value {
    schema.insert(KIND.to_owned(), json!([kind]));
    if let Some(short) = names.short() {
        schema.insert(SHORT_NAMES.to_owned(), json!(short));
    }
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        for name in ["apiVersion", "kind"] {
            properties.insert(name.to_owned(), json!({"type": "string"}));
        }
        properties.insert("metadata".to_owned(), reference(META, "ObjectMeta"));
    }
    schema.into()
}

/// A reference to the schema of a name.
pub(super) fn reference(prefix: &str, name: &str) -> Value {
    json!({"allOf": [{"$ref": format!("#{}/{prefix}{name}", super::SCHEMAS)}]})
}
