//! The scheme and YAML: read as Kubernetes reads it, and written so that it is read back.

use crate::common::{PotInfo, PotV1, PotV1List, PotV1beta1};
use crate::common::{pot, pots, scheme, text};
use kubernetes_manifests::scheme::{AnyObject, Decoded, Reason, SchemeError, to_yaml, to_yaml_all};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

pub(crate) const HEAD: &str = "apiVersion: example.com/v1\nkind: Pot\n";

fn one(text: &str) -> PotV1 {
    scheme().decode_yaml::<PotV1>(text).unwrap().object
}

fn fails(text: &str) -> SchemeError {
    scheme().decode_yaml::<PotV1>(text).unwrap_err()
}

/// The field `x` of an object without a type.
pub(crate) fn field(yaml: &str) -> Value {
    let text = format!("apiVersion: a/v1\nkind: B\nx: {yaml}\n");
    scheme().decode_yaml_all(&text).unwrap()[0]
        .as_value()
        .unwrap()["x"]
        .clone()
}

#[test]
fn decodes_and_converts() {
    let text =
        "kind: Pot\nsizeBytes: 5 # five\nlids: [{name: a}]\napiVersion: example.com/v1beta1\n";
    let decoded: Decoded<PotV1> = scheme().decode_yaml(text).unwrap();
    assert_eq!(decoded.read.to_string(), "example.com/v1beta1 Pot");
    assert_eq!(decoded.object.size, Some(5));
    assert_eq!(decoded.object.lids[0].name, "a");
}

#[test]
fn streams_skip_what_is_empty() {
    let text = format!(
        "---\n# nothing\n---\n{HEAD}metadata: {{name: a}}\n---\n---\napiVersion: v1\nkind: List\n\
         items:\n- apiVersion: v1\n  kind: Odd\n  data: {{a: b}}\n- apiVersion: example.com/v1\n  \
         kind: PotList\n  items: [{{size: 3}}]\n---\n"
    );
    let objects = scheme().decode_yaml_all(&text).unwrap();
    let places: Vec<_> = objects
        .iter()
        .map(|object| format!("{object} at {}", object.location()))
        .collect();
    assert_eq!(
        places,
        [
            "example.com/v1 Pot a at document 1",
            "v1 Odd at document 2, items[0]",
            "example.com/v1 Pot at document 2, items[1].items[0]",
        ]
    );
    assert_eq!(objects[2].downcast_ref::<PotV1>().unwrap().size, Some(3));
    for nothing in ["", "\n", "---\n", "# a\n---\n...\n"] {
        assert!(
            scheme().decode_yaml_all(nothing).unwrap().is_empty(),
            "{nothing:?}"
        );
    }
}

#[test]
fn one_document_is_one() {
    let reason = |text: &str| fails(text).reason().clone();
    assert_eq!(reason("# nothing"), Reason::Documents { found: 0 });
    assert_eq!(
        reason(&format!("{HEAD}---\n{HEAD}")),
        Reason::Documents { found: 2 }
    );
}

#[test]
fn scalars_are_those_of_kubernetes() {
    assert_eq!(field("yes"), json!(true));
    assert_eq!(field("0644"), json!(0o644));
    assert_eq!(field("0x1f"), json!(31));
    assert_eq!(field("1.5"), json!(1.5));
    assert_eq!(field("~"), Value::Null);
    assert_eq!(field("2001-12-14"), json!("2001-12-14"));
    assert_eq!(field("'5'"), json!("5"));
    assert_eq!(field("!!str 5"), json!("5"));
    assert_eq!(field("{1: a}"), json!({"1": "a"}));
    let error = fails(&format!("{HEAD}parameters:\n  a: 5\n"));
    assert_eq!(error.location().path.to_string(), "parameters.a");
    assert!(matches!(error.reason(), Reason::Shape { .. }), "{error}");
    assert!(matches!(
        fails(&format!("{HEAD}size: .inf\n")).reason(),
        Reason::Syntax { .. }
    ));
}

