//! Random values of the types of random documents are read and written as Go would: what is written
//! is computed here from the schema.

use fastrand::Rng;
use k8s_openapi::serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

// The types, each with its document and schema and with what reads and writes it; and how many
// values of each are tried.
include!("plausible_types.rs");

/// The schemas of the documents, by name.
const SCHEMAS: &str = include_str!("plausible.json");

const ZERO_TIME: &str = "0001-01-01T00:00:00Z";

/// Reads a value, checks that reading what is written gives the same, and returns that.
fn check<T: DeserializeOwned + Serialize>(value: Value) -> Result<Value, String> {
    let read = |value: Value| -> Result<Value, String> {
        let object: T = serde_json::from_value(value).map_err(|e| e.to_string())?;
        serde_json::to_value(&object).map_err(|e| e.to_string())
    };
    let written = read(value)?;
    let again = read(written.clone()).map_err(|e| format!("{written} can't be read: {e}"))?;
    (again == written)
        .then_some(written)
        .ok_or_else(|| format!("is {again} the next time"))
}

#[test]
fn values_are_read_and_written_as_by_go() {
    let schemas: Map<String, Value> = serde_json::from_str(SCHEMAS).unwrap();
    let mut rng = Rng::with_seed(7);
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for (schema, check) in TYPES {
        let schemas = Schemas(&schemas);
        let reference = json!({"$ref": format!("#/components/schemas/{schema}")});
        for _ in 0..VALUES {
            let value = schemas.value(&reference, &mut rng, 0);
            let expected = schemas.written(&reference, &value);
            tried += 1;
            match check(value.clone()) {
                Ok(written) if written == expected => {}
                other => wrong.push(format!(
                    "{schema} {}\n{value}\n{other:?}\nexpected {expected}\n",
                    schemas.0[*schema]
                )),
            }
        }
    }
    println!("{tried} values of {} types", TYPES.len());
    let first = wrong.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
    assert!(
        wrong.is_empty(),
        "{} of {tried} values:\n{first}",
        wrong.len()
    );
}

/// The kind of a schema, as far as reading and writing go.
enum Sort<'a> {
    Struct(&'a Value),
    List(Value),
    Map(Value),
    Json,
    Bool,
    I32,
    I64,
    U8,
    U64,
    F32,
    F64,
    Text,
    Bytes,
    Time,
    MicroTime,
    IntOrString,
    /// A type of another crate: a value of it, and Go's zero value if the type has one.
    Other(Value, Option<Value>),
}

#[derive(Clone, Copy)]
struct Schemas<'a>(&'a Map<String, Value>);

