//! Discovery: the server's release, the kinds that it serves, and their fields.

use std::collections::{BTreeMap, BTreeSet};

use conformance::valid::Kind;
use e2e::{ControlPlane, send};
use http::Method;
use kube::Client;
use kubernetes_kinds::Release;
use serde_json::{Map, Value};

/// A server, and what it knows.
pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) release: Release,
    /// The kinds that it serves.
    pub(crate) kinds: Vec<Kind>,
    /// Its OpenAPI documents, by `apiVersion`.
    documents: BTreeMap<&'static str, Value>,
}

impl Server {
    pub(crate) async fn of(server: &ControlPlane) -> Self {
        let client = server.client().unwrap();
        let version = client.apiserver_version().await.unwrap();
        let number = |text: &str| text.trim_end_matches('+').parse().unwrap();
        let release = Release::new(number(&version.major), number(&version.minor));
        let mut documents = BTreeMap::new();
        for version in BTreeSet::from(Kind::ALL.map(Kind::api_version)) {
            let path = match version {
                "v1" => "/openapi/v3/api/v1".to_owned(),
                version => format!("/openapi/v3/apis/{version}"),
            };
            let answer = send(&client, Method::GET, &path, None).await.unwrap();
            if answer.is_success() {
                documents.insert(version, answer.body);
            }
        }
        let mut known = Self {
            client,
            release,
            kinds: Vec::new(),
            documents,
        };
        let served = Kind::ALL
            .into_iter()
            .filter(|kind| known.schema(*kind).is_some());
        known.kinds = served.collect();
        println!(
            "Kubernetes {release} serves {:?}",
            known
                .kinds
                .iter()
                .map(|kind| (kind.name(), kind.api_version()))
                .collect::<Vec<_>>()
        );
        known
    }

    fn schema(&self, kind: Kind) -> Option<&Value> {
        let document = self.documents.get(kind.api_version())?;
        let schemas = document.pointer("/components/schemas")?.as_object()?;
        let api_version = kind.api_version();
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let is_of = |schema: &&Value| {
            let kinds = schema["x-kubernetes-group-version-kind"].as_array();
            kinds.into_iter().flatten().any(|of| {
                of["group"] == group && of["version"] == version && of["kind"] == kind.name()
            })
        };
        schemas.values().find(is_of)
    }

    /// Takes out the fields that a newer release brought.
    pub(crate) fn cut_down(&self, kind: Kind, object: &mut Value) {
        if let Some(schema) = self.schema(kind) {
            self.cut(kind, schema, object);
        }
    }

    fn cut(&self, kind: Kind, schema: &Value, value: &mut Value) {
        let reference = schema
            .get("$ref")
            .or_else(|| schema.pointer("/allOf/0/$ref"));
        if let Some(name) = reference.and_then(|text| text.as_str()?.rsplit('/').next()) {
            let schemas = &self.documents[kind.api_version()]["components"]["schemas"];
            return self.cut(kind, &schemas[name], value);
        }
        match (value, schema.get("properties").and_then(Value::as_object)) {
            (Value::Object(object), Some(properties)) => {
                self.cut_fields(kind, properties, object);
            }
            (Value::Array(items), _) => {
                items
                    .iter_mut()
                    .for_each(|item| self.cut(kind, &schema["items"], item));
            }
            _ => {}
        }
    }

    fn cut_fields(
        &self,
        kind: Kind,
        properties: &Map<String, Value>,
        object: &mut Map<String, Value>,
    ) {
        object.retain(|name, _| properties.contains_key(name));
        for (name, value) in object {
            self.cut(kind, &properties[name], value);
        }
    }
}
