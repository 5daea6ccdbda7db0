//! Random damage: what a schema refuses, validation refuses too.

use std::collections::BTreeMap;

use conformance::rules::Ruled;
use conformance::valid::Kind;
use fastrand::Rng;
use jsonschema::Validator;
use k8s_openapi::schemars::JsonSchema;
use kubernetes_validation::{Target, Validate as _};
use serde_json::{Value, json};

use super::objects::of_kind;
use super::{errors, validator};

/// Returns true if a schema is stricter than a server, for one of these reasons.
fn is_stricter(error: &str, object: &Value) -> bool {
    let (path, keyword) = error.split_once(' ').unwrap();
    match keyword {
        // A server takes `null` for no value. So does that of a custom resource where the schema
        // has a default, and refuses it elsewhere.
        "type" => object.pointer(path).unwrap().is_null(),
        // A server takes what is missing for the zero value, which is a good one of these.
        "required attached" | "required audience" | "required drivers" => true,
        // A server drops a reference to what isn't a claim or snapshot.
        "required kind" => path == "/spec/dataSource",
        "required name" if path == "/spec/dataSource" => true,
        "required name" | "required reason" => path.starts_with("/status/"),
        "required spec" => object["kind"] != "VolumeAttachment",
        _ => false,
    }
}

fn values() -> Vec<Value> {
    let text = |length: usize| Value::from("a".repeat(length));
    let mut values = vec![
        Value::Null,
        json!(true),
        json!([]),
        json!([null]),
        json!(["a"]),
        json!(["a", "a"]),
        json!([{}]),
        json!([[]]),
        json!({}),
        json!({"a": "b"}),
        json!({"a": null}),
        json!({"a": {}}),
        json!({"name": "a"}),
    ];
    values.extend(
        [
            -1_i64,
            0,
            1,
            9,
            10,
            599,
            600,
            1 << 31,
            1 << 32,
            (1 << 32) + 1,
        ]
        .map(Value::from),
    );
    values.extend([63, 64, 253, 254, 256, 257, 317, 318, 1024, 1025].map(text));
    for text in [
        "",
        " ",
        "A",
        "a.b",
        "a/b",
        "A.b/C_d",
        "a_b",
        "-",
        "ä",
        "5Gi",
        "2024-05-17T09:21:44Z",
    ] {
        values.push(text.into());
    }
    for mode in [
        "Delete",
        "Recycle",
        "Immediate",
        "File",
        "none",
        "Persistent",
    ] {
        values.extend([json!(mode), json!([mode]), json!([mode, mode])]);
    }
    values
}

fn attached() -> Value {
    let error = json!({"errorCode": 3, "message": "m", "time": "2024-05-17T09:21:44Z"});
    json!({"attached": true, "attachError": error, "attachmentMetadata": {"a": "b"}})
}

fn health() -> Value {
    let condition = json!({
        "status": storage_v1::StorageHealthStatusType::known_values()[0], "reason": "Why",
        "message": "m", "lastTransitionTime": "2024-05-17T09:21:44Z", "volumeMode": "Block",
    });
    json!({"storageHealth": [{"name": "a", "healthConditions": [condition]}]})
}

/// Puts a value in a random place of an object, or takes away what is there.
fn damage(object: &mut Value, values: &[Value], rng: &mut Rng) {
    let mut place = object;
    // Of the object as a whole there is nothing to learn.
    for depth in 0.. {
        let goes_on = depth == 0 || rng.u8(..4) > 0;
        let count = match &*place {
            Value::Object(members) => members.len(),
            Value::Array(values) => values.len(),
            _ => 0,
        };
        if count == 0 || !goes_on {
            break;
        }
        let index = rng.usize(..count);
        place = match place {
            Value::Object(members) => {
                let name = members.keys().nth(index).unwrap().clone();
                if rng.u8(..12) == 0 {
                    members.remove(&name);
                    return;
                }
                members.get_mut(&name).unwrap()
            }
            Value::Array(values) => &mut values[index],
            _ => unreachable!(),
        };
    }
    *place = rng.choice(values).unwrap().clone();
}

/// Returns true if a server refuses the object, or its status.
fn is_refused<K: Ruled>(object: &Value) -> bool {
    let Ok(mut read) = serde_json::from_value::<K>(object.clone()) else {
        return true;
    };
    let target = Target::new(storage_v1::KUBERNETES);
    let status = read.validate_status(&target);
    let mut whole = read.default_and_validate(&target);
    K::report_absent(object, &mut whole);
    !status.errors.is_empty() || !whole.errors.is_empty()
}

/// Adds to how many objects the schema refuses, and to how many it accepts.
fn check<K: Ruled + JsonSchema>(
    object: &Value,
    validator: &Validator,
    counts: &mut [usize; 3],
    only: &mut BTreeMap<String, String>,
) {
    let errors = errors(validator, object);
    if errors.is_empty() {
        counts[0] += 1;
        return;
    }
    if errors.iter().any(|error| is_stricter(error, object)) {
        counts[1] += 1;
        return;
    }
    counts[2] += 1;
    if !is_refused::<K>(object) {
        only.extend(errors.into_iter().map(|error| (error, object.to_string())));
    }
}

#[test]
fn a_schema_is_not_stricter_than_a_server() {
    let mut rng = Rng::with_seed(1);
    let values = values();
    for kind in Kind::ALL {
        let validator = of_kind!(kind, validator());
        let (mut counts, mut only) = ([0; 3], BTreeMap::new());
        for _ in 0..5000 {
            let mut object = kind.object(&mut rng, "object");
            match kind {
                Kind::VolumeAttachment => object["status"] = attached(),
                Kind::CsiNode => object["status"] = health(),
                _ => {}
            }
            damage(&mut object, &values, &mut rng);
            of_kind!(kind, check(&object, &validator, &mut counts, &mut only));
        }
        println!("{kind:?}: accepted, stricter, refused: {counts:?}");
        assert!(only.is_empty(), "only the schema refuses: {only:#?}");
        assert!(counts[0] > 100 && counts[2] > 500, "{kind:?} {counts:?}");
    }
}