/// Compares scalars with how a server of Kubernetes 1.36 and kubectl read them;
/// `tests/e2e/tests/yaml` asks their reader.
#[test]
fn all_scalars_are_those_of_kubernetes() {
    let numbers = [
        ("-0", json!(0)),
        ("+5", json!(5)),
        ("1__0", json!(10)),
        ("0o17", json!(15)),
        ("-0x10", json!(-16)),
        ("0b-1", json!(-1)),
        ("08", json!(8)),
        ("5.0", json!(5)),
        ("1E+3", json!(1000)),
        (".5_0", json!(0.5)),
        ("18446744073709551615", json!(u64::MAX)),
        ("18446744073709551616", json!(18_446_744_073_709_551_616.0)),
        ("+9223372036854775808", json!(9_223_372_036_854_776_000_u64)),
        ("!!float 7", json!(7)),
        ("!!int '7'", json!(7)),
        ("!!bool 'yes'", json!(true)),
        ("!!null ''", Value::Null),
    ];
    for (text, number) in numbers {
        assert_eq!(field(text), number, "{text}");
    }
    let texts = [
        "tRue",
        "nULL",
        "1e400",
        "0x",
        "08_",
        "_1",
        "1:30",
        "0.1.2",
        "+.inf_",
        "2001-12-14",
        "!local x",
        "! 5",
        "!!str 5",
        "0b12",
        "--1",
        "+",
        ".",
        ".5_",
    ];
    for text in texts {
        let plain = text.split_once(' ').map_or(text, |(_, plain)| plain);
        // An underscore at the end isn't part of a number.
        let wanted = if text == "08_" {
            json!(8)
        } else {
            json!(plain)
        };
        assert_eq!(field(text), wanted, "{text}");
    }
    let keys = [
        ("yes", "true"),
        ("1.5", "1.5"),
        ("1e6", "1e+06"),
        ("0x10", "16"),
        ("123456.7", "123456.7"),
        ("0.00001", "1e-05"),
        ("16777217.0", "1.6777216e+07"),
        (".inf", ".inf"),
        ("'yes'", "yes"),
    ];
    for (key, name) in keys {
        assert_eq!(field(&format!("{{{key}: a}}")), json!({name: "a"}), "{key}");
    }
}

#[test]
fn what_kubernetes_refuses_is_an_error() {
    let values = [
        "!!int 1.5",
        "!!bool 1",
        "!!null a",
        "!!binary YQ==",
        "!!timestamp 5",
        "!!timestamp ''",
        "!!timestamp 2001-02-29",
        "!!timestamp 2001-01-01 10:00",
        "!!timestamp 2001-01-01T10:00:00",
        "!!timestamp 2001-01-01 10:00:00Z",
        "\"\\/\"",
        "{~: a}",
        "{[a]: b}",
        "{18446744073709551615: a}",
        "[!a, b]",
        "&a.b c",
        "*none",
        "&a [*a]",
        "{<<: 5}",
        "{<<: [5]}",
        "a\u{2028}b",
        "a\u{85}b",
        "a\u{7f}b",
        "a\u{feff}b",
    ];
    for value in values {
        let text = format!("{HEAD}note: {value}\n");
        let error = fails(&text);
        assert!(
            matches!(error.reason(), Reason::Syntax { .. }),
            "{value}: {error}"
        );
        assert_eq!(error.location().line, Some(3), "{value}: {error}");
    }
    for text in ["%YAML 1.2\n---\n", "...\n", "--- |\na\n...\n"] {
        let text = format!("{text}{HEAD}");
        let error = scheme().decode_yaml_all(&text).err();
        assert!(error.is_some() || text.starts_with("..."), "{text}");
    }
    let after = fails(&format!("{HEAD}...\nsize: 1\n"));
    assert!(after.to_string().contains("`---`"), "{after}");
}

