//! Copies of the kinds as custom resources: the same lists and maps, but nothing is immutable,
//! required, validated or set by default.

use std::time::Duration;

use e2e::send;
use http::Method;
use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use serde_json::{Map, Value, json};

use super::applied::Applied;
use super::served::NAMESPACE;
use crate::cluster::discovery::Server;

const GROUP: &str = "copies.e2e.example.com";

/// The keywords of a schema that a copy has too.
const KEPT: [&str; 4] = [
    "type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
];

/// Makes a copy of a kind, and returns the handle of its objects.
pub(crate) async fn create<K: Applied>(server: &Server) -> Api<DynamicObject> {
    let schema = schema::<K>(server).await;
    let plural = K::URL_PATH_SEGMENT;
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{GROUP}")},
        "spec": {
            "group": GROUP, "scope": "Namespaced",
            "names": {"plural": plural, "kind": K::KIND},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": schema}}],
        },
    });
    let of_definitions =
        GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    let definitions = ApiResource::from_gvk(&of_definitions);
    let definitions = Api::<DynamicObject>::all_with(server.client.clone(), &definitions);
    let name = format!("{plural}.{GROUP}");
    let params = PatchParams::apply("e2e-copies").force();
    definitions
        .patch(&name, &params, &Patch::Apply(&definition))
        .await
        .unwrap();
    loop {
        let live = definitions.get(&name).await.unwrap();
        let conditions = live.data["status"]["conditions"].as_array().cloned();
        let is =
            |condition: &Value| condition["type"] == "Established" && condition["status"] == "True";
        if conditions.unwrap_or_default().iter().any(is) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let kind = GroupVersionKind::gvk(GROUP, "v1", K::KIND);
    let resource = ApiResource::from_gvk_with_plural(&kind, plural);
    let api = Api::namespaced_with(server.client.clone(), NAMESPACE, &resource);
    // The server serves it a moment after it has said so.
    while api.list(&kube::api::ListParams::default()).await.is_err() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    super::served::api::<K>(&server.client).await;
    api
}

/// The same object of the copy.
pub(crate) fn object(mut object: Value) -> Value {
    object["apiVersion"] = format!("{GROUP}/v1").into();
    object
}

/// The schema of a copy.
async fn schema<K: Applied>(server: &Server) -> Value {
    let path = format!("/openapi/v3/apis/{}", K::API_VERSION);
    let document = send(&server.client, Method::GET, &path, None)
        .await
        .unwrap();
    assert!(document.is_success());
    let schemas = &document.body["components"]["schemas"];
    let name = format!("io.k8s.api.storage.v1.{}", K::KIND);
    let mut schema = copied(schemas, &schemas[name]);
    let properties = schema["properties"].as_object_mut().unwrap();
    for name in ["apiVersion", "kind", "metadata"] {
        properties.remove(name);
    }
    schema
}

/// A schema without references, and without the keywords that aren't kept.
fn copied(schemas: &Value, schema: &Value) -> Value {
    let reference = schema
        .get("$ref")
        .or_else(|| schema.pointer("/allOf/0/$ref"));
    let mut copy = match reference.and_then(|text| text.as_str()?.rsplit('/').next()) {
        Some(name) => copied(schemas, &schemas[name]),
        None => json!({}),
    };
    for keyword in KEPT {
        if let Some(value) = schema.get(keyword) {
            copy[keyword] = value.clone();
        }
    }
    // A quantity is a text or a number there, and always a text here.
    if schema.get("oneOf").is_some() {
        copy["type"] = "string".into();
    }
    if let Some(Value::Object(properties)) = schema.get("properties") {
        let copies = properties.iter();
        let copies = copies.map(|(name, schema)| (name.clone(), copied(schemas, schema)));
        copy["properties"] = Value::Object(copies.collect::<Map<_, _>>());
    }
    if let Some(items) = schema.get("items") {
        copy["items"] = copied(schemas, items);
    }
    if let Some(values) = schema.get("additionalProperties") {
        copy["additionalProperties"] = copied(schemas, values);
    }
    // The keys of elements must be required.
    if let Some(keys) = schema.get("x-kubernetes-list-map-keys") {
        copy["items"]["required"] = keys.clone();
    }
    copy
}
