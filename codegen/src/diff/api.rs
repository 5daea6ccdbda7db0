//! A document as an API: its group-version, kinds, resources, and schemas.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::load::{self, SCHEMAS, references, schema_name};
use crate::release::Release;

use super::types::Types;

/// The extension with the groups, versions and kinds of a schema.
const GVK: &str = "x-kubernetes-group-version-kind";

/// The verbs of every custom resource.
const VERBS: [&str; 8] = [
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];

/// One group-version of a document.
#[derive(Debug)]
pub(super) struct Api {
    /// The group-version, as in `apiVersion`; the name of the file if the document has none.
    pub(super) group_version: String,
    /// True if paths say which group-version it is.
    pub(super) is_served: bool,
    pub(super) release: Option<Release>,
    /// True if the configuration has the document, so that there is a crate for it.
    pub(super) has_crate: bool,
    /// True if a running server published it, which lists values of enumerations.
    pub(super) from_server: bool,
    /// True if it is about custom resources: a server checks all that it says, and it is of no
    /// release of Kubernetes.
    pub(super) is_custom: bool,
    /// True if none of its kinds is compared.
    pub(super) is_empty: bool,
    /// The Rust types of objects inside its schemas.
    pub(super) types: Types,
    pub(super) kinds: BTreeMap<String, Kind>,
    pub(super) schemas: Map<String, Value>,
    /// The beginnings of the names of the schemas that are of this group-version.
    prefixes: BTreeSet<String>,
}

/// A kind of a group-version.
#[derive(Debug, Default)]
pub(super) struct Kind {
    /// The name of its schema.
    pub(super) schema: String,
    /// The resource that its paths serve, unless the document has no paths.
    pub(super) resource: Option<Resource>,
}

/// The resource of a kind.
#[derive(Debug, Default)]
pub(super) struct Resource {
    pub(super) plural: String,
    pub(super) is_namespaced: bool,
    pub(super) verbs: BTreeSet<&'static str>,
    /// The verbs of each subresource.
    pub(super) subresources: BTreeMap<String, BTreeSet<&'static str>>,
}

impl Api {
    /// Reads a document; there is none in one that is about several groups or versions.
    pub(super) fn of(file: &str, document: &Value, release: Option<Release>) -> Option<Self> {
        let paths = document.get("paths").and_then(Value::as_object);
        let mut served = paths
            .into_iter()
            .flatten()
            .filter_map(|(path, _)| served_by(path));
        let has_paths = paths.is_some_and(|paths| !paths.is_empty());
        let served = served.next().map(|(group_version, _)| group_version);
        let is_served = served.is_some();
        let group_version = match served {
            Some(found) => found,
            None if has_paths => return None,
            None => file.trim_end_matches(".json").to_owned(),
        };
        let schemas = document
            .pointer(SCHEMAS)
            .and_then(Value::as_object)
            .cloned();
        let is_custom = load::is_of_custom_resources(document);
        let mut api = Self {
            group_version,
            is_served,
            release: release.filter(|_| !is_custom),
            has_crate: false,
            from_server: is_from_server(document),
            is_custom,
            is_empty: false,
            types: Types::default(),
            kinds: BTreeMap::new(),
            schemas: schemas.unwrap_or_default(),
            prefixes: BTreeSet::new(),
        };
        api.find_kinds(has_paths);
        // Paths of subresources come after those that say which kind a resource is of.
        let mut paths: Vec<_> = paths.into_iter().flatten().collect();
        paths.sort_by_key(|(path, _)| (path.matches('/').count(), path.as_str()));
        for (path, item) in paths {
            api.add_path(path, item);
        }
        // What is made from definitions lacks the version of a server.
        if is_custom && document.pointer("/info/version").is_none() {
            api.complete();
        }
        Some(api)
    }

    /// The group; the empty text for the core group.
    pub(super) fn group(&self) -> &str {
        self.group_version
            .split_once('/')
            .map_or("", |(group, _)| group)
    }

