//! Documents that can't be generated from: each error has its diagnostic, and nothing is
//! generated.

mod names;

use std::fmt::Write;

use crate::common::{CONFIG, Expected, assert_error, document, from, from_document, thing};

const FILE: &str = "v1.37/document.json";
const SCHEMAS: &str = "#/components/schemas/com.example.v1.";

/// Expects an error of the document as a whole.
fn bad_text(text: &str, message: &str, line: Option<usize>) {
    let expected = Expected {
        message,
        pointer: None,
        line,
    };
    assert_error(from_document(text), FILE, &expected);
}

/// Expects an error at one place below the schemas with the prefix.
fn bad_schema(text: &str, message: &str, place: &str, line: usize) {
    let pointer = format!("{SCHEMAS}{place}");
    let expected = Expected {
        message,
        pointer: Some(&pointer),
        line: Some(line),
    };
    assert_error(from_document(text), FILE, &expected);
}

/// Expects an error at a property of a struct.
fn bad_property(schema: &str, message: &str, place: &str) {
    let text = thing(&format!(
        "\"one\": {{\"type\": \"string\"}},\n\"two\": {schema}"
    ));
    bad_schema(&text, message, &format!("Thing/properties/two{place}"), 4);
}

#[test]
fn text_that_is_no_json() {
    bad_text(
        "{\n  \"openapi\": \"3.0.0\",\n  oops\n}",
        "not valid JSON",
        Some(3),
    );
    bad_text("", "not valid JSON", Some(1));
    bad_text("{\"openapi\": \"3.0.0\"} x", "not valid JSON", Some(1));
    bad_text("{\"openapi\": \"3.0.0\"", "not valid JSON", Some(1));
    // Lone surrogates aren't text.
    bad_text("{\"openapi\":\n\"\\ud800\"}", "not valid JSON", Some(2));
}

#[test]
fn keys_that_stand_twice() {
    let text = "{\"openapi\": \"3.0.0\", \"info\": {}, \"info\": {}}";
    bad_text(text, "duplicate key \"info\"", Some(1));
    let text = thing("\"a\": {\"type\": \"string\"}, \"a\": {\"type\": \"string\"}");
    assert!(
        from_document(&text)
            .unwrap_err()
            .to_string()
            .contains("duplicate key \"a\"")
    );
}

/// The line is that of the second key, not of the end of its value.
#[test]
fn the_line_of_a_key_that_stands_twice() {
    let text = "{\n\"openapi\": \"3.0.0\",\n\"info\": {},\n\"info\": {\n}\n}";
    bad_text(text, "duplicate key \"info\"", Some(4));
}

#[test]
fn a_byte_order_mark_is_no_error() {
    let text = thing("\"one\": {\"type\": \"string\", \"description\": \"x\"}");
    assert!(from_document(&format!("\u{feff}{text}")).is_ok());
}

#[test]
fn json_that_is_no_openapi_document() {
    bad_text("{\"swagger\": \"2.0\"}", "a Swagger", None);
    bad_text("{\"openapi\": \"3.1.0\"}", "OpenAPI version 3.1.0", None);
    bad_text("{\"openapi\": 3.0}", "not an OpenAPI document", None);
    for text in ["{}", "[]", "null", "\"openapi\"", "7"] {
        bad_text(text, "not an OpenAPI document", None);
    }
}

#[test]
fn documents_without_schemas() {
    let whole = |text: &str, pointer: &str, message: &str| {
        let expected = Expected {
            message,
            pointer: Some(pointer),
            line: Some(1),
        };
        assert_error(from_document(text), FILE, &expected);
    };
    whole("{\"openapi\": \"3.0.0\"}", "#", "has no schemas");
    whole(
        "{\"openapi\": \"3.0.0\", \"components\": {\"schemas\": []}}",
        "#",
        "no schemas",
    );
    let other = "{\"openapi\": \"3.0.0\", \"components\": {\"schemas\":\
        {\"io.k8s.apimachinery.A\": {\"type\": \"object\"}}}}";
    whole(
        other,
        "#/components/schemas",
        "no schema starts with `com.example.v1.`",
    );
}

/// A document in which there is nothing would become a crate in which there is nothing.
#[test]
fn a_document_with_no_schema_at_all() {
    assert!(from_document(&document("")).is_err());
}

#[test]
fn references_that_lead_nowhere() {
    let reference = |to: &str| format!("{{\"$ref\": \"{to}\"}}");
    let schema = "#/components/schemas/com.example.v1.Missing";
    bad_property(&reference(schema), "leads nowhere", "/$ref");
    bad_property(
        &reference("https://example.com/a.json#/X"),
        "out of the document",
        "/$ref",
    );
    bad_property(
        &reference("other.json#/components/schemas/X"),
        "out of the",
        "/$ref",
    );
    bad_property(
        &reference("../../../etc/passwd"),
        "out of the document",
        "/$ref",
    );
    bad_property(&reference("\\u202e"), "`\\u{202e}` leads out", "/$ref");
}

/// Such an error doesn't also say that it isn't a schema.
#[test]
fn a_reference_that_leads_nowhere_outside_the_schemas() {
    bad_property(
        "{\"$ref\": \"#/components/other/X\"}",
        "leads nowhere",
        "/$ref",
    );
}

