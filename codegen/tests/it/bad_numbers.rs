//! Fields whose numbers in protobuf are missing, or that are something else there.

use crate::common::{Expected, assert_error, document, inputs_of};
use codegen::{Config, Diagnostics, Generated, Source, generate};

const FILE: &str = "v1.37/document.json";

const CONFIG: &str = r#"
[protobuf]
folder = "proto"

[[crate]]
name = "example-v1"
description = "An example"

[[crate.document]]
file = "document.json"
release = "1.37"
prefix = "io.k8s.api.example.v1."

[[extern]]
prefix = "io.k8s.apimachinery."
path = "k8s_openapi::apimachinery"
"#;

/// Generates a type with one property, whose message has some fields.
fn generated(property: &str, fields: &str) -> Result<Vec<Generated>, Diagnostics> {
    let schemas = format!(
        "\"io.k8s.api.example.v1.Thing\": {{\"type\": \"object\", \"properties\": {{\n\
         \"text\": {property}\n}}}},\n\
         \"io.k8s.api.example.v1.Part\": {{\"type\": \"object\"}},\n\
         \"io.k8s.apimachinery.pkg.api.resource.Quantity\": {{\"type\": \"string\"}},\n\
         \"io.k8s.apimachinery.pkg.apis.meta.v1.Status\": {{\"type\": \"object\"}}"
    );
    let proto = format!(
        "syntax = \"proto2\";\npackage k8s.io.api.example.v1;\nmessage Part {{\n}}\n\
         message Other {{\n}}\nmessage Thing {{\n{fields}\n}}\n"
    );
    run(CONFIG, &document(&schemas), &proto)
}

fn run(config: &str, document: &str, proto: &str) -> Result<Vec<Generated>, Diagnostics> {
    let config = Config::parse(&Source::new("codegen.toml", config))?;
    let mut inputs = inputs_of([("document.json", document)]);
    inputs.protos = vec![Source::new("proto/example.proto", proto)];
    generate(&config, &inputs)
}

fn bad(property: &str, fields: &str, message: &str) {
    let pointer = "#/components/schemas/io.k8s.api.example.v1.Thing/properties/text";
    let expected = Expected {
        message,
        pointer: Some(pointer),
        line: Some(3),
    };
    assert_error(generated(property, fields), FILE, &expected);
}

const TEXT: &str = r#"{"type": "string"}"#;

#[test]
fn the_type_itself_is_good() {
    generated(TEXT, "optional string text = 1;").unwrap();
}

#[test]
fn a_field_without_a_number() {
    let message = "`text` has no number: the message in proto/example.proto:7 has no field of that \
                   name";
    bad(TEXT, "optional string other = 1;", message);
}

#[test]
fn types_that_differ() {
    for (property, field, here, there) in [
        (TEXT, "optional int32 text = 1;", "`string`", "`int32`"),
        (TEXT, "optional bytes text = 1;", "`string`", "`bytes`"),
        (
            TEXT,
            "repeated string text = 1;",
            "`string`",
            "a list of `string`",
        ),
        (
            r#"{"type": "string", "format": "byte"}"#,
            "optional string text = 1;",
            "`bytes`",
            "`string`",
        ),
        (
            r#"{"type": "string", "enum": ["A"]}"#,
            "optional int32 text = 1;",
            "`string`",
            "`int32`",
        ),
        (
            r#"{"type": "integer", "format": "int32"}"#,
            "optional int64 text = 1;",
            "`int32`",
            "`int64`",
        ),
        (
            r#"{"type": "integer", "format": "int64"}"#,
            "optional int32 text = 1;",
            "`int64`",
            "`int32`",
        ),
        (
            r#"{"type": "boolean"}"#,
            "optional string text = 1;",
            "`bool`",
            "`string`",
        ),
        (
            r#"{"type": "number", "format": "double"}"#,
            "optional float text = 1;",
            "`double`",
            "`float`",
        ),
        (
            r#"{"type": "array", "items": {"type": "string"}}"#,
            "optional string text = 1;",
            "a list of `string`",
            "`string`",
        ),
        (
            r#"{"type": "object", "additionalProperties": {"type": "string"}}"#,
            "repeated string text = 1;",
            "a map of `string`",
            "a list of `string`",
        ),
        (
            r##"{"$ref": "#/components/schemas/io.k8s.api.example.v1.Part"}"##,
            "optional Other text = 1;",
            "`k8s.io.api.example.v1.Part`",
            "`k8s.io.api.example.v1.Other`",
        ),
        (
            r##"{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"}"##,
            "optional string text = 1;",
            "`k8s.io.apimachinery.pkg.api.resource.Quantity`",
            "`string`",
        ),
        (
            r#"{"type": "array", "items": {"type": "array", "items": {"type": "string"}}}"#,
            "repeated string text = 1;",
            "a list of `lists or maps in each other`",
            "a list of `string`",
        ),
    ] {
        let message = format!("`text` is {here} here, and {there} in proto/example.proto:8");
        let errors = generated(property, field).unwrap_err();
        let told = errors.iter().map(|error| &error.message);
        let told: Vec<_> = told.collect();
        assert!(told.contains(&&message), "{message}\n{told:?}");
    }
}