/// A file ends its last line, a body has it as it is.
#[test]
fn the_last_line_may_have_no_end() {
    let text = format!("{HEAD}note: |\n  a");
    assert_eq!(one(&text).note.as_deref(), Some("a"));
    let objects = scheme().decode_yaml_all(&text).unwrap();
    assert_eq!(
        objects[0].downcast_ref::<PotV1>().unwrap().note.as_deref(),
        Some("a\n")
    );
    assert_eq!(one(&format!("{text}\n\n")).note.as_deref(), Some("a\n"));
}

/// The order decides, as in Kubernetes, not who has brought the field.
#[test]
fn merge_keys_override_what_stands_before() {
    let text = |fields: &str| format!("{HEAD}x: &x {{a: '1'}}\nparameters: {{{fields}}}\n");
    assert_eq!(one(&text("a: '2', <<: *x")).parameters["a"], "1");
    assert_eq!(one(&text("<<: *x, a: '2'")).parameters["a"], "2");
    assert_eq!(one(&text("<<: [{a: '3'}, *x]")).parameters["a"], "3");
}

#[test]
fn keys_that_stand_twice_are_an_error() {
    for twice in [
        "size: 1\nsize: 2\n",
        "parameters: {a: b, a: c}\n",
        "x: {1: a, '1': b}\n",
    ] {
        let error = fails(&format!("{HEAD}{twice}"));
        assert!(
            matches!(error.reason(), Reason::Syntax { .. }),
            "{twice}: {error}"
        );
        assert!(error.location().line.is_some(), "{twice}: {error}");
    }
}

#[test]
fn merge_keys_and_aliases_work() {
    let text = format!(
        "{HEAD}x: &x {{name: a, knob: b}}\nlids:\n- *x\n- <<: *x\n  name: c\nnote: &n hm\nparameters: {{m: *n}}\n"
    );
    let pot = one(&text);
    assert_eq!(pot.lids[0].knob.as_deref(), Some("b"));
    assert_eq!(pot.lids[1].name, "c");
    assert_eq!(pot.lids[1].knob.as_deref(), Some("b"));
    assert_eq!(pot.parameters["m"], "hm");
}

#[test]
fn alias_bombs_go_off_early() {
    let mut laughs = format!("{HEAD}a0: &a0 [lol, lol]\n");
    for level in 1..30 {
        let inside = format!("*a{}", level - 1);
        laughs += &format!("a{level}: &a{level} [{}]\n", [&*inside; 9].join(", "));
    }
    // Few aliases of a long text, and a stream of small bombs.
    let long = "x".repeat(1 << 18);
    let mut longs = format!("{HEAD}a: &a {long}\nb: &b [{}]\n", ["*a"; 9].join(", "));
    longs += &format!(
        "c: &c [{}]\nd: [{}]\n",
        ["*b"; 9].join(", "),
        ["*c"; 9].join(", ")
    );
    let small = format!(
        "{HEAD}a: &a [{}]\nb: &b [{}]\nc: &c [{}]\n---\n",
        ["1"; 30].join(", "),
        ["*a"; 30].join(", "),
        ["*b"; 30].join(", "),
    );
    for bomb in [laughs, longs, small.repeat(200)] {
        let error = scheme().decode_yaml_all(&bomb).unwrap_err();
        assert!(matches!(error.reason(), Reason::Syntax { .. }), "{error}");
        assert!(error.to_string().len() < 500, "{error}");
    }
    assert!(scheme().decode_yaml_all(&small).is_ok());
}

