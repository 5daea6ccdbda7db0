//! Streams decoded part by part: an error hides no other part, and each has a position.

use crate::common::{PotV1, pot, pots, scheme};
use kubernetes_kinds::{FieldPath, Segment};
use kubernetes_manifests::scheme::{AnyObject, Part, Reason, Syntax, to_json_all, to_yaml_all};
use proptest::prelude::*;

/// Describes each part: line, name, and the decoding error or the field errors.
fn describe(text: &str, syntax: Syntax) -> Vec<String> {
    let scheme = scheme();
    let line = |part: Part<'_>| {
        let name = part.name.as_deref().unwrap_or("-");
        let mut description = match &part.object {
            Ok(Some(_)) => format!("{name} is read"),
            Ok(None) => "list".to_owned(),
            Err(error) => {
                let (path, reason) = (&error.location().path.to_string(), error.reason());
                let reason = match reason {
                    Reason::Syntax { .. } => "syntax".to_owned(),
                    Reason::Shape { .. } => "shape".to_owned(),
                    other => other.to_string(),
                };
                format!(
                    "{name} {path} {reason} at {}",
                    error.location().line.unwrap()
                )
            }
        };
        for error in &part.field_errors {
            description += &format!(", {error} at {}", error.location.line.unwrap());
        }
        format!("{}: {description}", part.location.line.unwrap())
    };
    scheme.decode_each(text, syntax).map(line).collect()
}

fn yaml(text: &str) -> Vec<String> {
    describe(text, Syntax::JsonOrYaml)
}

const HEAD: &str = "apiVersion: example.com/v1\nkind: Pot\n";

#[test]
fn a_damaged_document_hides_no_other() {
    let good = format!("{HEAD}metadata: {{name: a}}\n");
    let text = format!("# first\n{good}---\na: [\n--- # third\n{good}...\n%YAML 1.1\n---\n{good}");
    let wanted = [
        "2: a is read",
        "6: -  syntax at 6",
        "8: a is read",
        "14: a is read",
    ];
    assert_eq!(yaml(&text), wanted);
    // Markers count at the beginning of a line only.
    let text = format!("{HEAD}parameters:\n  a: |\n    x\n    ---\n    ...\n  b: --- c\n");
    assert_eq!(yaml(&text), ["1: - is read"]);
}

#[test]
fn an_item_hides_no_other() {
    let text = "apiVersion: v1
kind: List
items:
- {apiVersion: example.com/v1, kind: Pot, metadata: {name: a}, size: big}
- kind: Pot
- apiVersion: example.com/v1
  kind: PotList
  metadata: {resourceVersion: '1'}
  item: []
  items:
  - metadata: {name: b}
    sise: 1
  - metadata: {name: c}
    parameters: {a: b, a: c}
  - {metadata: {name: d}, kind: Pan}
  - {metadata: {name: e}, lids: [{}, {name: [1]}]}
- 7
";
    let wanted = [
        "1: list",
        "4: a items[0].size shape at 4",
        "5: - items[1] apiVersion is missing; every object has to name its apiVersion and \
         kind at 5",
        "6: list, unknown field \"item\" at 9",
        "11: b is read, unknown field \"sise\" at 12",
        "13: c is read, duplicate field \"parameters.a\" at 14",
        "15: d items[2].items[2].kind shape at 15",
        "16: e items[2].items[3].lids[1].name shape at 16",
        "1: - items[3] shape at 1",
    ];
    assert_eq!(yaml(text), wanted);
    let list = "apiVersion: example.com/v1\nkind: PotList\nitems: 1\n";
    assert_eq!(yaml(list), ["1: - items shape at 3"]);
    assert_eq!(yaml("kind: List\napiVersion: v1\n"), ["1: list"]);
    assert_eq!(
        yaml("kind: List\napiVersion: v1\nitems: a\n"),
        ["1: - items shape at 3"]
    );
}

