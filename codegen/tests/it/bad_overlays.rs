//! Overlays and their errors.

use crate::common::{CONFIG, Expected, assert_error, from, thing, with_overlay};
use codegen::{Diagnostics, Generated};

const FILE: &str = "overlays/overlay.yaml";
const THING: &str = "$.components.schemas['com.example.v1.Thing']";

/// An overlay with these actions, the first of which starts on line 4.
fn overlay(actions: &str) -> String {
    format!("overlay: 1.0.0\ninfo: {{title: t, version: v}}\nactions:\n{actions}\n")
}

fn document() -> String {
    thing(
        "\"one\": {\"type\": \"string\", \"description\": \"First.\"},\n\
         \"two\": {\"type\": \"string\", \"default\": \"x\", \"x-kubernetes-unions\": [1, 2, 3]}",
    )
}

fn applied(actions: &str) -> Result<Vec<Generated>, Diagnostics> {
    with_overlay(&document(), &overlay(actions))
}

/// The text of the file of `Thing` after these actions.
fn text(actions: &str) -> String {
    let crates = applied(actions).unwrap_or_else(|errors| panic!("{errors}"));
    let file = crates[0]
        .files
        .iter()
        .find(|file| file.path == "src/thing.rs");
    file.unwrap().text.clone()
}

fn bad(actions: &str, message: &str, line: usize) {
    let expected = Expected {
        message,
        pointer: None,
        line: Some(line),
    };
    assert_error(applied(actions), FILE, &expected);
}

fn bad_text(overlay: &str, message: &str, line: Option<usize>) {
    let expected = Expected {
        message,
        pointer: None,
        line,
    };
    assert_error(with_overlay(&document(), overlay), FILE, &expected);
}

#[test]
fn an_action_that_matches_nothing() {
    let message = "matches nothing in v1.37/document.json (Kubernetes 1.37)";
    bad(
        "- target: $.components.schemas['Missing']\n  remove: true",
        message,
        4,
    );
    let actions = format!(
        "- target: {THING}\n  update: {{description: New.}}\n- description: d\n  \
         target: $.info\n  update: {{}}"
    );
    bad(&actions, message, 7);
}

#[test]
fn text_that_is_no_overlay() {
    let message = "not an OpenAPI overlay";
    bad_text(
        "overlay: 1.0.0\ninfo: {title: t, version: v}\nactions: [",
        message,
        Some(3),
    );
    bad_text("", message, Some(1));
    bad_text("7", message, Some(1));
    bad_text("[]", message, Some(1));
    bad_text("{\"openapi\": \"3.0.0\"}", message, Some(1));
    bad_text("overlay: 1.0.0\nactions: []", message, Some(2));
    bad_text(
        "overlay: 1.0.0\ninfo: {title: t}\nactions: []",
        message,
        Some(2),
    );
}

#[test]
fn members_that_are_not_known() {
    let message = "unknown field";
    bad("- target: $\n  updates: {}", message, 5);
    bad(
        "- target: $\n  update: {}\n  x-releases: {since: \"1.30\"}",
        message,
        6,
    );
    let more = format!("{}more: 1\n", overlay("- target: $\n  update: {}"));
    bad_text(&more, message, Some(6));
}

#[test]
fn keys_that_stand_twice() {
    bad(
        "- target: $\n  remove: true\n  remove: false",
        "duplicate",
        6,
    );
    let actions = format!("- target: {THING}\n  update:\n    description: a\n    description: b");
    bad(&actions, "duplicate", 7);
}

#[test]
fn versions_that_are_not_known() {
    let action = "- target: $.openapi\n  update: {}";
    for version in ["2.0.0", "1.1.0", "\"\""] {
        let text = overlay(action).replace("1.0.0", version);
        let errors = with_overlay(&document(), &text).unwrap_err();
        let told = errors.iter().any(|f| f.message.contains("1.0 is needed"));
        assert!(told, "{version}: {errors}");
    }
}

#[test]
fn targets_that_are_no_paths() {
    for target in [
        "components",
        "$.",
        "$[",
        "'$[?(@.a == )]'",
        "\"\"",
        "$..",
        "//x",
    ] {
        bad(
            &format!("- target: {target}\n  remove: true"),
            "is not a JSONPath",
            4,
        );
    }
}

#[test]
fn actions_that_do_nothing() {
    bad("- target: $.openapi", "does nothing", 4);
    bad("- target: $.openapi\n  remove: false", "does nothing", 4);
    // To update and to remove are two actions.
    bad(
        "- target: $.openapi\n  update: 3.0.1\n  remove: true",
        "`update` and `remove`",
        4,
    );
}

#[test]
fn updates_of_another_type() {
    let message = "and its update are of different types";
    bad(&format!("- target: {THING}\n  update: text"), message, 4);
    bad(
        &format!("- target: {THING}.description\n  update: {{}}"),
        "matches nothing",
        4,
    );
    bad(
        &format!("- target: {THING}.properties.one.type\n  update: {{}}"),
        message,
        4,
    );
}

