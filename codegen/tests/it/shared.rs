//! Schemas that several documents have, and crates that use one another.

use crate::common::{document, inputs_of};
use codegen::{Config, Diagnostics, Generated, Source, generate};

/// Generates from documents with these schemas.
fn from(config: &str, files: &[(&str, &str)]) -> Result<Vec<Generated>, Diagnostics> {
    let config = Config::parse(&Source::new("codegen.toml", config))?;
    let files = files
        .iter()
        .map(|(file, schemas)| (file, document(schemas)));
    let inputs = inputs_of(files);
    generate(&config, &inputs)
}

/// Two documents of one crate and prefix.
const ONE_CRATE: &str = r#"
newest = "1.37"

[[crate]]
name = "example-v1"
description = "An example"

[[crate.document]]
file = "one.json"
prefix = "com.example.v1."

[[crate.document]]
file = "two.json"
prefix = "com.example.v1."
"#;

const SHARED: &str = "\"com.example.v1.Shared\": {\"type\": \"object\", \"properties\": \
    {\"a\": {\"type\": \"string\"}}}";

fn holder(name: &str) -> String {
    format!(
        "{SHARED},\n\"com.example.v1.{name}\": {{\"type\": \"object\", \"properties\": {{\n\
         \"shared\": {{\"$ref\": \"#/components/schemas/com.example.v1.Shared\"}}}}}}"
    )
}

#[test]
fn a_schema_of_two_documents_is_generated_once() {
    let documents = [("one.json", &*holder("One")), ("two.json", &*holder("Two"))];
    let crates = from(ONE_CRATE, &documents).unwrap();
    let declares = |file: &&codegen::GeneratedFile| file.text.contains("pub struct Shared {");
    let files = &crates[0].files;
    assert_eq!(files.iter().filter(declares).count(), 1);
    for name in ["one", "two"] {
        let path = format!("src/{name}.rs");
        let text = &files.iter().find(|file| file.path == path).unwrap().text;
        assert!(text.contains("pub shared: Option<Shared>"), "{text}");
        assert!(text.contains("use crate::Shared;"), "{text}");
    }
}

#[test]
fn a_schema_that_two_documents_describe_differently() {
    let other = holder("Two").replace("\"string\"", "\"integer\"");
    let documents = [("one.json", &*holder("One")), ("two.json", &*other)];
    let errors = from(ONE_CRATE, &documents).map(|_| ()).unwrap_err();
    let text = errors.to_string();
    assert!(
        text.contains("`com.example.v1.Shared` is another schema than in v1.37/one.json"),
        "{text}"
    );
    assert!(
        text.contains("two.json:2 at #/components/schemas/com.example.v1.Shared"),
        "{text}"
    );
    assert_eq!(errors.len(), 1, "{text}");
}

/// A definition of a kind, whose `spec` is of a type.
fn definition(kind: &str, ty: &str) -> String {
    format!(
        r#"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: things.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{plural: things, kind: {kind}}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {{spec: {{type: {ty}}}}}
"#
    )
}

/// Generates one crate from two manifests.
fn from_manifests(one: &str, two: &str) -> Result<Vec<Generated>, Diagnostics> {
    let home =
        "[[extern]]\nprefix = \"io.k8s.apimachinery.\"\npath = \"k8s_openapi::apimachinery\"";
    let config = ONE_CRATE.replace(".json", ".yaml") + home;
    let config = Config::parse(&Source::new("codegen.toml", config))?;
    generate(&config, &inputs_of([("one.yaml", one), ("two.yaml", two)]))
}

#[test]
fn a_kind_of_two_manifests_is_generated_once() {
    let thing = definition("Thing", "string");
    let crates = from_manifests(&thing, &thing).unwrap();
    let is_of_thing = |file: &&codegen::GeneratedFile| file.path == "src/thing.rs";
    assert_eq!(crates[0].files.iter().filter(is_of_thing).count(), 1);

    let crates = from_manifests(&thing, &definition("Other", "string")).unwrap();
    assert_eq!(crates[0].group_versions[0].kinds, ["Other", "Thing"]);
}

#[test]
fn a_kind_that_two_manifests_describe_differently() {
    let [one, two] = ["string", "integer"].map(|ty| definition("Thing", ty));
    let errors = from_manifests(&one, &two).map(|_| ()).unwrap_err();
    let text = errors.to_string();
    let message = "`com.example.v1.Thing` is another schema than in v1.37/one.yaml";
    assert!(text.contains(message), "{text}");
}

