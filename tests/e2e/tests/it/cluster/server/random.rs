//! Random objects, applied and extracted.

use std::env;

use conformance::related::{inside, is_granular, keys_of};
use conformance::valid::Kind;
use fastrand::Rng;
use kube::api::{Patch, PatchParams};
use kubernetes_kinds::{WithMetadata, quantity};
use serde_json::{Value, json};
use storage_v1::{VolumeAttachment, apply};

use super::applied::{Applied, Applying};
use super::owned::{fields, owned};
use super::served::{Served, api, kind_of};
use super::{run, run_for};

/// The objects of each kind.
const OBJECTS: usize = 30;

/// The generator of random objects, with the seed of `E2E_SEED`.
fn rng() -> Rng {
    let seed = env::var("E2E_SEED").map_or(1, |seed| seed.parse().unwrap());
    println!("seed {seed}");
    Rng::with_seed(seed)
}

/// Applied fields are extracted, of the whole and of a part that another manager sets alike.
fn applied_and_extracted<K: Applied>() {
    let kind = kind_of::<K>();
    run_for(&[kind], async |server| {
        let (api, mut rng) = (api::<K>(&server.client).await, rng());
        for number in 0..OBJECTS {
            let name = format!("random-{number}");
            let mut object = kind.object(&mut rng, &name);
            server.cut_down(kind, &mut object);
            write_as_server(&mut object);
            let applying = Applying::new(&api, &name);
            let whole: K::Apply = serde_json::from_value(object.clone()).unwrap();
            applying.apply("e2e-whole", &whole).await;

            for _ in 0..2 {
                let part = part::<K>(&mut rng, "", &object);
                let part: K::Apply = serde_json::from_value(part).unwrap();
                let live = applying.apply("e2e-part", &part).await;
                applying.check(&live, "e2e-whole", &whole);
                applying.apply_again(&live, "e2e-part").await;
                applying.apply_again(&live, "e2e-whole").await;
            }
        }
    });
}

/// The same as it comes back: a quantity in the one form that Go writes, and no empty list whose
/// elements can have owners of their own, since that has none itself.
fn write_as_server(object: &mut Value) {
    for field in ["capacity", "maximumVolumeSize"] {
        if let Some(Value::String(text)) = object.get_mut(field) {
            *text = quantity::canonical(text).unwrap().into_owned();
        }
    }
    if let Some(Value::Object(spec)) = object.get_mut("spec") {
        for field in ["drivers", "volumeLifecycleModes"] {
            if spec.get(field) == Some(&json!([])) {
                spec.remove(field);
            }
        }
    }
}

/// Some of the fields and elements that can have owners of their own.
fn part<K: Applied>(rng: &mut Rng, path: &str, value: &Value) -> Value {
    match value {
        Value::Object(object) if is_granular::<K>(path) => {
            let list = path.strip_suffix("[]");
            let keys = list.and_then(keys_of::<K>).unwrap_or_default();
            let mut part = json!({});
            for (name, value) in object {
                let path = inside(path, name);
                let must = ["apiVersion", "kind", "metadata", "metadata.name"];
                let must = must.contains(&path.as_str()) || keys.contains(&&**name);
                if must || rng.bool() {
                    let inner = self::part::<K>(rng, &path, value);
                    if must || !is_empty(&inner) {
                        part[name] = inner;
                    }
                }
            }
            part
        }
        Value::Array(elements) if is_granular::<K>(path) => {
            let inside = format!("{path}[]");
            let chosen = elements.iter().filter(|_| rng.bool()).collect::<Vec<_>>();
            chosen
                .into_iter()
                .map(|value| part::<K>(rng, &inside, value))
                .collect()
        }
        value => value.clone(),
    }
}

fn is_empty(value: &Value) -> bool {
    *value == json!({}) || *value == json!([])
}

each_kind! { applied_and_extracted }

/// The same of a status, which has entries of its own in `managedFields`.
#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn statuses_applied_and_extracted() {
    run(async |server| {
        let (api, mut rng) = (VolumeAttachment::api(&server.client), rng());
        let applying = Applying::new(&api, "random-status");
        let spec = VolumeAttachment::full();
        applying.apply("e2e-random", &spec).await;
        for _ in 0..OBJECTS {
            let mut status = json!({"status": status(&mut rng)});
            server.cut_down(Kind::VolumeAttachment, &mut status);
            // An error that had only fields of newer releases is none.
            let parts = status["status"].as_object_mut().unwrap();
            parts.retain(|_, value| !is_empty(value));
            let status: apply::VolumeAttachment = serde_json::from_value(status).unwrap();
            let status = status.with_name("random-status");
            let params = PatchParams::apply("e2e-random");
            let patch = Patch::Apply(&status);
            let live = api
                .patch_status("random-status", &params, &patch)
                .await
                .unwrap();
            let expected = fields::<VolumeAttachment>(&status);
            assert_eq!(owned(&live, "e2e-random", Some("status")), expected);
            let extracted = apply::VolumeAttachment::extract_status(&live, "e2e-random");
            assert_eq!(extracted.as_ref(), Ok(&status));
            let patch = Patch::Apply(extracted.unwrap());
            let again = api
                .patch_status("random-status", &params, &patch)
                .await
                .unwrap();
            assert_eq!(again, live);
            applying.check(&live, "e2e-random", &spec);
        }
    });
}

fn status(rng: &mut Rng) -> Value {
    let mut status = json!({"attached": rng.bool()});
    let metadata = [json!({"a": "b"}), json!({"": "", "c.d/e": "f"})];
    if rng.bool() {
        status["attachmentMetadata"] = metadata[rng.usize(..2)].clone();
    }
    for field in ["attachError", "detachError"] {
        if rng.bool() {
            let time = format!("2026-01-01T00:00:{:02}Z", rng.u8(..60));
            status[field] = json!({"time": time});
        }
        if rng.bool() {
            status[field]["message"] = ["stuck", "full"][rng.usize(..2)].into();
        }
        if rng.bool() {
            status[field]["errorCode"] = rng.u8(1..9).into();
        }
    }
    status
}