#[test]
fn items_of_a_typed_list_have_its_kind() {
    let text = "apiVersion: example.com/v1beta1\nkind: PotList\nitems:\n- sizeBytes: 1\n";
    let scheme = scheme();
    let parts: Vec<_> = scheme.decode_each(text, Syntax::JsonOrYaml).collect();
    assert_eq!(parts[1].kind.as_deref(), Some("Pot"));
    assert_eq!(parts[1].api_version.as_deref(), Some("example.com/v1beta1"));
    assert_eq!(
        parts[1].location.to_string(),
        "document 1, example.com/v1beta1 Pot, items[0] (line 4, column 3)"
    );
}

#[test]
fn json_goes_on_after_damage() {
    let good = "{\"apiVersion\": \"example.com/v1\",\n\"kind\": \"Pot\"}\n";
    let text = format!("{good}{{\"a\" 1}}\n{good}{{\"b\": [\n{good}{{\"c\": \"\n\"}}\n\n{good}x");
    let wanted = [
        "1: - is read",
        "3: -  syntax at 3",
        "4: - is read",
        "7: -  syntax at 8",
    ];
    let found = describe(&text, Syntax::Json);
    assert_eq!(found[..3], wanted[..3], "{found:?}");
    // Wherever decoding resumes, it finds the intact documents.
    assert!(found.contains(&"12: - is read".to_owned()), "{found:?}");
    assert!(found.last().unwrap().ends_with("syntax at 14"), "{found:?}");
}

#[test]
fn each_document_has_its_own_language() {
    let text = "{\"kind\": \"A\", \"apiVersion\": \"a/v1\"}\n{\"kind\": \"B\", \"apiVersion\": \"a/v1\"}\n---\n{kind: C, apiVersion: a/v1}\n---\n\nkind: D\napiVersion: a/v1\n";
    let wanted = [
        "1: - is read",
        "2: - is read",
        "4: - is read",
        "7: - is read",
    ];
    assert_eq!(yaml(text), wanted);
    let found = describe(text, Syntax::Json);
    assert_eq!(found[..2], wanted[..2]);
    assert!(
        found[2..].iter().all(|part| part.contains("syntax")),
        "{found:?}"
    );
    assert_eq!(describe("kind: A\n", Syntax::Json), ["1: -  syntax at 1"]);
}

fn path(text: &str) -> FieldPath {
    let field = |name: &str| match name.parse() {
        Ok(index) => Segment::Index(index),
        Err(_) => Segment::Field(name.to_owned().into()),
    };
    text.split('/')
        .filter(|name| !name.is_empty())
        .map(field)
        .collect()
}

/// The line and column of fields of the first part.
fn positions(text: &str, paths: &[&str]) -> Vec<(usize, usize)> {
    let scheme = scheme();
    let part = scheme.decode_each(text, Syntax::JsonOrYaml).next().unwrap();
    let mut positions = part.positions();
    paths
        .iter()
        .map(|text| positions.find(&path(text)).unwrap())
        .collect()
}