#[test]
fn a_large_stream_is_fine() {
    let pots = (0..2_000).map(|number| AnyObject::new(pot(&format!("pot-{number}"))));
    let objects: Vec<_> = pots.collect();
    let stream = to_yaml_all(&objects).unwrap();
    assert_eq!(scheme().decode_yaml_all(&stream).unwrap(), objects);
    let items = objects
        .into_iter()
        .filter_map(AnyObject::downcast)
        .collect();
    let list = PotV1List {
        items,
        ..PotV1List::default()
    };
    let decoded: Decoded<PotV1List> = scheme().decode_yaml(&to_yaml(&list).unwrap()).unwrap();
    assert_eq!(decoded.object, list);
    // More values than the reader accepts by default.
    let dense = format!("[{}1]", "1,".repeat(300_000));
    assert_eq!(field(&dense).as_array().unwrap().len(), 300_001);
}

#[test]
fn errors_tell_where_they_are() {
    let text = format!("{HEAD}---\n{HEAD}metadata:\n  name: a\nlids:\n- name: b\n- name: 5\n");
    let error = scheme().decode_yaml_all(&text).unwrap_err();
    assert_eq!(
        error.to_string(),
        "document 2, example.com/v1 Pot a, lids[1].name (line 10, column 9): invalid type: \
         integer `5`, expected a string"
    );
    let error = fails(&format!("{HEAD}parameters:\n  b: c\n  a.b/c: [{{x: 1}}]\n"));
    assert_eq!(error.location().path.to_string(), "parameters[a.b/c]");
    assert_eq!(
        (error.location().line, error.location().column),
        (Some(5), Some(10))
    );
    let deep = format!("{}1{}", "{a: ".repeat(60), "}".repeat(60));
    let error = fails(&format!("{HEAD}x: {deep}\nsize: []\n"));
    assert_eq!(
        (error.location().line, error.location().column),
        (Some(4), Some(7))
    );
    let list = "apiVersion: v1\nkind: List\nitems:\n- kind: Pot\n";
    let error = scheme().decode_yaml_all(list).unwrap_err();
    assert!(matches!(error.reason(), Reason::Unnamed { .. }), "{error}");
    assert_eq!(
        error.location().to_string(),
        "document 1, items[0] (line 4, column 3)"
    );
    let error = fails(&format!("{HEAD}lids: [a\n"));
    assert!(matches!(error.reason(), Reason::Syntax { .. }), "{error}");
    assert!(error.location().line.is_some(), "{error}");
}

#[test]
fn writes_one_order() {
    let text =
        "zeta: 1\nkind: B\nmetadata:\n  name: x\nalpha: {c: 1, b: 'yes'}\napiVersion: a/v1\n";
    let object = scheme().decode_yaml_all(text).unwrap().remove(0);
    let expected = "apiVersion: a/v1\nkind: B\nmetadata:\n  name: x\nalpha:\n  b: \"yes\"\n  \
                    c: 1\nzeta: 1\n";
    assert_eq!(object.to_yaml().unwrap().replace('\'', "\""), expected);
    assert_eq!(
        to_yaml(&pot("a"))
            .unwrap()
            .lines()
            .take(3)
            .collect::<Vec<_>>(),
        ["apiVersion: example.com/v1", "kind: Pot", "metadata:"]
    );
}