    /// Keeps these kinds with their lists and what belongs to them, and takes out the other
    /// schemas. Returns the names of the other kinds.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&str) -> bool) -> Vec<String> {
        let (kept, others) = std::mem::take(&mut self.kinds)
            .into_iter()
            .partition(|(name, _)| is_kept(name));
        self.kinds = kept;
        let own: BTreeSet<_> = self.kinds.values().map(|kind| &kind.schema).collect();
        let is_root = |name: &String, schema: &Value| {
            let mut items = Vec::new();
            let is_list = schema.get(GVK).is_some();
            references(&schema["properties"]["items"], &mut items);
            own.contains(name) || is_list && items.iter().any(|item| own.contains(item))
        };
        let roots = self
            .schemas
            .iter()
            .filter(|(name, schema)| is_root(name, schema));
        let mut open: Vec<_> = roots.map(|(name, _)| name.clone()).collect();
        let mut reached = BTreeSet::new();
        while let Some(name) = open.pop() {
            let Some(schema) = self.schemas.get(&name) else {
                continue;
            };
            if reached.insert(name) {
                references(schema, &mut open);
            }
        }
        self.schemas.retain(|name, _| reached.contains(name));
        let others: BTreeMap<String, Kind> = others;
        others.into_keys().collect()
    }

    /// The beginnings of the names of the schemas that are of this group-version.
    pub(super) fn prefixes(&self) -> impl Iterator<Item = &str> {
        self.prefixes.iter().map(String::as_str)
    }

    /// Returns true if a schema becomes a type of the crate that is generated from the document.
    pub(super) fn owns(&self, schema: &str) -> bool {
        self.prefixes
            .iter()
            .any(|prefix| schema.starts_with(prefix.as_str()))
    }

    /// The schema that a reference leads to.
    pub(super) fn schema(&self, name: &str) -> Option<&Value> {
        self.schemas.get(name)
    }

    /// Adds what a server does for all custom resources and definitions don't say, and takes out
    /// the shared schemas of which they say nothing.
    fn complete(&mut self) {
        self.schemas.retain(|name, _| !is_machinery(name));
        let lists = self.schemas.values_mut().filter(|schema| {
            schema.get(GVK).is_some() && schema.pointer("/properties/items/items").is_some()
        });
        let fields = lists.filter_map(|list| list.get_mut("properties")?.as_object_mut());
        for fields in fields {
            for name in ["apiVersion", "kind"] {
                let field = fields.entry(name);
                field.or_insert_with(|| json!({"type": "string"}));
            }
        }
        let resources = self
            .kinds
            .values_mut()
            .filter_map(|kind| kind.resource.as_mut());
        for resource in resources {
            resource.verbs.extend(VERBS);
            for verbs in resource.subresources.values_mut() {
                verbs.extend(["get", "patch", "update"]);
            }
        }
    }

    fn find_kinds(&mut self, has_paths: bool) {
        let named = |gvk: &Value, key: &str| {
            gvk.get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        for (name, schema) in &self.schemas {
            if is_machinery(name) {
                continue;
            }
            let gvks = schema.get(GVK).and_then(Value::as_array);
            for gvk in gvks.into_iter().flatten() {
                let group = named(gvk, "group");
                let version = named(gvk, "version");
                let of = if group.is_empty() {
                    version
                } else {
                    format!("{group}/{version}")
                };
                let kind = named(gvk, "kind");
                if kind.is_empty() || has_paths && of != self.group_version {
                    continue;
                }
                if let Some((prefix, _)) = name.rsplit_once('.') {
                    self.prefixes.insert(format!("{prefix}."));
                }
                if !is_list(&kind, schema) {
                    let schema = name.clone();
                    self.kinds.insert(
                        kind,
                        Kind {
                            schema,
                            resource: None,
                        },
                    );
                }
            }
        }
        if self.prefixes.is_empty() && !has_paths {
            let own = self.schemas.keys().filter(|name| !is_machinery(name));
            let prefixes = own.filter_map(|name| name.rsplit_once('.'));
            self.prefixes = prefixes.map(|(prefix, _)| format!("{prefix}.")).collect();
        }
    }

    fn add_path(&mut self, path: &str, item: &Value) {
        let Some(Served {
            plural,
            is_namespaced,
            is_one,
            is_watch,
            subresource,
        }) = served_by(path).and_then(|(_, served)| served)
        else {
            return;
        };
        let operations = || item.as_object().into_iter().flatten();
        let mut names = operations()
            .filter_map(|(_, operation)| self.kind_at(&plural, operation, subresource.is_some()));
        let Some(name) = names.next() else { return };
        let Some(kind) = self.kinds.get_mut(&name) else {
            return;
        };
        let resource = kind.resource.get_or_insert_default();
        resource.plural.clone_from(&plural);
        resource.is_namespaced |= is_namespaced;
        let verbs = match &subresource {
            Some(name) => resource.subresources.entry(name.clone()).or_default(),
            None => &mut resource.verbs,
        };
        for (method, operation) in operations() {
            let found = verb(method, is_one, is_watch);
            verbs.extend(found);
            if found == Some("list") && can_watch(item, operation) {
                verbs.insert("watch");
            }
        }
    }

    /// The kind of a resource. Documents before Kubernetes 1.24 name it nowhere but in the types of
    /// answers; that of a subresource may be another.
    fn kind_at(&self, plural: &str, operation: &Value, is_subresource: bool) -> Option<String> {
        let known = self.kinds.iter().find(|(_, kind)| {
            kind.resource
                .as_ref()
                .is_some_and(|resource| resource.plural == plural)
        });
        if let Some((name, _)) = known {
            return Some(name.clone());
        }
        if is_subresource {
            return None;
        }
        let gvk = operation.pointer("/x-kubernetes-group-version-kind/kind");
        let named = gvk
            .and_then(Value::as_str)
            .filter(|name| self.kinds.contains_key(*name));
        let of_schema = |name: &str| {
            let mut kinds = self.kinds.iter();
            let is_of = |kind: &Kind| kind.schema == name || format!("{}List", kind.schema) == name;
            kinds
                .find(|(_, kind)| is_of(kind))
                .map(|(name, _)| name.clone())
        };
        named
            .map(str::to_owned)
            .or_else(|| answered(operation).and_then(of_schema))
    }
}

