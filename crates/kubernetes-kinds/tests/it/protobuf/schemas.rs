//! The schemas of CustomResourceDefinitions, and what may be in place of one.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray,
};
use k8s_openapi::serde_json::{self, Value, json};
use kubernetes_kinds::protobuf::{DEPTH, Input, Output, read_message, write_message};

use super::{bytes, number};

fn read(bytes: &[u8]) -> Result<JSONSchemaProps, String> {
    let mut schema = JSONSchemaProps::default();
    match read_message(&mut schema, Input::new(bytes)) {
        Ok(()) => Ok(schema),
        Err(error) => Err(error.to_string()),
    }
}

fn written(schema: &JSONSchemaProps) -> Vec<u8> {
    let mut output = Output::default();
    write_message(schema, &mut output);
    output.into_vec()
}

/// The JSON of a schema with some fields.
fn in_json(fields: &[u8]) -> Value {
    serde_json::to_value(read(fields).unwrap()).unwrap()
}

const ITEMS: u64 = 24;
const ADDITIONAL_PROPERTIES: u64 = 30;
const DEPENDENCIES: u64 = 32;

/// A schema with a title.
fn titled(title: &str) -> Vec<u8> {
    bytes(7, title.as_bytes())
}

#[test]
fn what_may_be_in_place_of_a_schema() {
    let named = |value: &[u8]| [bytes(1, b"a"), bytes(2, value)].concat();
    let schema = bytes(1, &titled("t"));
    let both = [&*schema, &bytes(2, &titled("u"))].concat();
    let texts = [&*schema, &bytes(2, b"u"), &bytes(2, b"v")].concat();
    let unknown = number(9, 1);
    for (field, value, json) in [
        (ITEMS, schema.clone(), json!({"items": {"title": "t"}})),
        (ITEMS, both, json!({"items": [{"title": "u"}]})),
        (ITEMS, unknown.clone(), json!({"items": []})),
        (
            ADDITIONAL_PROPERTIES,
            [number(1, 0), bytes(2, &titled("t"))].concat(),
            json!({"additionalProperties": {"title": "t"}}),
        ),
        (
            ADDITIONAL_PROPERTIES,
            number(1, 1),
            json!({"additionalProperties": true}),
        ),
        (
            ADDITIONAL_PROPERTIES,
            unknown.clone(),
            json!({"additionalProperties": false}),
        ),
        (
            DEPENDENCIES,
            named(&schema),
            json!({"dependencies": {"a": {"title": "t"}}}),
        ),
        (
            DEPENDENCIES,
            named(&texts),
            json!({"dependencies": {"a": ["u", "v"]}}),
        ),
        (
            DEPENDENCIES,
            named(&unknown),
            json!({"dependencies": {"a": []}}),
        ),
    ] {
        let found = in_json(&bytes(field, &value));
        assert_eq!(found, json);
        let schema: JSONSchemaProps = serde_json::from_value(json).unwrap();
        assert_eq!(read(&written(&schema)), Ok(schema));
    }
}

/// As parts of an object, a second value is merged into the first.
#[test]
fn values_that_occur_again() {
    let twice = |field: u64, one: &[u8], other: &[u8]| {
        in_json(&[bytes(field, one), bytes(field, other)].concat())
    };
    let schema = |number: u64, fields: &[u8]| bytes(number, fields);
    let (title, format) = (titled("t"), bytes(6, b"f"));
    let merged = json!({"format": "f", "title": "t"});
    assert_eq!(
        twice(ITEMS, &schema(1, &title), &schema(1, &format)),
        json!({"items": merged})
    );
    assert_eq!(
        twice(ITEMS, &schema(2, &title), &schema(2, &format)),
        json!({"items": [{"title": "t"}, {"format": "f"}]})
    );
    assert_eq!(
        twice(ITEMS, &schema(1, &title), b""),
        json!({"items": {"title": "t"}})
    );
    assert_eq!(
        twice(
            ADDITIONAL_PROPERTIES,
            &schema(2, &title),
            &schema(2, &format)
        ),
        json!({"additionalProperties": merged})
    );
    assert_eq!(
        twice(ADDITIONAL_PROPERTIES, &number(1, 1), b""),
        json!({"additionalProperties": true})
    );
}

#[test]
fn a_schema_comes_with_true() {
    let schema = json!({"additionalProperties": {}});
    let schema: JSONSchemaProps = serde_json::from_value(schema).unwrap();
    let inner = written(&JSONSchemaProps::default());
    let either = bytes(
        ADDITIONAL_PROPERTIES,
        &[number(1, 1), bytes(2, &inner)].concat(),
    );
    let all = written(&schema);
    assert!(all.windows(either.len()).any(|part| part == either));
}

#[test]
fn json_in_schemas() {
    let raw = |json: &[u8]| bytes(1, json);
    assert_eq!(
        in_json(&[bytes(8, &raw(b"{\"a\": 1}")), bytes(20, &raw(b"1"))].concat()),
        json!({"default": {"a": 1}, "enum": [1]})
    );
    assert_eq!(
        in_json(&[bytes(20, b""), bytes(20, &raw(b"null"))].concat()),
        json!({"enum": [null, null]})
    );
    let error = read(&bytes(8, &raw(b"{"))).unwrap_err();
    assert!(
        error.contains("JSONSchemaProps, field 8: invalid JSON"),
        "{error}"
    );
}

/// A schema in a list, a map or alone is two levels below the one around it.
#[test]
fn schemas_have_a_depth() {
    let nested = |field: u64, number: u64, levels: usize| {
        (0..levels).fold(Vec::new(), |inner, _| bytes(field, &bytes(number, &inner)))
    };
    let deepest = usize::from(DEPTH) / 2;
    for (field, number) in [(ITEMS, 1), (ITEMS, 2), (ADDITIONAL_PROPERTIES, 2), (29, 2)] {
        let schema = read(&nested(field, number, deepest)).unwrap();
        assert_eq!(read(&written(&schema)), Ok(schema));
        for levels in [deepest + 1, 10_000] {
            let error = read(&nested(field, number, levels)).unwrap_err();
            assert!(error.ends_with("more than 128 levels deep"), "{error}");
        }
    }
    let list = JSONSchemaPropsOrArray::Schemas(Vec::new());
    assert_eq!(read(&nested(ITEMS, 9, 1)).unwrap().items, Some(list));
}