/// Kubernetes' reader takes a tab at the beginning of a block for indentation.
#[test]
fn tabs_begin_no_block() {
    let object = json!({"apiVersion": "a/v1", "kind": "B", "x": "\ta\n b\n", "y": "a\nb\n"});
    let text = AnyObject::dynamic(object).unwrap().to_yaml().unwrap();
    assert!(text.contains(r#"x: "\ta\n b\n""#), "{text}");
}

/// Texts that Kubernetes' reader refuses although YAML 1.2, or JSON, has them, and neighbours that
/// it takes.
#[test]
fn texts_of_other_versions() {
    let head = "apiVersion: a/v1\nkind: B\n";
    for (rest, wrong) in [
        ("\t\nx: y\n", Some((3, 1, "tab"))),
        ("x: [y]\n \t# z\n", Some((4, 2, "tab"))),
        ("x:\n-\ty\n", Some((4, 2, "tab"))),
        ("x:\n  \ty: z\n", Some((4, 3, "tab"))),
        ("x: \"\\ud83d\\ude00\"\n", Some((3, 4, "escapes"))),
        ("x:\ty\t# z\n", None),
        ("x: y\n  \tz\n", None),
        ("x: |\n  y\n  \tz\n", None),
        ("x: [y,\n\tz]\n", None),
        ("x: \"\\U0001F600\"\n", None),
        ("x: {\"y\":, 'z':}\n", None),
        ("x: {y:}\n", Some((3, 5, "space"))),
    ] {
        let text = format!("{head}{rest}");
        let read = scheme().decode_yaml_all(&text);
        match (wrong, read) {
            (None, read) => drop(read.unwrap()),
            (Some((line, column, part)), read) => {
                let error = read.unwrap_err();
                let place = error.location();
                assert_eq!(
                    (place.line, place.column),
                    (Some(line), Some(column)),
                    "{text}"
                );
                assert!(error.to_string().contains(part), "{error}");
            }
        }
    }
    for text in [
        format!("%FOO\n---\n{head}"),
        format!("%YAML 1.1\n---\n{head}"),
    ] {
        let scheme = scheme();
        let parts = scheme.decode_each(&text, Default::default());
        let errors: Vec<_> = parts.filter_map(|part| part.object.err()).collect();
        assert_eq!(errors.len(), 1, "{text}");
        assert!(
            errors[0].to_string().contains("directives"),
            "{}",
            errors[0]
        );
    }
}

/// Many lines with a tab cost as much as other lines.
#[test]
fn a_text_of_tabs_is_fine() {
    let blank = "  \t\n".repeat(200_000);
    let objects = scheme().decode_yaml_all(&format!("{HEAD}size: 5\n{blank}"));
    assert_eq!(objects.unwrap().len(), 1);
}

fn values() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        // Of `1.0`, Kubernetes makes the integer.
        any::<f64>()
            .prop_filter("a fraction", |x| x.fract() != 0.0)
            .prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    let inside = |value: BoxedStrategy<Value>| {
        let map = proptest::collection::btree_map(text(), value.clone(), 0..4);
        prop_oneof![
            proptest::collection::vec(value, 0..4).prop_map(Value::Array),
            map.prop_map(|map| Value::Object(Map::from_iter(map))),
        ]
    };
    leaf.prop_recursive(4, 32, 4, inside).boxed()
}

proptest! {
    #[test]
    fn what_was_written_is_read(pots in proptest::collection::vec(pots(), 0..3), x in values()) {
        let scheme = scheme();
        for pot in &pots {
            let decoded: Decoded<PotV1> = scheme.decode_yaml(&to_yaml(pot).unwrap()).unwrap();
            prop_assert_eq!(&decoded.object, pot);
            let alpha: Decoded<PotInfo> = scheme.decode_yaml(&to_yaml(pot).unwrap()).unwrap();
            let beta: Decoded<PotV1beta1> =
                scheme.decode_yaml(&to_yaml(&alpha.object).unwrap()).unwrap();
            prop_assert_eq!(PotV1::from(beta.object), pot.clone());
        }
        let odd = AnyObject::dynamic(json!({"apiVersion": "a/v1", "kind": "B", "x": x})).unwrap();
        let objects: Vec<_> = pots.into_iter().map(AnyObject::new).chain([odd]).collect();
        let stream = to_yaml_all(&objects).unwrap();
        let read = scheme.decode_yaml_all(&stream)
            .map_err(|error| TestCaseError::fail(format!("{error}\n{stream}")))?;
        prop_assert_eq!(&read, &objects, "{}", stream);
        prop_assert_eq!(to_yaml_all(&read).unwrap(), stream);
        let lines = kubernetes_manifests::scheme::to_json_all(&objects).unwrap();
        prop_assert_eq!(&scheme.decode_json_all(lines).unwrap(), &objects);
    }
}