#[test]
fn an_object_is_read_as_a_type_that_is_not_registered() {
    use k8s_openapi::api::core::v1::ConfigMap;

    let text = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  data: {a: x, a: z}\n  \
                dat: 1\n- apiVersion: v1\n  kind: ConfigMap\n  data: [a]\n---\n\
                {\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\",\n\"datum\": 1}\n";
    let scheme = kubernetes_manifests::scheme::Scheme::new();
    let parts: Vec<_> = scheme.decode_each(text, Syntax::JsonOrYaml).collect();
    let read = parts[1].read::<ConfigMap>().unwrap();
    assert_eq!(read.object.data.unwrap()["a"], "z");
    let errors: Vec<_> = read
        .errors
        .iter()
        .map(|error| format!("{error} at {}", error.location.line.unwrap()))
        .collect();
    assert_eq!(
        errors,
        [
            "duplicate field \"data.a\" at 6",
            "unknown field \"dat\" at 7"
        ]
    );
    let error = parts[2].read::<ConfigMap>().unwrap_err();
    let location = error.location();
    assert_eq!((location.line, location.document), (Some(10), Some(1)));
    assert_eq!(location.path.to_string(), "items[1].data");
    let json = parts[3].read::<ConfigMap>().unwrap();
    assert_eq!(json.errors[0].location.line, Some(13));
    // A part that can't be read isn't the type's zero value.
    let damaged = scheme
        .decode_each("kind: [", Syntax::JsonOrYaml)
        .next()
        .unwrap();
    assert!(damaged.object.is_err() && damaged.read::<ConfigMap>().is_err());
}

#[test]
fn fields_have_positions() {
    let yaml = format!(
        "# pot\n---\n{HEAD}lids:\n- name: a\n- knob: x\n  name: b\nsize: 1\nsize: 2\n\
         parameters: {{é: b, c: d}}\n"
    );
    let paths = [
        "",
        "lids",
        "lids/1/name",
        "lids/1/none",
        "lids/7",
        "size",
        "none/a",
        "parameters/c",
    ];
    let wanted = [
        (3, 1),
        (5, 1),
        (8, 3),
        (7, 3),
        (5, 1),
        (10, 1),
        (3, 1),
        (11, 20),
    ];
    assert_eq!(positions(&yaml, &paths), wanted);
    let json = "\n{\"apiVersion\": \"example.com/v1\", \"kind\": \"Pot\",\n \"lids\": [{\"name\": \"a\"},\n  {\"knob\": \"x\",\n   \"name\": \"b\"}], \"é\": 1, \"size\": 1}";
    let paths = ["", "lids/0", "lids/1/name", "size"];
    assert_eq!(positions(json, &paths), [(2, 2), (3, 12), (5, 4), (5, 27)]);
}

#[test]
fn what_a_merge_key_brings_stands_where_it_is_brought() {
    let text = format!("{HEAD}x: &x\n  a: 1\n  b: 2\nparameters:\n  <<: *x\n  b: '3'\n");
    assert_eq!(
        positions(&text, &["parameters/a", "parameters/b"]),
        [(7, 7), (8, 3)]
    );
}

#[test]
fn aliases_share_one_limit() {
    let line = |name: char, of: &str| format!("{name}: &{name} [{}]\n", [of; 10].join(","));
    let bomb =
        line('a', "x") + &line('b', "*a") + &line('c', "*b") + &line('d', "*c") + &line('e', "*d");
    let text = format!("{bomb}---\n").repeat(3) + HEAD + "---\na: &a 1\nb: *a\n";
    let found = yaml(&text);
    assert_eq!(found[3], "19: - is read", "{found:?}");
    assert!(
        found[..3].iter().all(|part| part.contains("syntax")),
        "{found:?}"
    );
    assert!(found[4].contains("apiVersion is missing"), "{found:?}");
}

proptest! {
    /// A stream without errors gives the same objects as reading it as a whole.
    #[test]
    fn good_streams_are_read_as_before(pots in prop::collection::vec(pots(), 0..4), json: bool) {
        let scheme = scheme();
        let objects: Vec<AnyObject> = pots.iter().cloned().map(AnyObject::new).collect();
        let text = if json { to_json_all(&objects) } else { to_yaml_all(&objects) };
        let text = text.unwrap();
        let parts = scheme.decode_each(&text, Syntax::JsonOrYaml);
        let read: Vec<AnyObject> = parts.map(|part| part.object.unwrap().unwrap()).collect();
        prop_assert_eq!(&read, &objects);
    }

    /// Errors are those that strict reading tells of a document.
    #[test]
    fn errors_are_those_of_strict_reading(names in prop::collection::vec("[a-c]|size|note", 0..5)) {
        let fields: String = names.iter().map(|name| format!("{name}: null\n")).collect();
        let text = format!("{HEAD}{fields}");
        let scheme = scheme();
        let mut parts = scheme.decode_each(&text, Syntax::JsonOrYaml);
        let strict = scheme.decode_yaml_all_strict(&text).unwrap();
        prop_assert_eq!(parts.next().unwrap().field_errors, strict.errors);
    }
}

#[test]
fn a_part_holds_the_object() {
    let text = to_yaml_all(&[AnyObject::new(pot("a"))]).unwrap();
    let scheme = scheme();
    let part = scheme
        .decode_each(&text, Syntax::JsonOrYaml)
        .next()
        .unwrap();
    let object = part.object.unwrap().unwrap();
    assert_eq!(object.downcast_ref::<PotV1>(), Some(&pot("a")));
}
