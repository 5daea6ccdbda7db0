//! Conversions that the configuration describes badly.

use crate::common::{Expected, assert_error};
use codegen::{Config, Diagnostics, Source};

/// Two crates, of which the first is converted into `to`, with one rule.
fn parse(to: &str, rule: &str) -> Result<Config, Diagnostics> {
    let text = format!(
        r#"
[[crate]]
name = "old"
description = "The older version"
[[crate.document]]
file = "old.json"
release = "1.37"
prefix = "com.example.v1beta1."
[crate.conversion]
to = "{to}"
[[crate.conversion.rule]]
schema = "com.example.v1beta1.Thing"
{rule}
[[crate]]
name = "new"
description = "The newer version"
[[crate.document]]
file = "new.json"
release = "1.37"
prefix = "com.example.v1."
"#
    );
    Config::parse(&Source::new("codegen.toml", text))
}

fn bad(to: &str, rule: &str, message: &str, line: Option<usize>) {
    let expected = Expected {
        message,
        pointer: None,
        line,
    };
    let result = parse(to, rule).map(|_| Vec::new());
    assert_error(result, "codegen.toml", &expected);
}

/// The rule is wrong in this way only.
fn wrong(rule: &str, what: &str) {
    bad("new", rule, what, None);
}

const FUNCTIONS: &str = "forth = \"crate::rules::forth\"\nback = \"crate::rules::back\"";

#[test]
fn rules_that_are_good() {
    for rule in [
        "to = \"com.example.v1.Other\"",
        "drop = \"it has gone\"",
        "drop = \"it has gone\"\nbefore = \"1.30\"",
        "fields = [\"a\"]\nto = \"b\"",
        "fields = [\"a\", \"b\"]\ndrop = \"they have gone\"",
        &format!("to = \"com.example.v1.Other\"\n{FUNCTIONS}"),
        &format!("to = \"a\"\n{FUNCTIONS}\nback-like = \"crate::a::rules::like\""),
        &format!("fields = [\"a\"]\nto = \"b\"\n{FUNCTIONS}"),
        &format!("fields = [\"a\"]\nto = \"b\"\n{FUNCTIONS}\nback-like = \"crate::rules::like\""),
    ] {
        parse("new", rule).unwrap_or_else(|errors| panic!("{rule}: {errors}"));
    }
}

#[test]
fn crates_that_nothing_can_become() {
    let rule = "drop = \"it has gone\"";
    bad(
        "old",
        rule,
        "the crate `old` is to be converted into itself",
        None,
    );
    bad(
        "newer",
        rule,
        "`old` is to be converted into `newer`, which isn't a crate",
        None,
    );
    bad(
        "",
        rule,
        "`old` is to be converted into ``, which isn't a crate",
        None,
    );
}

#[test]
fn members_that_are_not_known() {
    bad("new", "too = \"a\"", "unknown field `too`", Some(13));
    bad(
        "new",
        "before = \"soon\"",
        "`soon` is not a Kubernetes release",
        Some(13),
    );
    bad("new", "fields = \"a\"", "invalid type", Some(13));
}

#[test]
fn rules_that_say_too_little_or_too_much() {
    wrong("", "for `com.example.v1beta1.Thing` says nothing");
    wrong(
        "fields = [\"a\"]",
        "for `a` of `com.example.v1beta1.Thing` says nothing",
    );
    wrong(FUNCTIONS, "says nothing");
    wrong(
        "to = \"a\"\ndrop = \"it has gone\"",
        "both converts and drops",
    );
    wrong("drop = \"\"", "has no reason");
    wrong("drop = \" \"", "has no reason");
    wrong(
        &format!("drop = \"it has gone\"\n{FUNCTIONS}"),
        "converts what it drops",
    );
    wrong(
        "fields = [\"a\", \"b\"]\nto = \"c\"",
        "makes one field of several",
    );
}

#[test]
fn functions_for_one_direction() {
    for function in ["forth", "back"] {
        let rule = format!("to = \"a\"\n{function} = \"crate::rules::f\"");
        wrong(&rule, "has a function for one direction only");
    }
    let like = "back-like = \"crate::rules::like\"";
    wrong(
        &format!("to = \"a\"\n{like}"),
        "has `back-like` without `back`",
    );
    wrong(
        &format!("fields = [\"a\"]\nto = \"b\"\n{like}"),
        "`back-like` without `back`",
    );
}

#[test]
fn releases_for_what_is_not_dropped() {
    let message = "has `before`, which is for types that are dropped";
    wrong("to = \"a\"\nbefore = \"1.30\"", message);
    wrong(
        "fields = [\"a\"]\ndrop = \"it has gone\"\nbefore = \"1.30\"",
        message,
    );
}

#[test]
fn paths_that_are_no_functions() {
    for path in [
        "",
        "forth",
        "rules::forth",
        "crate::forth",
        "crate::a::b::c::forth",
        "crate::rules::Forth",
        "crate::rules::forth()",
        "crate::rules::",
        "crate::../rules::forth",
        "crate::rules::fn",
        "crate::rules::a b",
        "super::rules::forth",
    ] {
        let rule = FUNCTIONS.replace("crate::rules::forth", path);
        wrong(
            &format!("to = \"a\"\n{rule}"),
            "names a function that is not of the form",
        );
    }
}
