//! A document as an API: its group-version, kinds, resources, and schemas.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::load::{SCHEMAS, schema_name};
use crate::release::Release;

/// One group-version of a document.
#[derive(Debug)]
pub(super) struct Api {
    /// The group-version, as in `apiVersion`; the name of the file if the document has none.
    pub(super) group_version: String,
    pub(super) release: Option<Release>,
    /// True if the configuration has the document, so that there is a crate for it.
    pub(super) has_crate: bool,
    /// True if a running server published it, which lists values of enumerations.
    pub(super) from_server: bool,
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
        let mut group_version = None;
        for path in paths.into_iter().flatten().map(|(path, _)| path) {
            group_version = group_version.or(served_by(path).map(|(served, _)| served));
        }
        let has_paths = paths.is_some_and(|paths| !paths.is_empty());
        let group_version = match group_version {
            Some(found) => found,
            None if has_paths => return None,
            None => file.trim_end_matches(".json").to_owned(),
        };
        let schemas = document
            .pointer(SCHEMAS)
            .and_then(Value::as_object)
            .cloned();
        let mut api = Self {
            group_version,
            release,
            has_crate: false,
            from_server: is_from_server(document),
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
        Some(api)
    }

    /// The group; the empty text for the core group.
    pub(super) fn group(&self) -> &str {
        self.group_version
            .split_once('/')
            .map_or("", |(group, _)| group)
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
            let gvks = schema
                .get("x-kubernetes-group-version-kind")
                .and_then(Value::as_array);
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

/// Returns true if a document carries the version of a server; checked-in ones carry none.
pub(super) fn is_from_server(document: &Value) -> bool {
    let version = document.pointer("/info/version").and_then(Value::as_str);
    version.is_some_and(|version| version.trim_start_matches('v').starts_with("1."))
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