/// Two crates, each of which has a type of the other in a field.
const CIRCLE: &str = r#"
newest = "1.37"

[[crate]]
name = "left-v1"
description = "Left"

[[crate.document]]
file = "left.json"
prefix = "com.left.v1."

[[crate]]
name = "right-v1"
description = "Right"

[[crate.document]]
file = "right.json"
prefix = "com.right.v1."

[[extern]]
prefix = "com.left.v1."
path = "left_v1"

[[extern]]
prefix = "com.right.v1."
path = "right_v1"
"#;

#[test]
fn crates_that_use_one_another() {
    let schemas = |own: &str, other: &str| {
        format!(
            "\"com.{own}.v1.Part\": {{\"type\": \"object\"}},\n\"com.{own}.v1.Whole\": \
             {{\"type\": \"object\", \"properties\": {{\n\"part\": \
             {{\"$ref\": \"#/components/schemas/com.{other}.v1.Part\"}}}}}},\n\
             \"com.{other}.v1.Part\": {{\"type\": \"object\"}}"
        )
    };
    let (left, right) = (schemas("left", "right"), schemas("right", "left"));
    let documents = [("left.json", &*left), ("right.json", &*right)];
    let errors = from(CIRCLE, &documents).map(|_| ()).unwrap_err();
    let text = errors.to_string();
    assert!(
        text.contains(
            "crates use one another: `left-v1` uses `right-v1` in \
             #/components/schemas/com.left.v1.Whole/properties/part of v1.37/left.json, `right-v1` uses \
             `left-v1` in #/components/schemas/com.right.v1.Whole/properties/part of v1.37/right.json"
        ),
        "{text}"
    );
    assert!(text.contains("left.json:4 at"), "{text}");
    assert_eq!(errors.len(), 1, "{text}");
    // One of the two directions isn't a circle.
    let right = "\"com.right.v1.Part\": {\"type\": \"object\"}";
    from(CIRCLE, &[("left.json", &*left), ("right.json", right)]).unwrap();
}

/// One document of two files.
fn joined() -> String {
    let (first, second) = ONE_CRATE.split_at(ONE_CRATE.rfind("[[crate.document]]").unwrap());
    assert!(second.contains("two.json"));
    first.replace(
        "file = \"one.json\"",
        "file = \"one.json\"\nmore-files = [\"two.json\"]",
    )
}

#[test]
fn several_files_are_one_document() {
    let documents = [("one.json", &*holder("One")), ("two.json", &*holder("Two"))];
    let crates = from(&joined(), &documents).unwrap();
    assert_eq!(crates[0].documents, 2);
    let text = |path: &str| {
        let file = crates[0].files.iter().find(|file| file.path == path);
        &file.unwrap().text
    };
    // Each type names its file.
    assert!(text("src/one.rs").contains("from v1.37/one.json,"));
    assert!(text("src/two.rs").contains("from v1.37/two.json,"));
    assert!(text("src/shared.rs").contains("from v1.37/one.json,"));
    assert!(text("src/lib.rs").contains("from v1.37/one.json,\n// v1.37/two.json."));
}

#[test]
fn errors_name_the_file_of_several() {
    let other = holder("Two").replace("\"string\"", "\"integer\"");
    let documents = [("one.json", &*holder("One")), ("two.json", &*other)];
    let errors = from(&joined(), &documents).map(|_| ()).unwrap_err();
    let text = errors.to_string();
    let message = "`com.example.v1.Shared` is another schema than in v1.37/one.json";
    assert!(text.contains(message), "{text}");
    let place = "two.json:2 at #/components/schemas/com.example.v1.Shared";
    assert!(text.contains(place), "{text}");
    assert_eq!(errors.len(), 1, "{text}");
    // While loading, and in a pass.
    for (wrong, message) in [
        ("\"type\": \"strange\"", "strange"),
        ("\"x-set-defaults\": \"1\"", "x-set-defaults"),
    ] {
        let two = format!(
            "{SHARED},\n\"com.example.v1.Two\": {{\"type\": \"object\", \"properties\": {{\n\
             \"a\": {{{wrong}}}}}}}"
        );
        let documents = [("one.json", &*holder("One")), ("two.json", &*two)];
        let errors = from(&joined(), &documents).map(|_| ()).unwrap_err();
        let text = errors.to_string();
        assert!(
            text.contains(message) && text.contains("two.json:"),
            "{text}"
        );
        assert!(!text.contains("one.json"), "{text}");
    }
}
