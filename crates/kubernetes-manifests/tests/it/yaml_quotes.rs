//! Quoted scalars that go on in a line without indentation.

use crate::common::{PotV1, scheme};
use crate::scheme_yaml::{HEAD, field};
use kubernetes_kinds::FieldPath;
use kubernetes_manifests::scheme::{Reason, SchemeError, Syntax};
use serde_json::json;

fn one(text: &str) -> PotV1 {
    scheme().decode_yaml::<PotV1>(text).unwrap().object
}

/// The error of a text, with its line and column.
fn fails(text: &str) -> (SchemeError, (usize, usize)) {
    let error = scheme().decode_yaml_all(text).unwrap_err();
    let at = error.location();
    let place = at.line.unwrap_or(0);
    let column = at.column.unwrap_or(0);
    (error, (place, column))
}

#[test]
fn quotes_may_go_on_without_indentation() {
    let text = format!("{HEAD}note: \"a\nb\n\n  c\\\n  d\"\nlids:\n- name: 'e\nf''g\n'\n");
    let pot = one(&text);
    assert_eq!(pot.note.as_deref(), Some("a b\ncd"));
    assert_eq!(pot.lids[0].name, "e f'g ");
    let (error, _) = fails(&format!("{HEAD}note: \"a\nb\nsize: 1\n"));
    assert!(matches!(error.reason(), Reason::Syntax { .. }), "{error}");
}

#[test]
fn quotes_go_on_in_each_place() {
    for (yaml, wanted) in [
        ("'a\nb' # 'c\ny: \"d\ne\"", json!("a b")),
        ("!!str &a # 'b\n 'c\n\nd'\ny: *a", json!("c\nd")),
        (
            "\n  - 'a\n  b'\n  - - \"c\nd\\\n  e\"\n",
            json!(["a b", ["c de"]]),
        ),
        (
            "\n- - a: 'b\nc'\n    d: 'e\n\n f'\n",
            json!([[{"a": "b c", "d": "e\nf"}]]),
        ),
        (
            "[a, 'b\nc', {d: \"e\nf\"}]\ny: 'g\nh'",
            json!(["a", "b c", {"d": "e f"}]),
        ),
        (
            "{a: 'b\n c'}\ny: 'd\ne'\nz: [\"f\ng\"]",
            json!({"a": "b c"}),
        ),
        (
            "\n  a: it's\n  b: |\n    'c\n    d'\n  e: 'f\n  g'\n",
            json!({
                "a": "it's", "b": "'c\nd'\n", "e": "f g",
            }),
        ),
        ("'a\r\nb'\r\ny: \"c\r\n\r\n\r\nd\"", json!("a b")),
        ("'a\rb'\ry: 'c\rd'", json!("a b")),
        (
            "'\u{e4}\u{e4}\n\u{e4}'\ny: '\u{1f600}\nb'",
            json!("\u{e4}\u{e4} \u{e4}"),
        ),
        (
            "\"a\n\\\"b\n'c\n# d\n- e\nf: g\"",
            json!("a \"b 'c # d - e f: g"),
        ),
    ] {
        assert_eq!(field(yaml), wanted, "{yaml}");
    }
}

/// The quotes of comments, plain scalars and block scalars begin none.
#[test]
fn other_quotes_begin_nothing() {
    let text = concat!(
        "# it's \"\n  a: it's\n  b: |\n    'c\n    d'\n",
        "  e:\n    - f: !!str &g # 'h\n        \"i\n    j\\\" k\" # 'l\n",
        "    -\n      'm\n    n'\n    - [o, 'p\nq']\n    - \"r\n        s\"\n",
        "  ? 't\n  u''v'\n  : 'w\n\n   x'\n  z: \"z\n\n  z\"\n",
    );
    let wanted = json!({
        "a": "it's",
        "b": "'c\nd'\n",
        "e": [{"f": "i j\" k"}, "m n", ["o", "p q"], "r s"],
        "t u'v": "w\nx",
        "z": "z\nz",
    });
    assert_eq!(field(text), wanted);
}

/// The whole text isn't read once more for each: that would be gigabytes.
#[test]
fn many_quotes_may_go_on() {
    for quote in ['\'', '"'] {
        let many = (0..20_000).map(|n| format!("  k{n}: {quote}a b c\n  d\n  e{quote}\n"));
        let many: String = many.collect();
        let read = field(&format!("\n{many}"));
        let fields = read.as_object().unwrap();
        assert_eq!(fields.len(), 20_000);
        assert!(fields.values().all(|value| value == "a b c d e"));
    }
}

#[test]
fn errors_behind_quotes_have_their_place() {
    let quotes = "note: 'a\nb'\nx:\n  - \"c\n  d\"\n";
    for (after, place) in [
        ("y: [\n", (8, 4)),
        ("y: - b\n", (8, 4)),
        ("y: 'a\n  b' c\n", (9, 6)),
        ("y: 'a\nb' c\n", (9, 4)),
        ("y: 'a\nb'\ny: 1\n", (10, 1)),
        ("---\ny: 'a\nb'\ny: 1\n", (11, 1)),
    ] {
        let (error, found) = fails(&format!("{HEAD}{quotes}{after}"));
        assert!(matches!(error.reason(), Reason::Syntax { .. }), "{error}");
        assert_eq!(found, place, "{after}: {error}");
    }
    // Both ends of lines of one, and the first line of many.
    for end in ["\r\n", "\r"] {
        let text = format!("{HEAD}{quotes}y: 'a\nb' c\n").replace('\n', end);
        assert_eq!(fails(&text).1, (9, 4));
    }
}

#[test]
fn fields_behind_quotes_have_their_place() {
    let text = format!("{HEAD}note: 'a\nb' # c\nlids:\n- name: \"d\n\n  e\"\n  knob: f\n---\n");
    let text = format!("{text}{text}{HEAD}size: 1\n");
    for (document, first) in [(0, 0), (1, 10)] {
        let part = scheme()
            .decode_each(&text, Syntax::JsonOrYaml)
            .nth(document)
            .unwrap();
        let mut positions = part.positions();
        let item = FieldPath::new("lids").index(0);
        for (path, (line, column)) in [
            (FieldPath::new("kind"), (2, 1)),
            (FieldPath::new("note"), (3, 1)),
            (FieldPath::new("lids"), (5, 1)),
            (item.clone().child("name"), (6, 3)),
            (item.child("knob"), (9, 3)),
        ] {
            let wanted = Some((first + line, column));
            assert_eq!(positions.find(&path), wanted, "{path}");
        }
    }
}
