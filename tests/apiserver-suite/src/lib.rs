//! Tests of an API server by its clients, for `kubernetes-test-apiserver` and for kube-apiserver.
//!
//! Each function needs a namespace for itself, and leaves objects only there. Cluster-scoped
//! objects are named after the namespace. No controller needs to run, and none that runs is
//! disturbed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

pub mod lists;
pub mod objects;
pub mod watches;
pub mod writes;

/// Calls a macro with the functions of the suite, by module.
#[macro_export]
macro_rules! for_each_function {
    ($call:ident) => {
        $call! {
            lists: pages selectors versions;
            objects:
                bad_requests events existence finalizers formats names_of_kinds new_objects preconditions
                status volumes;
            watches:
                changes finalizers initial_state selectors streaming_list timeouts;
            writes: apply conflicts delete_collection no_ops patches;
        }
    };
}

use std::fmt::Debug;

use k8s_openapi::api::coordination::v1::Lease;
use kube::Client;
use kube::api::{Api, ObjectMeta, PostParams};
use kube::client::Body;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub fn leases(client: &Client, namespace: &str) -> Api<Lease> {
    Api::namespaced(client.clone(), namespace)
}

/// Reads an object that is easier to write as JSON.
pub fn object<K: DeserializeOwned>(value: Value) -> K {
    serde_json::from_value(value).unwrap()
}

pub fn lease(name: &str) -> Lease {
    labelled(name, &[])
}

pub fn labelled(name: &str, labels: &[(&str, &str)]) -> Lease {
    let labels = labels
        .iter()
        .map(|(key, value)| ((*key).into(), (*value).into()));
    let labels: std::collections::BTreeMap<String, String> = labels.collect();
    Lease {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            labels: Some(labels).filter(|labels| !labels.is_empty()),
            ..ObjectMeta::default()
        },
        spec: None,
    }
}

pub async fn create_all(api: &Api<Lease>, names: &[&str]) -> Vec<Lease> {
    let mut created = Vec::new();
    for name in names {
        created.push(
            api.create(&PostParams::default(), &lease(name))
                .await
                .unwrap(),
        );
    }
    created
}

pub fn version(lease: &Lease) -> &str {
    lease.metadata.resource_version.as_deref().unwrap()
}

pub fn uid(lease: &Lease) -> &str {
    lease.metadata.uid.as_deref().unwrap()
}

pub fn names(leases: &[Lease]) -> Vec<&str> {
    leases
        .iter()
        .map(|lease| lease.metadata.name.as_deref().unwrap())
        .collect()
}

/// The code and reason of an answer that must be an error.
#[track_caller]
pub fn refused<T: Debug>(result: Result<T, kube::Error>) -> (u16, String) {
    match result {
        Err(kube::Error::Api(status)) => (status.code, status.reason.clone()),
        other => panic!("not refused: {other:?}"),
    }
}

/// The message of an answer that must be an error.
#[track_caller]
pub fn message<T: Debug>(result: Result<T, kube::Error>) -> String {
    match result {
        Err(kube::Error::Api(status)) => status.message.clone(),
        other => panic!("not refused: {other:?}"),
    }
}

#[track_caller]
pub fn assert_refused<T: Debug>(result: Result<T, kube::Error>, code: u16, reason: &str) {
    assert_eq!(refused(result), (code, reason.to_owned()));
}

/// Sends a request that kube would not make.
pub async fn send(
    client: &Client,
    method: &str,
    path: &str,
    content_type: &str,
    body: &Value,
) -> Result<Value, kube::Error> {
    let request = http::Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", content_type)
        .body(body.to_string().into_bytes())
        .unwrap();
    client.request(request).await
}

/// Sends a request that accepts these formats, and returns the answer: its code, its format and its
/// body.
pub async fn ask(
    client: &Client,
    path: &str,
    accept: &str,
) -> Result<(u16, String, Vec<u8>), kube::Error> {
    let request = http::Request::builder()
        .uri(path)
        .header("accept", accept)
        .body(Body::empty())
        .unwrap();
    let answer = client.send(request).await?;
    let format = answer.headers().get("content-type");
    let format = format
        .map_or("", |format| format.to_str().unwrap())
        .to_owned();
    let code = answer.status().as_u16();
    let body = answer.into_body().collect_bytes().await?;
    Ok((code, format, body.into()))
}

pub fn lease_path(namespace: &str, name: &str) -> String {
    format!("/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{name}")
}

pub fn holder(name: &str) -> Value {
    json!({"spec": {"holderIdentity": name}})
}