#[test]
fn all_errors_of_an_overlay_are_told_at_once() {
    let errors = applied(
        "- target: nothing\n  remove: true\n- target: $.openapi\n- target: $.missing\n  remove: true",
    );
    let errors = errors.unwrap_err();
    assert_eq!(errors.len(), 3, "{errors}");
    let lines: Vec<_> = errors.iter().map(|error| error.line).collect();
    assert_eq!(lines, [Some(4), Some(6), Some(7)], "{errors}");
}

#[test]
fn updates_are_merged() {
    let text = text(&format!(
        "- target: {THING}\n  update:\n    description: New.\n    required: [one]\n    \
         properties: {{one: {{description: Better.}}, three: {{type: boolean, description: Third.}}}}"
    ));
    for part in [
        "/// New.",
        "/// Better.\n    pub one: String",
        "pub three: Option<bool>",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    assert!(text.contains("`x`"), "{text}");
}

#[test]
fn what_is_removed_is_gone() {
    let one = text(&format!("- target: {THING}.properties.one\n  remove: true"));
    assert!(!one.contains("pub one") && one.contains("pub two"), "{one}");
    // All the right ones of several places in a list go.
    let list = format!("{THING}.properties.two['x-kubernetes-unions']");
    let gone =
        format!("- target: {list}[0,1]\n  remove: true\n- target: {list}[?@ == 3]\n  remove: true");
    assert!(applied(&gone).is_ok());
    bad(
        &format!("{gone}\n- target: {list}[0]\n  remove: true"),
        "matches nothing",
        8,
    );
    let default = format!("- target: {THING}.properties.*.default\n  remove: true");
    assert!(!text(&default).contains("`x`"));
}

#[test]
fn removing_everything_leaves_no_schemas() {
    let errors = applied("- target: $\n  remove: true")
        .unwrap_err()
        .to_string();
    assert!(errors.contains("the document has no schemas"), "{errors}");
    // Each match lies in another that is removed too.
    assert!(applied("- target: $..*\n  remove: true").is_err());
}

#[test]
fn a_description_beside_a_reference_is_kept() {
    let text = text(&format!(
        "- target: {THING}.properties.one\n  update: {{$ref: '#/components/schemas/com.example.v1.Color'}}\n\
         - target: $.components.schemas\n  update: {{com.example.v1.Color: {{type: string, enum: [a]}}}}"
    ));
    assert!(
        text.contains("/// First.\n    pub one: Option<Color>"),
        "{text}"
    );
}

#[test]
fn actions_for_some_releases() {
    let action = "- target: $.missing\n  remove: true\n  x-releases: ";
    let in_release = |releases: &str, release: &str| {
        let overlay = overlay(&format!("{action}{releases}"));
        from(CONFIG, &document(), &overlay, release)
    };
    for (releases, applies) in [
        ("{}", [true, true, true]),
        ("{from: \"1.30\"}", [false, true, true]),
        ("{before: \"1.30\"}", [true, false, false]),
        ("{from: \"1.9\", before: \"1.31\"}", [true, true, false]),
        ("{from: \"1.31\", before: \"1.31\"}", [false, false, false]),
        ("{from: v1.31}", [false, false, true]),
    ] {
        for (release, applies) in ["1.29", "1.30", "1.31"].iter().zip(applies) {
            let result = in_release(releases, release);
            assert_eq!(result.is_err(), applies, "{releases} in {release}");
        }
    }
    for releases in ["1.30", "{from: soon}", "{from: \"1\"}", "{from: 2.x}", "[]"] {
        let errors = in_release(releases, "1.30").unwrap_err().to_string();
        assert!(errors.contains("overlay.yaml:6"), "{releases}: {errors}");
    }
}

/// An unquoted 1.40 is the number 1.4 in YAML; it must not be taken for another release.
#[test]
fn a_release_that_yaml_takes_for_a_number() {
    let action = "- target: $.missing\n  remove: true\n  x-releases: {from: 1.40}";
    if let Err(errors) = with_overlay(&document(), &overlay(action)) {
        assert!(!errors.to_string().contains("matches nothing"), "{errors}");
    }
}

/// Ten levels of ten aliases each would be ten thousand million texts.
#[test]
fn a_small_overlay_that_grows() {
    let mut text = "overlay: 1.0.0\ninfo: {title: t, version: v}\nx-a0: &a0 lol\n".to_owned();
    for level in 1..11 {
        let uses = vec![format!("*a{}", level - 1); 10].join(", ");
        text += &format!("x-a{level}: &a{level} [{uses}]\n");
    }
    text += "actions:\n- target: $.components\n  update: {x-all: *a10}\n";
    assert!(with_overlay(&document(), &text).is_err());
    let mut action = format!("- target: {THING}\n  update:\n    x-a0: &a0 lol\n");
    for level in 1..11 {
        let uses = vec![format!("*a{}", level - 1); 10].join(", ");
        action += &format!("    x-a{level}: &a{level} [{uses}]\n");
    }
    assert!(applied(&action).is_err());
}

#[test]
fn hostile_overlays_are_no_code() {
    for value in [
        "]",
        "\"#",
        "*/ fn x() {}",
        "\u{202e}",
        "\n#![allow(all)]",
        "a b",
    ] {
        let value = value.escape_unicode().to_string();
        let value = value.replace("\\u{", "\\U").replace('}', "");
        let value: String = value
            .split("\\U")
            .filter(|digits| !digits.is_empty())
            .map(|digits| format!("\\U{digits:0>8}"))
            .collect();
        let action = format!("- target: {THING}\n  update: {{type: string, enum: [\"{value}\"]}}");
        assert!(applied(&action).is_err(), "{value}");
    }
}

/// An overlay that is written for the schemas of another prefix than the document's.
fn prefixed(prefix: &str, actions: &str) -> String {
    overlay(actions).replace("actions:", &format!("x-prefix: {prefix}\nactions:"))
}

const OTHER: &str = "$.components.schemas['com.example.v2.Thing']";

/// The text of `Thing` after the actions of an overlay for `com.example.v2.`.
fn translated(actions: &str) -> String {
    let crates = with_overlay(&document(), &prefixed("com.example.v2.", actions));
    let crates = crates.unwrap_or_else(|errors| panic!("{errors}"));
    let file = crates[0]
        .files
        .iter()
        .find(|file| file.path == "src/thing.rs");
    file.unwrap().text.clone()
}

#[test]
fn a_prefix_is_translated() {
    let text = translated(&format!(
        "- target: {OTHER}.properties.one\n  update: {{$ref: '#/components/schemas/com.example.v2.Color'}}\n\
         - target: $.components.schemas\n  update: {{com.example.v2.Color: {{type: string, enum: [a]}}}}"
    ));
    assert!(text.contains("pub one: Option<Color>"), "{text}");
    // Below other keys too, and what was there before goes.
    let text = translated(&format!(
        "- target: {OTHER}.properties\n  update: {{three: {{type: array, items: \
         {{$ref: '#/components/schemas/com.example.v2.Thing'}}, description: Third.}}}}\n\
         - target: {OTHER}.properties.two\n  remove: true"
    ));
    assert!(text.contains("pub three: Option<Vec<Thing>>"), "{text}");
    assert!(!text.contains("pub two"), "{text}");
}

/// Only names of schemas and references to them mean the prefix; words may tell of another
/// version.
#[test]
fn a_prefix_in_words_stays() {
    let words = "As com.example.v2. has it, com.example.v2.Thing.";
    let text = translated(&format!(
        "- target: {OTHER}.properties.one\n  update: {{description: '{words}'}}"
    ));
    assert!(text.contains(words), "{text}");
}

#[test]
fn an_action_on_a_schema_that_only_other_versions_have() {
    let actions = "- target: $.components.schemas['com.example.PREFIX.Gone'].properties.a\n  \
                   remove: true";
    translated(&actions.replace("PREFIX", "v2"));
    // It must be there in the version that it is written for, and so must the rest.
    let message = "['com.example.v1.Gone'].properties.a` matches nothing";
    let own = prefixed("com.example.v1.", &actions.replace("PREFIX", "v1"));
    bad_text(&own, message, Some(5));
    bad(&actions.replace("PREFIX", "v1"), message, 4);
    let missing = format!("- target: {OTHER}.properties.gone\n  remove: true");
    let message = "['com.example.v1.Thing'].properties.gone` matches nothing";
    bad_text(&prefixed("com.example.v2.", &missing), message, Some(5));
    let elsewhere = "- target: $.missing\n  remove: true";
    bad_text(
        &prefixed("com.example.v2.", elsewhere),
        "matches nothing",
        Some(5),
    );
    // Without a prefix there is nothing to translate.
    let untranslated = format!("- target: {OTHER}\n  remove: true");
    bad(
        &untranslated,
        "['com.example.v2.Thing']` matches nothing",
        4,
    );
}

#[test]
fn texts_that_are_no_prefix() {
    let action = format!("- target: {THING}\n  update: {{description: New.}}");
    for prefix in [
        "com.example.v2",
        "''",
        "'.'",
        "'a b.'",
        "com..v2.",
        "'a\"]['.",
    ] {
        let overlay = prefixed(prefix, &action);
        let result = with_overlay(&document(), &overlay);
        assert!(result.is_err(), "{prefix}");
    }
    bad_text(
        &prefixed("com.example.v2", &action),
        "is not a prefix of schemas",
        None,
    );
    bad_text(&prefixed("[a]", &action), "not an OpenAPI overlay", Some(3));
}