/// The group isn't in the files, or has only JSON.
#[test]
fn a_type_without_a_message() {
    let schemas = "\"io.k8s.api.example.v1.Thing\": {\"type\": \"object\"}";
    let proto = "syntax = \"proto2\";\npackage k8s.io.api.other.v1;\n";
    let expected = Expected {
        message: "no `.proto` file has a message for `io.k8s.api.example.v1.Thing`",
        pointer: Some("#/components/schemas/io.k8s.api.example.v1.Thing"),
        line: Some(2),
    };
    assert_error(run(CONFIG, &document(schemas), proto), FILE, &expected);

    let config = CONFIG.replace("[[extern]]", "json-only = true\n\n[[extern]]");
    let crates = run(&config, &document(schemas), proto).unwrap();
    let mut files = crates[0].files.iter();
    let manifest = files.find(|file| file.path == "Cargo.toml").unwrap();
    assert!(!manifest.text.contains("protobuf"));
}

/// `kubernetes-kinds` has to have its table.
#[test]
fn a_type_of_k8s_openapi_without_numbers() {
    let schema =
        r##"{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Status"}"##;
    let errors = generated(schema, "optional string text = 1;").unwrap_err();
    let told = errors.to_string();
    let expected = "`text` has a type of k8s-openapi without numbers, \
                    `io.k8s.apimachinery.pkg.apis.meta.v1.Status`";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn tables_of_a_document_that_is_not_there() {
    let config = CONFIG.replace(
        "folder = \"proto\"",
        "folder = \"proto\"\n[protobuf.k8s-openapi]\ndocument = \"v1.37/other.json\"\n\
         file = \"tables.rs\"\ntypes = []",
    );
    let errors = Config::parse(&Source::new("codegen.toml", config)).unwrap_err();
    let told = errors.to_string();
    assert!(
        told.contains("`v1.37/other.json` is no document of a crate"),
        "{told}"
    );
}

/// Documents leave open what may be in place of a schema; k8s-openapi has types for it.
#[test]
fn schemas_of_definitions_are_types_of_k8s_openapi() {
    const GROUP: &str = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";
    let reference = |name: &str| format!(r##"{{"$ref": "#/components/schemas/{GROUP}{name}"}}"##);
    let object = |name: &str, properties: &str| {
        format!("\"{GROUP}{name}\": {{\"type\": \"object\", \"properties\": {{{properties}}}}}")
    };
    let schemas = [
        object(
            "Thing",
            &format!(
                "\"schema\": {}, \"column\": {}",
                reference("JSONSchemaProps"),
                reference("Column")
            ),
        ),
        object(
            "JSONSchemaProps",
            &format!(
                "\"items\": {},\n\"rule\": {}, \"column\": {}, \"not\": {}",
                reference("JSONSchemaPropsOrArray"),
                reference("Rule"),
                reference("Column"),
                reference("JSONSchemaProps")
            ),
        ),
        format!("\"{GROUP}JSONSchemaPropsOrArray\": {{}}"),
        object("Rule", ""),
        object("Column", ""),
    ];
    let proto = "syntax = \"proto2\";\n\
        package k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1;\n\
        message Column {\n}\nmessage Rule {\n}\nmessage JSONSchemaPropsOrArray {\n}\n\
        message JSONSchemaProps {\noptional JSONSchemaPropsOrArray items = 1;\n\
        optional Rule rule = 2;\noptional Column column = 3;\noptional JSONSchemaProps not = 4;\n}\n\
        message Thing {\noptional JSONSchemaProps schema = 1;\noptional Column column = 2;\n}\n";
    let config = CONFIG.replace("io.k8s.api.example.v1.", GROUP);
    let document = document(&schemas.join(",\n"));
    let errors = run(&config, &document, proto).unwrap_err();
    let told = errors.to_string();
    assert_eq!(errors.len(), 1, "{told}");
    for part in ["`items` is", "JSONSchemaPropsOrArray` in proto", "`types`"] {
        assert!(told.contains(part), "{told}");
    }

    let path = "k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1";
    let types = format!("[[crate]]\ntypes = {{ JSONSchemaProps = \"{path}::JSONSchemaProps\" }}\n");
    let config = config.replace("[[crate]]\n", &types);
    let crates = run(&config, &document, proto).unwrap();
    let all: String = crates[0]
        .files
        .iter()
        .map(|file| file.text.as_str())
        .collect();
    for part in [
        format!("use {path}::JSONSchemaProps;"),
        "pub schema: Option<JSONSchemaProps>".to_owned(),
        "pub struct Column".to_owned(),
        "optional \"schema\" = 1 => schema".to_owned(),
    ] {
        assert!(all.contains(&part), "no {part}");
    }
    for part in ["struct JSONSchemaProps", "struct Rule"] {
        assert!(!all.contains(part), "{part}");
    }
}

/// Go's JSON has `null` for a zero one.
#[test]
fn a_time_that_a_document_requires() {
    const GROUP: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";
    let schema = format!(
        "\"{GROUP}Thing\": {{\"type\": \"object\", \"required\": [\"time\"], \"properties\": {{\n\
         \"time\": {{\"type\": \"string\", \"format\": \"date-time\"}}}}}}"
    );
    let proto = "syntax = \"proto2\";\npackage k8s.io.apimachinery.pkg.apis.meta.v1;\n\
        message Time {\n}\nmessage Thing {\nrequired Time time = 1;\n}\n";
    let config = CONFIG.replace("io.k8s.api.example.v1.", GROUP);
    let crates = run(&config, &document(&schema), proto).unwrap();
    let mut files = crates[0].files.iter();
    let row = "required \"time\" = 1 always => time";
    assert!(files.any(|file| file.text.contains(row)));
}
