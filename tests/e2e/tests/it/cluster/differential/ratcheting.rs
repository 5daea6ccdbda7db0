//! Updates of custom resources that were stored before their definitions became as strict as they
//! are: what an update leaves as it is isn't checked again.

use std::time::Duration;

use conformance::valid::Kind;
use e2e::{ControlPlane, send};
use fastrand::Rng;
use http::Method;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;
use serde_json::{Value, json};

use super::ours::Operation;
use super::snapshots::{definitions, documented};
use super::{Asked, Case, STORED, damage, damages};
use crate::cases::number;
use crate::cluster::definitions::{define, lenient, replace};

/// Gives the server the definitions as they are, and waits until it checks them.
async fn tighten(client: &Client, all: &[CustomResourceDefinition]) {
    replace(client, all).await;
    let bad = [
        json!({"kind": "VolumeSnapshot", "spec": {"source": {}}}),
        json!({"kind": "VolumeSnapshotClass", "driver": "d", "deletionPolicy": "odd"}),
        json!({"kind": "VolumeSnapshotContent", "spec": {"deletionPolicy": "odd",
            "driver": "d", "source": {}, "volumeSnapshotRef": {}}}),
        json!({"kind": "VolumeGroupSnapshot", "spec": {"source": {}}}),
        json!({"kind": "VolumeGroupSnapshotClass", "driver": "d", "deletionPolicy": "odd"}),
        json!({"kind": "VolumeGroupSnapshotContent", "spec": {"deletionPolicy": "odd",
            "driver": "d", "source": {}, "volumeGroupSnapshotRef": {}}}),
    ];
    for (kind, mut object) in Kind::SNAPSHOT.into_iter().zip(bad) {
        object["apiVersion"] = kind.api_version().into();
        object["metadata"] = json!({"name": "bad"});
        let path = format!("{}?dryRun=All", kind.path());
        for _ in 0..300 {
            let body = Some(object.to_string().into_bytes());
            if !send(client, Method::POST, &path, body)
                .await
                .unwrap()
                .is_success()
            {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

/// Returns true if there is a number in a value that isn't written as a whole one.
fn has_float(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_float),
        Value::Object(fields) => fields.values().any(has_float),
        value => value.is_f64(),
    }
}

/// Objects that break rules, as the server has stored them.
async fn store_damaged(asked: &Asked, kind: Kind, rng: &mut Rng) -> Vec<Value> {
    let client = &asked.server.client;
    let mut stored = Vec::new();
    while stored.len() < 2 * STORED {
        let name = format!("odd-{}", stored.len());
        let mut object = kind.object(rng, &name);
        let damages = damages(kind, Operation::Create);
        for _ in 0..rng.usize(1..4) {
            damage::apply(&mut object, damage::any(rng, &damages));
        }
        object["metadata"] = json!({"name": name});
        let body = Some(object.to_string().into_bytes());
        let answer = send(client, Method::POST, &kind.path(), body)
            .await
            .unwrap();
        if !answer.is_success() {
            continue;
        }
        let mut object = answer.body;
        if let Some(mut status) = kind.status(rng) {
            for damage in damage::status(kind) {
                // 2.0 isn't an integer for our types.
                let is_read = damage.place.starts_with("/status/") && !has_float(&damage.value);
                if is_read && rng.u8(..40) == 0 {
                    let mut whole = json!({"status": status});
                    damage::apply(&mut whole, &damage);
                    status = whole["status"].take();
                }
            }
            let mut whole = object.clone();
            whole["status"] = status;
            let path = format!("{}/{name}/status", kind.path());
            let body = Some(whole.to_string().into_bytes());
            let answer = send(client, Method::PUT, &path, body).await.unwrap();
            if answer.is_success() {
                object = answer.body;
            }
        }
        stored.push(object);
    }
    stored
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn the_server_says_what_we_say_of_what_was_stored_before() {
    let server = ControlPlane::start().await.unwrap();
    let client = server.client().unwrap();
    let strict = definitions();
    // Types write a required field that is absent as its zero value.
    let lenient = strict.iter().map(|strict| lenient(strict, &["required"]));
    let lenient: Vec<_> = lenient.collect();
    define(&client, &lenient).await;
    documented(&client).await;
    let mut asked = Asked::new(&server, &["AllAlpha", "AllBeta"], Kind::SNAPSHOT).await;
    let mut rng = Rng::with_seed(number("E2E_SEED", 1));
    for kind in Kind::SNAPSHOT {
        let stored = store_damaged(&asked, kind, &mut rng).await;
        asked.stored.insert(kind, stored);
    }
    tighten(&client, &strict).await;
    for kind in Kind::SNAPSHOT {
        let all = Operation::of(kind, asked.server.release).iter().copied();
        for operation in all.filter(|operation| *operation != Operation::Create) {
            // As they are, and changed.
            for stored in asked.stored[&kind].clone() {
                let object = stored.clone();
                asked
                    .compare(Case {
                        kind,
                        operation,
                        object,
                        stored,
                    })
                    .await;
            }
            for _ in 0..number("E2E_RATCHETED", 300) {
                let case = asked.random_of(&mut rng, kind, operation);
                asked.compare(case).await;
            }
        }
    }
    asked.finish();
}
