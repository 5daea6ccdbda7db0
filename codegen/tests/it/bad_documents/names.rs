//! Names that collide or aren't Rust names, and facts about fields and values.

use super::*;

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
fn short_names_of_what_is_no_kind() {
    let text = document(
        "\"com.example.v1.Part\": {\"type\": \"object\", \"x-short-names\": [\"pt\"],\n\
         \"properties\": {\"a\": {\"type\": \"string\"}}}",
    );
    bad_schema(
        &text,
        "short names of a schema that isn't that of a kind",
        "Part/x-short-names",
        2,
    );
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
