//! Strict decoding, rule by rule. The tests of `conformance` compare it with a server.

use crate::common::{PotV1, scheme};
use k8s_openapi::api::core::v1::PersistentVolumeSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kubernetes_manifests::scheme::{Decoded, Reason, Scheme};
use kubernetes_manifests::strict::{self, FieldError, FieldErrorKind};
use proptest::prelude::*;

fn messages(errors: &[FieldError]) -> Vec<String> {
    errors.iter().map(ToString::to_string).collect()
}

/// The errors of a pot in JSON, in which these fields follow its type.
fn pot(fields: &str) -> Vec<String> {
    let text = format!(r#"{{"apiVersion":"example.com/v1","kind":"Pot",{fields}}}"#);
    messages(&strict::from_json::<PotV1>(text).unwrap().errors)
}

fn meta(text: &str) -> Vec<String> {
    messages(&strict::from_json::<ObjectMeta>(text).unwrap().errors)
}

#[test]
fn a_good_object_has_none() {
    assert_eq!(pot(r#""metadata":{"name":"a"},"size":1"#), [""; 0]);
}

#[test]
fn names_count_as_they_are_written() {
    assert_eq!(
        pot(r#""Size":1,"size ":2"#),
        [r#"unknown field "Size""#, r#"unknown field "size ""#]
    );
    assert_eq!(
        pot(r#""\u0073ize":1,"size":2"#),
        [r#"duplicate field "size""#]
    );
}

#[test]
fn an_unknown_field_is_told_once_and_not_looked_into() {
    assert_eq!(
        pot(r#""a":{"b":1,"b":{"c":1}},"a":null,"b":[{"d":1,"d":2}]"#),
        [r#"unknown field "a""#, r#"unknown field "b""#]
    );
}

#[test]
fn a_duplicate_is_told_once_and_all_are_looked_into() {
    let text = r#"{"name":null,"name":null,"name":"b",
        "labels":{"a":"1","a":"2","a":"3"},"labels":{"a":"1","b":"2","b":"3"}}"#;
    assert_eq!(
        meta(text),
        [
            r#"duplicate field "name""#,
            r#"duplicate field "labels.a""#,
            r#"duplicate field "labels""#,
            r#"duplicate field "labels.b""#,
        ]
    );
    let text = r#"{"ownerReferences":[{"a":1},{"a":1}],"ownerReferences":[{"a":1,"b":2}]}"#;
    assert_eq!(
        meta(text),
        [
            r#"unknown field "ownerReferences[0].a""#,
            r#"unknown field "ownerReferences[1].a""#,
            r#"duplicate field "ownerReferences""#,
            r#"unknown field "ownerReferences[0].b""#,
        ]
    );
}

#[test]
fn raw_json_does_not_count() {
    let text = r#"{"managedFields":[{"fieldsV1":{"f:a":{},"f:a":{}},"x":1,"manager":"a"}]}"#;
    assert_eq!(meta(text), [r#"unknown field "managedFields[0].x""#]);
}

#[test]
fn type_and_version_are_known_outermost_only() {
    assert_eq!(
        pot(r#""kind":"Pot","metadata":{"kind":"Pot","apiVersion":"v1"}"#),
        [
            r#"duplicate field "kind""#,
            r#"unknown field "metadata.kind""#,
            r#"unknown field "metadata.apiVersion""#,
        ]
    );
}

#[test]
fn types_of_k8s_openapi_are_covered() {
    let text = r#"{"capacity":{"storage":"1Gi","storage":1},"csi":{"driver":"a",
        "volumeHandle":"b","foo":1,"driver":"c"},"hostpath":{},"hostPath":{"path":"","a":null},
        "nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchFields":[{"a":[]}]}]}}}"#;
    let errors = strict::from_json::<PersistentVolumeSpec>(text)
        .unwrap()
        .errors;
    assert_eq!(
        messages(&errors),
        [
            r#"duplicate field "capacity.storage""#,
            r#"unknown field "csi.foo""#,
            r#"duplicate field "csi.driver""#,
            r#"unknown field "hostpath""#,
            r#"unknown field "hostPath.a""#,
            r#"unknown field "nodeAffinity.required.nodeSelectorTerms[0].matchFields[0].a""#,
        ]
    );
}

#[test]
fn names_are_quoted_as_go_quotes() {
    let name = "q\"\\\u{7}\u{8}\u{c}\n\r\t\u{b}\u{1}'\u{e9}\u{a0}\u{200b}\u{301}\u{1f600}\u{f0000}";
    let text = serde_json::json!({ name: 1, "a.b/c": 2, "": 3 }).to_string();
    assert_eq!(
        meta(&text),
        [
            r#"unknown field """#,
            r#"unknown field "a.b/c""#,
            concat!(
                r#"unknown field "q\"\\\a\b\f\n\r\t\v\x01'"#,
                "\u{e9}",
                r"\u00a0\u200b",
                "\u{301}\u{1f600}",
                r#"\U000f0000""#
            ),
        ]
    );
}

#[test]
fn errors_tell_where_they_are() {
    let text = "{\"labels\": {\"a.b\": \"1\",\n\t\"é\": \"\", \"a.b\": \"2\"}, \"é\": 1, \
                \"\\u0061\": 1}";
    let errors = strict::from_json::<ObjectMeta>(text).unwrap().errors;
    let places: Vec<_> = errors
        .iter()
        .map(|error| error.location.to_string())
        .collect();
    assert_eq!(
        places,
        [
            "labels[a.b] (line 2, column 11)",
            "[é] (line 2, column 24)",
            "a"
        ]
    );
    assert_eq!(errors[0].path, "labels.a.b");
    assert_eq!(errors[0].kind, FieldErrorKind::Duplicate);
}

#[test]
fn the_object_is_that_of_plain_reading() {
    let text = r#"{"name":"a","labels":{"x":"1"},"foo":1e999,"name":"b","labels":{"y":"2"}}"#;
    let read = strict::from_json::<ObjectMeta>(text).unwrap();
    assert_eq!(read.object, serde_json::from_str(text).unwrap());
    assert_eq!(read.object.name.as_deref(), Some("b"));
}

/// As by a server, which reads documents of 10,000 levels.
#[test]
fn an_unknown_field_of_any_depth_is_reported() {
    for (count, is_read) in [(126, true), (127, true), (9_998, true), (9_999, false)] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let deep = format!("{}[1.5]{}", open.repeat(count), close.repeat(count));
            let text = format!(r#"{{"foo": {deep}, "generation": 5, "generation": 6}}"#);
            let read = strict::from_json::<ObjectMeta>(&text);
            assert_eq!(read.is_ok(), is_read, "{count} {open}");
            if let Ok(read) = read {
                let found = messages(&read.errors);
                assert_eq!(
                    found,
                    [r#"unknown field "foo""#, r#"duplicate field "generation""#]
                );
                assert_eq!(read.object.generation, Some(6));
            }
            let known = format!(r#"{{"labels": {{"a": {deep}}}}}"#);
            strict::from_json::<ObjectMeta>(&known).unwrap_err();
        }
    }
}

#[test]
fn what_is_no_text_is_skipped_with_its_field() {
    let read = strict::from_json::<ObjectMeta>(b"{\"name\":\"a\",\"foo\":\"\xff\"}").unwrap();
    assert_eq!(messages(&read.errors), [r#"unknown field "foo""#]);
}

#[test]
fn wrong_shapes_come_before_errors() {
    let error = strict::from_json::<ObjectMeta>(r#"{"foo":1,"labels":{"a":1}}"#).unwrap_err();
    assert!(matches!(error.reason(), Reason::Shape { .. }));
    assert_eq!(error.location().path.to_string(), "labels.a");
    let error = strict::from_json::<ObjectMeta>(r#"{"foo":1,"foo"}"#).unwrap_err();
    assert!(matches!(error.reason(), Reason::Syntax { .. }));
}

#[test]
fn another_version_has_its_own_fields() {
    let text = r#"{"apiVersion":"example.com/v1beta1","kind":"Pot","litres":1,
        "metadata":{"name":"a","x":1}}"#;
    let read = scheme().decode_json_strict::<PotV1>(text).unwrap();
    let Decoded { object, .. } = read.object;
    assert_eq!(object.metadata.name.as_deref(), Some("a"));
    let places: Vec<_> = read
        .errors
        .iter()
        .map(|error| error.location.to_string())
        .collect();
    assert_eq!(
        places,
        [
            "example.com/v1beta1 Pot a, litres (line 1, column 50)",
            "example.com/v1beta1 Pot a, metadata.x (line 2, column 32)",
        ]
    );
    // The wanted kind need not be registered.
    let text = r#"{"apiVersion":"example.com/v1","kind":"Pot","x":1}"#;
    let read = Scheme::new().decode_json_strict::<PotV1>(text).unwrap();
    assert_eq!(messages(&read.errors), [r#"unknown field "x""#]);
}

const STREAM: &str = r#"{"apiVersion":"example.com/v1","kind":"Pot","metadata":{"name":"a"},"x":1}
null
{"apiVersion":"v1","kind":"List","items":[
  {"apiVersion":"example.com/v1","kind":"Pot","metadata":{"name":"b","x":1}},
  {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"c"},"spec":{"x":1,"x":2}}
]}
{"apiVersion":"example.com/v1","kind":"PotList","x":1,"items":[{"x":1,"metadata":{"x":1}}]}"#;

const PLACES: [&str; 6] = [
    "document 1, example.com/v1 Pot a, x (line 1, column 69)",
    "document 2, example.com/v1 Pot b, items[0].metadata.x (line 4, column 70)",
    "document 2, apps/v1 Deployment c, items[1].spec.x (line 5, column 85)",
    "document 3, example.com/v1 PotList, x (line 7, column 49)",
    "document 3, example.com/v1 PotList, items[0].x (line 7, column 65)",
    "document 3, example.com/v1 PotList, items[0].metadata.x (line 7, column 83)",
];

#[test]
fn streams_are_read_whole() {
    let read = scheme().decode_json_all_strict(STREAM).unwrap();
    assert_eq!(read.object.len(), 4);
    let places: Vec<_> = read
        .errors
        .iter()
        .map(|error| error.location.to_string())
        .collect();
    assert_eq!(places, PLACES);
    let paths: Vec<_> = read
        .errors
        .iter()
        .map(|error| error.path.as_str())
        .collect();
    assert_eq!(
        paths,
        [
            "x",
            "metadata.x",
            "spec.x",
            "x",
            "items[0].x",
            "items[0].metadata.x"
        ]
    );
}

#[test]
fn paths_take_no_more_than_their_share() {
    let name = "n".repeat(100_000);
    let inner: String = (0..1000).map(|n| format!("\"{n}\":0,\"{n}\":0,")).collect();
    let text = format!(r#"{{"apiVersion":"v1","kind":"Other","{name}":{{{inner}"z":0}}}}"#);
    let read = Scheme::new().decode_json_all_strict(&text).unwrap();
    let size: usize = read.errors.iter().map(|error| error.path.len()).sum();
    assert!(
        size > text.len() && size <= 16 * text.len() + (1 << 20),
        "{size}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Damaged texts are errors or read as without strictness; nothing panics.
    #[test]
    fn damage_does_no_harm(
        at in 0..STREAM.len(), end in 0..STREAM.len(), by in proptest::option::of(any::<u8>()),
    ) {
        let mut text = STREAM.as_bytes().to_vec();
        let range = at..(at + end % 8).min(text.len());
        text.splice(range, by);
        let scheme = scheme();
        let plain = scheme.decode_json_all(&text);
        match scheme.decode_json_all_strict(&text) {
            Ok(read) => prop_assert_eq!(read.object, plain.unwrap()),
            Err(error) => prop_assert_eq!(Some(error), plain.err()),
        }
    }
}

#[cfg(feature = "yaml")]
mod yaml {
    use super::*;

    fn yaml(text: &str) -> Vec<String> {
        messages(&strict::from_yaml::<ObjectMeta>(text).unwrap().errors)
    }

    fn lines(text: &str) -> Vec<(String, usize, usize)> {
        let errors = strict::from_yaml::<ObjectMeta>(text).unwrap().errors;
        let place = |error: &FieldError| error.location.line.zip(error.location.column).unwrap();
        let errors = errors.into_iter().map(|error| {
            let (line, column) = place(&error);
            (error.path, line, column)
        });
        errors.collect()
    }

    #[test]
    fn duplicates_come_first_wherever_they_are() {
        let text = "z: 1\nb: {c: 1, c: 2}\nname: a\nb: 1\nname:\n  b\nname: ~\n";
        assert_eq!(
            yaml(text),
            [
                r#"duplicate field "b.c""#,
                r#"duplicate field "b""#,
                r#"duplicate field "name""#,
                r#"duplicate field "name""#,
                r#"unknown field "b""#,
                r#"unknown field "z""#,
            ]
        );
        let at = |path: &str, line, column| (path.to_owned(), line, column);
        assert_eq!(
            lines(text),
            [
                at("b.c", 2, 11),
                at("b", 4, 1),
                at("name", 5, 1),
                at("name", 7, 1),
                at("b", 4, 1),
                at("z", 1, 1),
            ]
        );
    }

    #[test]
    fn only_the_last_of_equal_fields_has_unknown_ones() {
        let text = "ownerReferences: [{a: 1}]\nownerReferences: [{b: 1}]\n";
        assert_eq!(
            yaml(text),
            [
                r#"duplicate field "ownerReferences""#,
                r#"unknown field "ownerReferences[0].b""#
            ]
        );
    }

    #[test]
    fn merge_keys_bring_duplicates() {
        let text = "labels: &l {x: '1'}\nannotations:\n  <<: *l\n  x: '2'\n";
        let read = strict::from_yaml::<ObjectMeta>(text).unwrap();
        assert_eq!(
            messages(&read.errors),
            [r#"duplicate field "annotations.x""#]
        );
        let annotations = read.object.annotations.unwrap();
        assert_eq!(annotations["x"], "2");
        let text = "labels: &l {x: '1'}\nannotations:\n  x: '2'\n  <<: *l\n";
        let read = strict::from_yaml::<ObjectMeta>(text).unwrap();
        assert_eq!(
            messages(&read.errors),
            [r#"duplicate field "annotations.x""#]
        );
        assert_eq!(read.object.annotations.unwrap()["x"], "1");
        let text = "labels: &l {x: '1', y: ''}\nannotations: &a {x: '2'}\nz: {<<: [*l, *a]}\n";
        assert_eq!(
            yaml(text),
            [r#"duplicate field "z.x""#, r#"unknown field "z""#]
        );
        let places = |text: &str| {
            let errors = strict::from_yaml::<ObjectMeta>(text).unwrap().errors;
            let of = |error: &FieldError| (error.path.clone(), error.location.line.unwrap());
            errors.iter().map(of).collect::<Vec<_>>()
        };
        // Of several objects the last comes first.
        let text = "labels:\n  <<:\n  - {x: '1'}\n  - {x: '2'}\n";
        assert_eq!(places(text), [("labels.x".to_owned(), 3)]);
        // A merge key replaces earlier values.
        let text = "ownerReferences:\n- a: 1\n<<:\n  <<: {ownerReferences: [{b: 1}]}\nname: c\n";
        let expected = [("ownerReferences", 4), ("ownerReferences[0].b", 4)];
        assert_eq!(
            places(text),
            expected.map(|(path, line)| (path.to_owned(), line))
        );
        assert_eq!(yaml("labels: {<<: {x: ''}, y: ''}"), [""; 0]);
        assert!(strict::from_yaml::<ObjectMeta>("labels: {<<: a}").is_err());
        assert_eq!(yaml("labels: {'<<': a}"), [""; 0]);
    }

    #[test]
    fn an_alias_repeats_duplicates() {
        assert_eq!(
            yaml("a: &a {x: 1, x: 2}\nb: *a\n"),
            [
                r#"duplicate field "a.x""#,
                r#"duplicate field "b.x""#,
                r#"unknown field "a""#,
                r#"unknown field "b""#,
            ]
        );
    }

    #[test]
    fn an_object_without_errors_is_that_of_plain_reading() {
        let text = "labels: &l {a: x, b: w}\nannotations: {<<: [{a: z}, *l], c: d}\n";
        let strict = strict::from_yaml::<ObjectMeta>(text).unwrap();
        let plain = Scheme::new();
        let pot = format!(
            "apiVersion: example.com/v1\nkind: Pot\nmetadata:\n  {}",
            text.trim_end().replace('\n', "\n  ")
        );
        let plain: Decoded<PotV1> = plain.decode_yaml(&pot).unwrap();
        assert_eq!(strict.object, plain.object.metadata);
        let read = Scheme::new().decode_yaml_strict::<PotV1>(&pot).unwrap();
        assert_eq!(read.object, plain);
    }

    #[test]
    fn json_is_yaml() {
        let text = STREAM
            .replace("\nnull\n", "\n---\n---\n")
            .replace("]}\n{", "]}\n---\n{");
        let read = scheme().decode_yaml_all_strict(&text).unwrap();
        let mut places: Vec<_> = read
            .errors
            .iter()
            .map(|error| error.location.to_string())
            .collect();
        // One more line, and the order of names.
        places.swap(3, 5);
        let lines = PLACES.map(|place| {
            let place = place
                .replace("(line 7", "(line 9")
                .replace("(line 5", "(line 6");
            place.replace("(line 4", "(line 5")
        });
        assert_eq!(places, lines);
    }

    #[test]
    fn one_document_is_one() {
        for (text, documents) in [("", 0), ("a: 1\n---\nb: 1\n", 2)] {
            let error = strict::from_yaml::<ObjectMeta>(text).unwrap_err();
            assert_eq!(error.reason(), &Reason::Documents { found: documents });
        }
    }

    #[test]
    fn errors_of_shape_tell_where_they_are() {
        let error = strict::from_yaml::<ObjectMeta>("a: 1\na: 2\nlabels:\n  b: 1\n").unwrap_err();
        assert_eq!(error.location().to_string(), "labels.b (line 4, column 6)");
    }

    #[test]
    fn bombs_go_off_early() {
        let mut text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
        for level in 1..10 {
            let alias = format!("*a{},", level - 1).repeat(10);
            text += &format!("a{level}: &a{level} [{alias}]\n");
        }
        assert!(strict::from_yaml::<ObjectMeta>(&text).is_err());
        let deep = "[".repeat(1000);
        assert!(strict::from_yaml::<ObjectMeta>(&deep).is_err());
    }

    #[test]
    fn keys_of_all_sorts_are_compared() {
        assert_eq!(
            yaml("labels: {a: '', a: '', 1: '', b: '', b: '', 0x1: ''}"),
            [
                r#"duplicate field "labels.a""#,
                r#"duplicate field "labels.b""#,
                r#"duplicate field "labels.1""#,
            ]
        );
    }
}