/// Returns true if a document carries the version of a server; checked-in ones carry none, and
/// those of custom resources one of their own.
fn is_from_server(document: &Value) -> bool {
    let version = document.pointer("/info/version").and_then(Value::as_str);
    version.is_some_and(|version| version.trim_start_matches('v').starts_with("1."))
        && !load::is_of_custom_resources(document)
}

/// Returns true if a schema is one of those that all groups share.
pub(super) fn is_machinery(schema: &str) -> bool {
    schema.starts_with("io.k8s.apimachinery.")
}

/// Returns true if a kind is the list of another.
fn is_list(kind: &str, schema: &Value) -> bool {
    kind.ends_with("List")
        && schema.pointer("/properties/items").is_some()
        && schema.pointer("/properties/metadata").is_some()
}

/// The name of the schema of an operation's answer.
fn answered(operation: &Value) -> Option<&str> {
    let content = operation.pointer("/responses/200/content")?.as_object()?;
    let mut references = content
        .values()
        .filter_map(|media| media.pointer("/schema/$ref"));
    references
        .next()
        .and_then(Value::as_str)
        .and_then(schema_name)
}

/// Returns true if a list can be watched by a parameter.
fn can_watch(item: &Value, operation: &Value) -> bool {
    let parameters = [item, operation].map(|of| of.get("parameters").and_then(Value::as_array));
    parameters.into_iter().flatten().flatten().any(|parameter| {
        let reference = parameter
            .get("$ref")
            .and_then(Value::as_str)
            .unwrap_or_default();
        parameter.get("name").is_some_and(|name| name == "watch")
            || reference.starts_with("#/components/parameters/watch-")
    })
}

fn verb(method: &str, is_one: bool, is_watch: bool) -> Option<&'static str> {
    Some(match (method, is_one) {
        ("get", _) if is_watch => "watch",
        ("get", true) => "get",
        ("get", false) => "list",
        ("post", _) => "create",
        ("put", _) => "update",
        ("patch", _) => "patch",
        ("delete", true) => "delete",
        ("delete", false) => "deletecollection",
        _ => return None,
    })
}

/// The operations of a path.
struct Served {
    plural: String,
    is_namespaced: bool,
    /// True if it is about one object.
    is_one: bool,
    is_watch: bool,
    subresource: Option<String>,
}

/// The group-version of a path, and what it serves of it.
fn served_by(path: &str) -> Option<(String, Option<Served>)> {
    let mut parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let group_version = match parts.as_slice() {
        ["api", version, ..] => {
            let found = (*version).to_owned();
            parts.drain(..2);
            found
        }
        ["apis", group, version, ..] => {
            let found = format!("{group}/{version}");
            parts.drain(..3);
            found
        }
        _ => return None,
    };
    let is_watch = parts.first() == Some(&"watch");
    if is_watch {
        parts.remove(0);
    }
    let is_namespaced = matches!(parts.as_slice(), ["namespaces", "{namespace}", _, ..]);
    if is_namespaced {
        parts.drain(..2);
    }
    let served = match parts.as_slice() {
        [plural] => Some((plural, false, None)),
        [plural, name] if name.starts_with('{') => Some((plural, true, None)),
        [plural, name, rest @ ..] if name.starts_with('{') => {
            Some((plural, true, Some(rest.join("/"))))
        }
        _ => None,
    };
    let served = served.map(|(plural, is_one, subresource)| Served {
        plural: (*plural).to_owned(),
        is_namespaced,
        is_one,
        is_watch,
        subresource,
    });
    Some((group_version, served))
}