impl<'a> Schemas<'a> {
    fn sort(self, schema: &'a Value) -> Sort<'a> {
        let reference = schema
            .get("$ref")
            .or_else(|| schema.pointer("/allOf/0/$ref"));
        if let Some(name) = reference.and_then(Value::as_str) {
            let name = name.trim_start_matches("#/components/schemas/");
            return match name.strip_prefix("io.k8s.") {
                Some(name) => external(name.rsplit('.').next().unwrap()),
                None => self.named(&self.0[name]),
            };
        }
        self.inline(schema)
    }

    /// A schema with a name: an object without properties has no fields.
    fn named(self, schema: &'a Value) -> Sort<'a> {
        let is_empty = schema["type"] == "object"
            && schema["additionalProperties"].is_null()
            && schema["x-kubernetes-preserve-unknown-fields"].is_null();
        if is_empty {
            Sort::Struct(schema)
        } else {
            self.inline(schema)
        }
    }

    fn inline(self, schema: &'a Value) -> Sort<'a> {
        if schema["x-kubernetes-int-or-string"] == true {
            return Sort::IntOrString;
        }
        let text = |key: &str| schema[key].as_str().unwrap_or_default();
        match (text("type"), text("format")) {
            ("object", _) if schema["properties"].is_object() => Sort::Struct(schema),
            ("object", _) if schema["additionalProperties"].is_object() => {
                Sort::Map(schema["additionalProperties"].clone())
            }
            ("array", _) => Sort::List(schema.get("items").cloned().unwrap_or(json!({}))),
            ("boolean", _) => Sort::Bool,
            ("integer", "int32") => Sort::I32,
            ("integer", "uint8") => Sort::U8,
            ("integer", "uint64") => Sort::U64,
            ("integer", _) => Sort::I64,
            ("number", "float") => Sort::F32,
            ("number", _) => Sort::F64,
            ("string", "byte") => Sort::Bytes,
            ("string", "date-time") => Sort::Time,
            ("string", "int-or-string") => Sort::IntOrString,
            ("string", _) => Sort::Text,
            _ => Sort::Json,
        }
    }

    /// A random value, in which anything may be absent or `null`.
    fn value(self, schema: &Value, rng: &mut Rng, depth: usize) -> Value {
        match Schemas(self.0).sort(schema) {
            Sort::Struct(schema) => self.object(schema, rng, depth),
            Sort::List(items) => {
                let mut list = vec![json!(null); rng.usize(0..4)];
                list.iter_mut()
                    .for_each(|item| *item = self.element(&items, rng, depth));
                list.into()
            }
            Sort::Map(items) => {
                let mut map = Map::new();
                for key in ["", "a", "k/b"].into_iter().take(rng.usize(0..4)) {
                    map.insert(key.to_owned(), self.element(&items, rng, depth));
                }
                map.into()
            }
            Sort::Json => anything(rng),
            Sort::Bool => rng.bool().into(),
            Sort::I32 => rng.i32(..).into(),
            Sort::I64 => rng.i64(..).into(),
            Sort::U8 => rng.u8(..).into(),
            Sort::U64 => rng.u64(..).into(),
            Sort::F32 | Sort::F64 => [json!(2), json!(-0.5), json!(0)][rng.usize(..3)].clone(),
            Sort::Text => ["", "a", "0", "null", "\u{e9}\n\""][rng.usize(..5)].into(),
            Sort::Bytes => ["", "YWI=", "AA=="][rng.usize(..3)].into(),
            Sort::Time => ["2026-01-02T03:04:05Z", ZERO_TIME][rng.usize(..2)].into(),
            Sort::MicroTime => "2026-01-02T03:04:05.000006Z".into(),
            Sort::IntOrString => [json!(0), json!("80%"), json!("")][rng.usize(..3)].clone(),
            Sort::Other(value, _) => value,
        }
    }

    fn object(self, schema: &Value, rng: &mut Rng, depth: usize) -> Value {
        let mut object = Map::new();
        let is_kind = schema.get("x-kubernetes-group-version-kind").is_some();
        let properties = schema["properties"].as_object();
        for (name, property) in properties.into_iter().flatten().filter(|_| depth < 4) {
            let is_type = is_kind && ["apiVersion", "kind"].contains(&name.as_str());
            match rng.u8(0..8) {
                _ if is_type => {}
                0 | 1 => {}
                2 => drop(object.insert(name.clone(), Value::Null)),
                _ => {
                    let mut value = self.value(property, rng, depth + 1);
                    // Lists of kinds are what servers answer, and have no `null` in them.
                    if let (true, "items", Value::Array(items)) = (is_kind, &**name, &mut value) {
                        items.retain(|item| !item.is_null());
                    }
                    object.insert(name.clone(), value);
                }
            }
        }
        if rng.u8(0..4) == 0 {
            object.insert("zUnknown".to_owned(), anything(rng));
        }
        object.into()
    }

    fn element(self, schema: &Value, rng: &mut Rng, depth: usize) -> Value {
        match self.has_zero(schema) && rng.u8(0..4) == 0 {
            true => Value::Null,
            false => self.value(schema, rng, depth + 1),
        }
    }

    /// Returns true if `null` in it is a zero value; lists of a type of k8s-openapi without one
    /// read themselves.
    fn has_zero(self, schema: &Value) -> bool {
        match Schemas(self.0).sort(schema) {
            Sort::List(items) | Sort::Map(items) => self.has_zero(&items),
            Sort::Other(_, None) => false,
            _ => true,
        }
    }

    /// Returns the written form of a value.
    fn written(self, schema: &Value, value: &Value) -> Value {
        match (Schemas(self.0).sort(schema), value) {
            (Sort::Struct(schema), value) => self.written_object(schema, value),
            (Sort::List(items), Value::Array(list)) => list
                .iter()
                .map(|item| self.written_element(&items, item))
                .collect(),
            (Sort::Map(items), Value::Object(map)) => {
                let one = |(key, value): (&String, &Value)| {
                    (key.clone(), self.written_element(&items, value))
                };
                map.iter().map(one).collect()
            }
            (Sort::F32 | Sort::F64, value) => value.as_f64().into(),
            (_, value) => value.clone(),
        }
    }

    fn written_element(self, schema: &Value, value: &Value) -> Value {
        match value {
            Value::Null => self.zero(
                schema,
                ZERO_TIME.into(),
                "0001-01-01T00:00:00.000000Z".into(),
            ),
            value => self.written(schema, value),
        }
    }

    fn written_object(self, schema: &Value, value: &Value) -> Value {
        let mut written = Map::new();
        let empty = Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&empty);
        let kind = &schema["x-kubernetes-group-version-kind"][0];
        let required = schema["required"].as_array();
        let is_required =
            |name: &String| required.is_some_and(|names| names.contains(&json!(name)));
        for (name, property) in properties {
            let always = is_required(name) || (kind.is_object() && name == "metadata");
            match value.get(name) {
                Some(Value::Null) | None if always => {
                    let zero = match self.zero(property, Value::Null, Value::Null) {
                        // The default of k8s-openapi's type.
                        zero if zero == "0" => "".into(),
                        zero => zero,
                    };
                    written.insert(name.clone(), zero);
                }
                Some(Value::Null) | None => {}
                Some(value) => {
                    written.insert(name.clone(), self.written(property, value));
                }
            }
        }
        let keeps = schema["x-kubernetes-preserve-unknown-fields"] == true
            || !schema["additionalProperties"].is_null();
        for (name, value) in value.as_object().into_iter().flatten().filter(|_| keeps) {
            if !properties.contains_key(name) {
                written.insert(name.clone(), value.clone());
            }
        }
        if let Some(kind) = kind["kind"].as_str() {
            written.insert("apiVersion".to_owned(), "example.com/v1".into());
            written.insert("kind".to_owned(), kind.into());
        }
        written.into()
    }

    /// Returns the written form of a zero value.
    fn zero(self, schema: &Value, time: Value, micro_time: Value) -> Value {
        match Schemas(self.0).sort(schema) {
            Sort::Struct(schema) => self.written_object(schema, &json!({})),
            Sort::List(_) => json!([]),
            Sort::Map(_) => json!({}),
            Sort::Json => Value::Null,
            Sort::Bool => false.into(),
            Sort::I32 | Sort::I64 | Sort::U8 | Sort::U64 | Sort::IntOrString => 0.into(),
            Sort::F32 | Sort::F64 => 0.0.into(),
            Sort::Text | Sort::Bytes => "".into(),
            Sort::Time => time,
            Sort::MicroTime => micro_time,
            Sort::Other(_, zero) => zero.unwrap_or_default(),
        }
    }
}

/// The types of other crates that the documents refer to.
fn external(name: &str) -> Sort<'static> {
    let of = |value: Value| Sort::Other(value, Some(json!({})));
    match name {
        "Time" => Sort::Time,
        "MicroTime" => Sort::MicroTime,
        "IntOrString" => Sort::IntOrString,
        "Quantity" => Sort::Other("1Gi".into(), Some("0".into())),
        "Condition" => {
            let condition = json!({
                "lastTransitionTime": "2026-01-02T03:04:05Z", "message": "", "reason": "R",
                "status": "True", "type": "Ready",
            });
            Sort::Other(condition, None)
        }
        "LabelSelector" => of(json!({"matchLabels": {"a": "b"}})),
        "ListMeta" => of(json!({"resourceVersion": "7"})),
        "ObjectMeta" => of(json!({"name": "n", "labels": {"a": "b"}})),
        "PersistentVolumeSpec" => of(json!({"capacity": {"storage": "1Gi"}})),
        "Toleration" => of(json!({"key": "k"})),
        other => panic!("no value of {other}"),
    }
}

fn anything(rng: &mut Rng) -> Value {
    let values = [
        json!(null),
        json!(1),
        json!("a"),
        json!([null, {}]),
        json!({"a": {"b": null}}),
    ];
    // `null` is as if a field were absent, but inside of others.
    values[rng.usize(1..values.len())].clone()
}
