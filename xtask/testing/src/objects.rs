//! Random objects that the schema of a custom resource allows.

use fastrand::Rng;
use serde_json::{Map, Value, json};

/// Returns `count` objects of each version that the definitions in a text serve.
pub fn of_definitions(text: &str, rng: &mut Rng, count: usize) -> Vec<Value> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(text).unwrap();
    let mut objects = Vec::new();
    for definition in documents
        .iter()
        .filter(|d| d["kind"] == "CustomResourceDefinition")
    {
        let spec = &definition["spec"];
        let versions = spec["versions"].as_array().unwrap().iter();
        for version in versions.filter(|version| version["served"] == true) {
            let schema = &version["schema"]["openAPIV3Schema"];
            for number in 0..count {
                let mut object = json!({});
                if let Some(Value::Object(fields)) = value(schema, rng) {
                    object = Value::Object(fields);
                }
                let version = version["name"].as_str().unwrap();
                object["apiVersion"] =
                    format!("{}/{version}", spec["group"].as_str().unwrap()).into();
                object["kind"] = spec["names"]["kind"].clone();
                object["metadata"] = json!({"name": format!("object-{number}")});
                objects.push(object);
            }
        }
    }
    objects
}

/// A value that a schema allows; nothing where only its author knows one.
pub fn value(schema: &Value, rng: &mut Rng) -> Option<Value> {
    if let Some(values) = schema["enum"].as_array() {
        return Some(values[rng.usize(..values.len())].clone());
    }
    if schema["x-kubernetes-int-or-string"] == true {
        let texts = [json!(rng.i32(..)), json!("50%"), json!("http"), json!("")];
        let sizes = [json!(7), json!("1Gi"), json!("1.5"), json!("-3m")];
        let values = if schema.get("pattern").is_some() {
            sizes
        } else {
            texts
        };
        return Some(values[rng.usize(..4)].clone());
    }
    match schema["type"].as_str() {
        Some("boolean") => Some(rng.bool().into()),
        Some("integer") => Some(whole(schema, rng).into()),
        Some("number") => Some((whole(schema, rng) as f64 / 2.0).into()),
        Some("string") => text(schema, rng).map(Value::String),
        Some("array") => {
            let least = schema["minItems"].as_u64().unwrap_or(0) as usize;
            let items = (0..least + rng.usize(..3)).map(|_| value(&schema["items"], rng));
            items.collect::<Option<Vec<_>>>().map(Value::Array)
        }
        Some("object") => object(schema, rng).map(Value::Object),
        _ => Some(anything(rng)),
    }
}

fn whole(schema: &Value, rng: &mut Rng) -> i64 {
    let limit = |name: &str, otherwise: i64| schema[name].as_i64().unwrap_or(otherwise);
    let most = match schema["format"].as_str() {
        Some("int32") => i64::from(i32::MAX),
        _ => 1 << 53,
    };
    let is_unsigned = matches!(schema["format"].as_str(), Some(name) if name.starts_with("uint"));
    let least = limit("minimum", if is_unsigned { 0 } else { -most });
    rng.i64(least..=limit("maximum", most.max(least)))
}

fn text(schema: &Value, rng: &mut Rng) -> Option<String> {
    if schema.get("pattern").is_some() {
        return schema["default"].as_str().map(str::to_owned);
    }
    match schema["format"].as_str() {
        Some("date-time") => {
            return Some(format!("2024-01-02T03:04:{:02}Z", rng.u8(..60)));
        }
        Some("byte") => return Some("aGVsbG8=".to_owned()),
        Some(_) => return None,
        None => {}
    }
    let least = schema["minLength"].as_u64().unwrap_or(0) as usize;
    let most = schema["maxLength"]
        .as_u64()
        .map_or(least + 12, |most| most as usize);
    let characters = ['a', 'Z', '0', '-', '.', ' ', 'é', '🦀', '"', '\n'];
    let length = rng.usize(least..=most.min(least + 12));
    Some((0..length).map(|_| characters[rng.usize(..10)]).collect())
}

fn object(schema: &Value, rng: &mut Rng) -> Option<Map<String, Value>> {
    let mut fields = Map::new();
    let required: Vec<_> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .collect();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let is_required = required.iter().any(|one| *one == name);
        let made = (is_required || rng.u8(..5) > 1)
            .then(|| value(field, rng))
            .flatten();
        // The type of an optional field doesn't tell `null` from an absent one, nor does Go.
        let is_null = is_required && field["nullable"] == true && rng.u8(..8) == 0;
        match made.map(|made| if is_null { Value::Null } else { made }) {
            Some(made) => drop(fields.insert(name.clone(), made)),
            None if is_required => return None,
            None => {}
        }
    }
    match &schema["additionalProperties"] {
        Value::Null | Value::Bool(false) => {}
        values => {
            for key in ["a", "b.c/d-e", ""].iter().take(rng.usize(..4)) {
                let made = if values.is_object() {
                    value(values, rng)?
                } else {
                    anything(rng)
                };
                fields.insert((*key).to_owned(), made);
            }
        }
    }
    if schema["x-kubernetes-preserve-unknown-fields"] == true && rng.bool() {
        fields.insert("somethingElse".to_owned(), anything(rng));
    }
    Some(fields)
}

/// Returns any value, which a schema without a type allows.
fn anything(rng: &mut Rng) -> Value {
    let values = [
        json!("text"),
        json!(1.5),
        json!([1, "a", null]),
        json!({"a": {"b": [true]}, "null": null}),
    ];
    values[rng.usize(..4)].clone()
}