/// These lead somewhere, but not to a schema of the document.
#[test]
fn references_to_what_is_no_schema() {
    for target in [
        "#/openapi",
        "#",
        "#/components/schemas/com.example.v1.Thing/properties/one",
    ] {
        let schema = format!("{{\"$ref\": \"{target}\"}}");
        bad_property(&schema, "is not a schema", "/$ref");
    }
}

#[test]
fn schemas_of_no_known_type() {
    bad_property("{\"type\": \"file\"}", "unknown type `file`", "/type");
    let items = "{\"type\": \"array\", \"items\": {\"type\": \"file\"}}";
    bad_property(items, "unknown type", "/items/type");
    let values = "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"file\"}}";
    bad_property(values, "unknown type", "/additionalProperties/type");
}

#[test]
fn only_values_of_one_type_are_enumerated() {
    for mixed in [
        "\"boolean\", \"enum\": [true, \"a\"]",
        "\"integer\", \"enum\": [1, 1.5]",
        "\"number\", \"enum\": [1, true]",
    ] {
        let mixed = format!("{{\"type\": {mixed}}}");
        bad_property(&mixed, "this combination of keywords", "");
    }
}

#[test]
fn defaults_of_another_type() {
    let bad = |schema: &str, default: &str, wanted: &str| {
        let property = format!("{{{schema}, \"default\": {default}}}");
        let message = format!("the default `{default}` is not {wanted}");
        bad_property(&property, &message, "/default");
    };
    bad("\"type\": \"string\"", "7", "a string");
    bad("\"type\": \"boolean\"", "\"yes\"", "`true` or `false`");
    bad("\"type\": \"integer\"", "1.5", "a whole number of 64 bits");
    let narrow = "\"type\": \"integer\", \"format\": \"int32\"";
    bad(narrow, "4294967296", "a whole number of 32 bits");
    bad("\"type\": \"number\"", "\"1\"", "a number");
    let list = "\"type\": \"array\", \"items\": {\"type\": \"string\"}";
    bad(list, "\"a\"", "a list");
    bad_property(
        &format!("{{{list}, \"default\": [1]}}"),
        "is not a string",
        "/default",
    );
    let map = "\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\"}";
    bad(map, "[1]", "an object");
    bad(
        "\"type\": \"string\", \"enum\": [\"On\", \"Off\"]",
        "\"Of\"",
        "one of On, Off",
    );
}

#[test]
fn schemas_that_are_no_schemas() {
    let schema = |value: &str| document(&format!("\n\"com.example.v1.Thing\": {value}"));
    for value in [
        "7",
        "\"text\"",
        "[]",
        "{\"type\": \"object\", \"properties\": 7}",
    ] {
        bad_schema(&schema(value), "not an OpenAPI 3.0 schema", "Thing", 3);
    }
}

#[test]
fn schemas_that_no_crate_has() {
    let text = document(
        "\"com.example.v1.Thing\": {\"type\": \"object\", \"properties\": \
         {\"x\": {\"$ref\": \"#/components/schemas/org.other.X\"}}},\n\
         \"org.other.X\": {\"type\": \"object\"}",
    );
    let expected = Expected {
        message: "no crate is known to have",
        pointer: Some("#/components/schemas/org.other.X"),
        line: Some(3),
    };
    assert_error(from_document(&text), FILE, &expected);
}

/// Ten errors in one document, all reported in one run.
#[test]
fn all_errors_are_told_at_once() {
    let mut properties = String::new();
    for number in 0..8 {
        writeln!(properties, "\"p{number}\": {{\"type\": \"t{number}\"}},").unwrap();
    }
    properties += "\"$\": {\"type\": \"string\"},\n\"c\": {\"$ref\": \"#/nowhere\"}";
    let errors = from_document(&thing(&properties)).unwrap_err();
    assert_eq!(errors.len(), 10, "{errors}");
    let text = errors.to_string();
    assert!(text.ends_with("10 errors"), "{text}");
    let mut lines: Vec<_> = errors.iter().map(|error| error.line.unwrap()).collect();
    lines.sort_unstable();
    assert_eq!(lines, Vec::from_iter(3..13), "{text}");
}

#[test]
fn documents_of_great_size() {
    let text = format!(
        "{{\"openapi\": \"3.0.0\", \"x\": \"{}\"}}",
        "x".repeat(64 << 20)
    );
    bad_text(&text, "the limit is 64 MiB", None);
    let mut properties = String::new();
    for number in 0..2_000 {
        writeln!(properties, "\"p{number}\": {{\"type\": \"string\"}},").unwrap();
    }
    let crates = from_document(&thing(&format!(
        "{properties}\"last\": {{\"type\": \"string\"}}"
    )));
    assert_eq!(crates.unwrap()[0].structs, 1);
}

#[test]
fn more_schemas_than_any_api_has() {
    let schemas = (0..20_001).map(|at| format!("\"com.example.v1.Thing{at}\": {{}}"));
    let text = document(&schemas.collect::<Vec<_>>().join(","));
    bad_text(&text, "has 20001 schemas; the limit is 20000", None);
}
