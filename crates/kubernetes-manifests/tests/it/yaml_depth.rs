//! YAML that is deep, and texts with the tag of times.

use crate::common::scheme;
use crate::scheme_yaml::{HEAD, field};
use kubernetes_manifests::scheme::Reason;
use serde_json::json;

#[test]
fn times_with_a_tag_are_texts() {
    for text in [
        "2001-12-14",
        "2004-2-29",
        "2001-12-14t21:59:43.10-05:00",
        "2001-12-14T1:2:3Z",
        "2001-12-14 21:59:43.10",
        "2001-12-14  21:59:43",
    ] {
        assert_eq!(field(&format!("!!timestamp {text}")), json!(text));
        assert_eq!(field(&format!("!!timestamp \"{text}\"")), json!(text));
    }
}

#[test]
fn nesting_is_skipped_where_it_is_deep() {
    let any = |count: usize| {
        let (open, close) = ("[".repeat(count), "]".repeat(count));
        let flow = format!("{HEAD}x: {open}1{close}\n");
        let maps = format!("{HEAD}x: {}1{}\n", "{a: ".repeat(count), "}".repeat(count));
        let block = format!("{HEAD}x:\n  {}1\n", "- ".repeat(count));
        let alias = format!("{HEAD}b: &a [[[1]]]\nx: {open}*a{close}\n");
        [flow, maps, block, alias]
    };
    for text in [126, 127, 9_990].into_iter().flat_map(any) {
        let read = scheme().decode_yaml_all_strict(&text).unwrap();
        let found = read.errors.iter().map(ToString::to_string);
        let found: Vec<_> = found.filter(|error| !error.contains("\"b\"")).collect();
        assert_eq!(found, [r#"unknown field "x""#]);
        let known = text.replace("x:", "size:");
        let error = scheme().decode_yaml_all(&known).unwrap_err();
        assert!(matches!(error.reason(), Reason::Shape { .. }), "{error}");
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let flow = format!("{HEAD}x: {}1{}\n", "[".repeat(10_000), "]".repeat(10_000));
    let maps = format!(
        "{HEAD}x: {}1{}\n",
        "{a: ".repeat(10_000),
        "}".repeat(10_000)
    );
    let block = format!("{HEAD}x:\n  {}1\n", "- ".repeat(10_000));
    for deep in [flow, maps, block] {
        let error = scheme().decode_yaml_all(&deep).unwrap_err();
        assert!(matches!(error.reason(), Reason::Syntax { .. }), "{error}");
    }
    assert!(field(&format!("{}1{}", "[".repeat(60), "]".repeat(60))).is_array());
    assert!(field(&format!("{}1{}", "{a: ".repeat(60), "}".repeat(60))).is_object());
}
