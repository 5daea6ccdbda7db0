//! Documents that can't be generated from: each error has its diagnostic, and nothing is
//! generated.

use std::fmt::Write;

use crate::common::{CONFIG, Expected, assert_error, document, from, from_document, thing};

const FILE: &str = "v1.37/document.json";
const SCHEMAS: &str = "#/components/schemas/com.example.v1.";

/// The text of the whole document is at error.
fn bad_text(text: &str, message: &str, line: Option<usize>) {
    let expected = Expected {
        message,
        pointer: None,
        line,
    };
    assert_error(from_document(text), FILE, &expected);
}

/// One place below the schemas with the prefix is at error.
fn bad_schema(text: &str, message: &str, place: &str, line: usize) {
    let pointer = format!("{SCHEMAS}{place}");
    let expected = Expected {
        message,
        pointer: Some(&pointer),
        line: Some(line),
    };
    assert_error(from_document(text), FILE, &expected);
}

/// One property of a struct is at error; it stands on line 3.
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
    // Lone surrogates are no text.
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

/// That it is no schema goes without saying.
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
fn only_strings_and_numbers_are_enumerated() {
    let flag = "{\"type\": \"boolean\", \"enum\": [true]}";
    bad_property(flag, "a value that is not a string", "/enum");
    let items = format!("{{\"type\": \"array\", \"items\": {flag}}}");
    bad_property(&items, "a value that is not a string", "/items/enum");
    for mixed in [
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

#[test]
fn names_that_collide() {
    bad_schema(
        &thing("\"nodeID\": {\"type\": \"string\"},\n\"nodeId\": {\"type\": \"string\"}"),
        "the properties `nodeID` and `nodeId` are both `node_id`",
        "Thing/properties/nodeId",
        4,
    );
    let values = |values: &str| {
        document(&format!(
            "\"com.example.v1.E\": {{\"type\": \"string\",\n\"enum\": {values}}}"
        ))
    };
    let message = "the values `in-out` and `InOut` are both `InOut`";
    bad_schema(&values("[\"in-out\", \"InOut\"]"), message, "E/enum", 3);
    let message = "the values `a` and `a` are both `A`";
    bad_schema(&values("[\"a\", \"a\"]"), message, "E/enum", 3);
    let message = "the values `Unknown` and `ValueUnknown` are both `ValueUnknown`";
    bad_schema(
        &values("[\"Unknown\", \"ValueUnknown\"]"),
        message,
        "E/enum",
        3,
    );
    let message = "the values `` and `Empty` are both `Empty`";
    bad_schema(&values("[\"\", \"Empty\"]"), message, "E/enum", 3);
    // Two types whose names differ, but not the names of their files.
    let part = "{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"string\"}}}";
    let text = document(&format!(
        "\"com.example.v1.CsiNode\": {part},\n\"com.example.v1.CSINode\": {part}"
    ));
    let message = "the types `CSINode` and `CsiNode` are both `csi_node`";
    bad_schema(&text, message, "CsiNode", 2);
}

#[test]
fn enumerations_without_a_name_that_collide_with_a_type() {
    for other in [
        "{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"string\"}}}",
        "{\"type\": \"string\", \"enum\": [\"x\"]}",
        "{\"type\": \"integer\"}",
    ] {
        let text = document(&format!(
            "\"com.example.v1.Thing\": {{\"type\": \"object\", \"properties\": {{\n\
             \"mode\": {{\"type\": \"string\", \"enum\": [\"on\"]}}}}}},\n\
             \"com.example.v1.ThingMode\": {other}"
        ));
        let message = "the enumeration needs the name of `ThingMode`";
        bad_schema(&text, message, "Thing/properties/mode", 3);
    }
}

#[test]
fn schemas_whose_names_are_no_types() {
    let schema = "{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"string\"}}}";
    let good = format!("\"com.example.v1.Good\": {schema}");
    let named = |name: &str| document(&format!("\"com.example.v1.{name}\": {schema},\n{good}"));
    let no_type = "can't be the name of a Rust type";
    bad_schema(&named("lower"), no_type, "lower", 2);
    bad_schema(&named("A.B"), no_type, "A.B", 2);
    bad_schema(&named("A-B"), no_type, "A-B", 2);
    bad_schema(&named("Self"), no_type, "Self", 2);
    bad_schema(&named(""), no_type, "", 2);
    let no_schema = "can't be the name of a schema";
    bad_schema(&named("../../X"), no_schema, "..~1..~1X", 2);
    bad_schema(&named("A B"), no_schema, "A B", 2);
    bad_schema(&named("A\\\"B"), no_schema, "A\"B", 2);
    bad_schema(&named("A\\nB"), no_schema, "A\nB", 2);
    bad_schema(&named("Ä"), no_schema, "Ä", 2);
    let expected = Expected {
        message: no_schema,
        pointer: Some("#/components/schemas/"),
        line: Some(3),
    };
    let text = document(&format!("\"com.example.v1.A\": {schema},\n\"\": {schema}"));
    assert_error(from_document(&text), FILE, &expected);
}

/// The one schema that there is starts with the prefix, and only its name is wrong.
#[test]
fn a_faulty_schema_is_still_one_with_the_prefix() {
    let text = document("\"com.example.v1.lower\": {\"type\": \"string\"}");
    bad_schema(&text, "can't be the name of a Rust type", "lower", 2);
    let text = document("\"com.example.v1.E\": {\"type\": \"string\", \"enum\": [null]}");
    bad_schema(&text, "a value that is not a string", "E/enum", 2);
}

#[test]
fn types_whose_names_rust_needs() {
    for name in [
        "String", "Option", "Vec", "Box", "Default", "Result", "BTreeMap", "Some",
    ] {
        let text = document(&format!(
            "\"com.example.v1.{name}\": {{\"type\": \"string\", \"enum\": [\"a\"]}}"
        ));
        bad_schema(&text, "a name that Rust itself uses", name, 2);
    }
    for (name, file) in [
        ("Apply", "apply.rs"),
        ("Lib", "lib.rs"),
        ("Main", "main.rs"),
        ("Scheme", "scheme.rs"),
    ] {
        let text = document(&format!(
            "\"com.example.v1.{name}\": {{\"type\": \"string\", \"enum\": [\"a\"]}}"
        ));
        bad_schema(&text, file, name, 2);
    }
}

#[test]
fn a_schema_that_a_generated_crate_lacks() {
    let config = CONFIG.replace("overlays = [\"overlay.yaml\"]\n", "")
        + "\n[[extern]]\nprefix = \"com.example.v2.\"\npath = \"example_v1\"\n";
    let other = "\"#/components/schemas/com.example.v2.Other\"";
    let text = thing(&format!("\"a\": {{\"$ref\": {other}}}")).replace(
        "\"com.example.v1.Thing\"",
        "\"com.example.v2.Other\": {\"type\": \"object\"}, \"com.example.v1.Thing\"",
    );
    let expected = Expected {
        message: "`com.example.v2.Other` is in no document of the crate",
        pointer: Some("#/components/schemas/com.example.v1.Thing/properties/a"),
        line: Some(3),
    };
    assert_error(from(&config, &text, "", "1.37"), FILE, &expected);
}

#[test]
fn properties_whose_names_are_no_fields() {
    for (json, name) in [
        ("", ""),
        ("$", "$"),
        ("..", ".."),
        ("/", "~1"),
        ("\u{e4}", "\u{e4}"),
    ] {
        let text = thing(&format!("\"{json}\": {{\"type\": \"string\"}}"));
        let place = format!("Thing/properties/{name}");
        bad_schema(&text, "can't be the name of a Rust field", &place, 3);
    }
}

#[test]
fn properties_whose_names_are_keywords_are_no_error() {
    for keyword in [
        "self", "super", "crate", "type", "gen", "async", "abstract", "try",
    ] {
        let text = thing(&format!("\"{keyword}\": {{\"type\": \"string\"}}"));
        let crates = from_document(&text).unwrap();
        let file = crates[0]
            .files
            .iter()
            .find(|f| f.path == "src/thing.rs")
            .unwrap();
        assert!(
            file.text
                .contains(&format!("pub {keyword}_: Option<String>")),
            "{keyword}"
        );
        assert!(
            file.text.contains(&format!("fn with_{keyword}(")),
            "{keyword}"
        );
    }
}

#[test]
fn values_that_are_no_variants() {
    let values = |values: &str| {
        document(&format!(
            "\"com.example.v1.E\": {{\"type\": \"string\", \"enum\": [\"fine\",\n{values}]}}"
        ))
    };
    for value in ["\\\"]", "\\n", "\\u202e", "//", "é", "-"] {
        let text = values(&format!("\"{value}\""));
        bad_schema(&text, "can't be the name of a variant", "E/enum", 2);
    }
}

#[test]
fn descriptions_of_values_that_are_none() {
    let text = document(
        "\"com.example.v1.E\": {\"type\": \"string\", \"enum\": [\"a\"],\n\
         \"x-enum-descriptions\": {\"a\": \"x\", \"b\": \"x\"}}",
    );
    let place = "E/x-enum-descriptions/b";
    bad_schema(&text, "`b` is described but not a value", place, 3);
    let text = text.replace("{\"a\": \"x\", \"b\": \"x\"}", "[]");
    bad_schema(&text, "not an object", "E/x-enum-descriptions", 3);
    let text = text.replace("[]", "{\"a\": 7}");
    bad_schema(&text, "not a string", "E/x-enum-descriptions/a", 3);
}

#[test]
fn lifecycles_that_are_none() {
    for lifecycle in [
        "7",
        "{}",
        "{\"introduced\": 1.30}",
        "{\"introduced\": \"soon\"}",
        "{\"introduced\": \"1.30\", \"gamma\": \"1.31\"}",
    ] {
        bad_property(
            &format!("{{\"type\": \"string\", \"x-lifecycle\": {lifecycle}}}"),
            "not a lifecycle",
            "/x-lifecycle",
        );
    }
}

#[test]
fn required_names_and_circles() {
    let text = document(
        "\"com.example.v1.Thing\": {\"type\": \"object\", \"required\": [\"b\"],\n\
         \"properties\": {\"a\": {\"type\": \"string\"}}}",
    );
    bad_schema(
        &text,
        "`b` is required but not a property",
        "Thing/required",
        2,
    );
    let reference = "{\"$ref\": \"#/components/schemas/com.example.v1.Thing\"}";
    let text = document(&format!(
        "\"com.example.v1.Thing\": {{\"type\": \"object\", \"required\": [\"a\"],\n\
         \"properties\": {{\"a\": {reference}}}}}"
    ));
    let message = "a required field through which the type holds itself";
    bad_schema(&text, message, "Thing/properties/a", 3);
    let text = document(
        "\"com.example.v1.Thing\": {\"type\": \"object\", \"properties\": {\n\
         \"a\": {\"$ref\": \"#/components/schemas/com.example.v1.A\"}}},\n\
         \"com.example.v1.A\": {\"allOf\": [{\"$ref\": \"#/components/schemas/com.example.v1.B\"}]},\n\
         \"com.example.v1.B\": {\"allOf\": [{\"$ref\": \"#/components/schemas/com.example.v1.A\"}]}",
    );
    bad_schema(&text, "is another name for itself", "Thing/properties/a", 3);
}

/// Ten errors in one document, all told in one run.
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
