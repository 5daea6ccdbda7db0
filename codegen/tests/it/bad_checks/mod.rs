//! Rules that an overlay asks for: adding one, and the errors of one that can't be checked.

mod keywords;

use crate::common::{CONFIG, Expected, PREFIX, assert_error, document, from};
use codegen::{Diagnostics, Generated};

const FILE: &str = "v1.37/document.json";
const THING: &str = "#/components/schemas/com.example.v1.Thing";
const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/// A kind with a value of each sort, whose overlay updates one place.
fn with_rule(target: &str, update: &str) -> Result<Vec<Generated>, Diagnostics> {
    let part = format!("{{\"$ref\": \"#/components/schemas/{PREFIX}Part\"}}");
    let gvk = r#"{"group": "example.com", "version": "v1", "kind": "Thing"}"#;
    let schemas = format!(
        r##""{PREFIX}Thing": {{"type": "object", "properties": {{
            "metadata": {{"$ref": "#/components/schemas/{META}"}},
            "count": {{"type": "integer", "format": "int32"}},
            "flag": {{"type": "boolean"}},
            "map": {{"type": "object", "additionalProperties": {{"type": "string"}}}},
            "parts": {{"type": "array", "items": {part}}},
            "text": {{"type": "string"}},
            "texts": {{"type": "array", "items": {{"type": "string"}}}}}},
            "x-kubernetes-group-version-kind": [{gvk}]}},
        "{PREFIX}Part": {{"type": "object", "properties": {{"name": {{"type": "string"}}}}}},
        "{META}": {{"type": "object"}}"##
    );
    let paths = format!(
        r#""paths": {{"/apis/example.com/v1/things": {{"get": {{
            "x-kubernetes-action": "list", "responses": {{}},
            "x-kubernetes-group-version-kind": {gvk}}}}}}},"#
    );
    let document = document(&schemas).replacen('{', &format!("{{{paths}"), 1);
    let overlay = format!(
        "overlay: 1.0.0\ninfo: {{title: t, version: v}}\nactions:\n\
         - target: $.components.schemas['{PREFIX}Thing']{target}\n  update: {update}\n"
    );
    let config = CONFIG.replace("description", "rules = \"other::rules\"\ndescription");
    from(&config, &document, &overlay, "1.37")
}

/// The errors of a rule on a property.
#[track_caller]
fn bad(property: &str, update: &str, message: &str, below: &str) {
    let pointer = format!("{THING}/properties/{property}{below}");
    let target = format!(".properties.{}", property.replace('/', "."));
    bad_at(&target, update, message, &pointer);
}

#[track_caller]
fn bad_at(target: &str, update: &str, message: &str, pointer: &str) {
    let result = with_rule(target, update);
    let line = result
        .as_ref()
        .err()
        .and_then(|f| f.iter().next())
        .and_then(|f| f.line);
    let expected = Expected {
        message,
        pointer: Some(pointer),
        line,
    };
    assert_error(result, FILE, &expected);
}

/// The rules that are generated for the kind.
fn rules(target: &str, update: &str) -> String {
    let crates = with_rule(target, update).unwrap_or_else(|errors| panic!("{errors}"));
    let files = &crates[0].files;
    let file = files
        .iter()
        .find(|file| file.path == "src/validation/thing.rs");
    file.unwrap().text.clone()
}

/// A rule that keywords can say takes a line in an overlay, and nothing else.
#[test]
fn a_rule_is_added_by_an_overlay() {
    let call = "to.max_length(path, value, 63, ErrorType::TooLong);";
    assert!(!rules(".properties.text", "{description: Any.}").contains(call));
    assert!(rules(".properties.text", "{maxLength: 63}").contains(call));
    let fixed = "{x-kubernetes-validations: [{rule: self == oldSelf}]}";
    assert!(rules(".properties.text", fixed).contains("fn check_update"));
    assert!(rules(".properties.flag", "{default: true}").contains("get_or_insert(true)"));
}

#[test]
fn keywords_of_the_wrong_form() {
    for (property, update, message, below) in [
        (
            "text",
            "x-must-be-set: 7",
            "`7`, not `true`",
            "x-must-be-set",
        ),
        (
            "text",
            "maxLength: 1, x-reported-above: -1",
            "`-1`, not a number of steps",
            "x-reported-above",
        ),
        (
            "text",
            "maxLength: 1, x-error-type: TooLong",
            "not an object of key",
            "x-error-type",
        ),
        (
            "text",
            "x-check: label_selector",
            "not a list of functions",
            "x-check",
        ),
        (
            "parts",
            "x-unique-keys: name",
            "not a list of names",
            "x-unique-keys",
        ),
        (
            "map",
            "x-max-total-length: many",
            "not a whole number",
            "x-max-total-length",
        ),
        (
            "text",
            "x-kubernetes-validations: [{message: no rule}]",
            "missing field `rule`",
            "x-kubernetes-validations/0",
        ),
    ] {
        bad(
            property,
            &format!("{{{update}}}"),
            message,
            &format!("/{below}"),
        );
    }
    let message = "`{\\\"function\\\":\\\"f\\\"}`, not an object with `function`";
    bad_at(
        "",
        "{x-warn: {function: f}}",
        message,
        &format!("{THING}/x-warn"),
    );
    for (update, message) in [
        ("pvc", "not a list of short names"),
        ("[1]", "not a list of short names"),
    ] {
        let pointer = format!("{THING}/x-short-names");
        bad_at(
            "",
            &format!("{{x-short-names: {update}}}"),
            message,
            &pointer,
        );
    }
    let pointer = format!("{THING}/x-unconditional-update");
    bad_at(
        "",
        "{x-unconditional-update: 1}",
        "`1`, not `true`",
        &pointer,
    );
}

#[test]
fn limits_that_are_not_checked() {
    bad(
        "text",
        "{minLength: 2}",
        "a minLength above 1",
        "/minLength",
    );
    bad("texts", "{minItems: 2}", "a minItems above 1", "/minItems");
    bad(
        "map",
        "{minProperties: 3}",
        "a minProperties above 1",
        "/minProperties",
    );
}

#[test]
fn forms_that_are_none() {
    bad(
        "text",
        "{pattern: '['}",
        "no regular expression",
        "/pattern",
    );
    bad(
        "text",
        "{pattern: '(?=a)'}",
        "no regular expression",
        "/pattern",
    );
    bad("text", "{format: dns}", "unknown format `dns`", "/format");
}

#[test]
fn names_that_are_none() {
    bad(
        "text",
        "{maxLength: 1, x-error-type: {maxLength: Long}}",
        "`Long` isn't an error type",
        "/x-error-type",
    );
    let validations = "/x-kubernetes-validations/0";
    let reason = "{x-kubernetes-validations: [{rule: self == oldSelf, reason: Nope}]}";
    bad("text", reason, "`Nope` isn't an error type", validations);
    let list = "{x-kubernetes-validations: [{rule: self in Delete}]}";
    bad(
        "text",
        list,
        "`self in Delete` is not translated",
        validations,
    );
    for extension in ["x-check", "x-warn"] {
        let update = format!("{{{extension}: ['a b']}}");
        let message = "`a b` can't be the name of a function";
        bad("text", &update, message, &format!("/{extension}"));
    }
    let message = "`::f` can't be the name of a function";
    bad(
        "text",
        "{x-set-defaults: '::f'}",
        message,
        "/x-set-defaults",
    );
}

#[test]
fn properties_that_are_none() {
    let message = "`other` is not a property";
    bad_at("", "{x-dependent-required: {flag: other}}", message, THING);
    bad_at("", "{x-dependent-required: {other: texts}}", message, THING);
    bad_at(
        "",
        "{x-warn: {function: f, fields: [other]}}",
        message,
        THING,
    );
    let message = "`other` isn't a property of the elements";
    bad("parts", "{x-unique-keys: [other]}", message, "");
    let keys = "{x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [other]}";
    bad("parts", keys, message, "");
}

#[test]
fn rules_for_values_of_another_type() {
    let of_texts = [
        "minLength: 1",
        "pattern: a",
        "x-ignore-case: true",
        "maxLength: 1",
    ];
    let of_numbers = ["minimum: 1", "maximum: 1"];
    let of_lists = ["minItems: 1", "maxItems: 1"];
    let of_maps = ["x-keys-not-empty: true", "x-max-total-length: 1"];
    let fails = |property: &str, updates: &[&str]| {
        for update in updates {
            let result = with_rule(&format!(".properties.{property}"), &format!("{{{update}}}"));
            assert!(result.is_err(), "{update} of {property}");
        }
    };
    fails(
        "flag",
        &[of_texts.as_slice(), &of_numbers, &of_lists, &of_maps].concat(),
    );
    fails(
        "text",
        &[of_numbers.as_slice(), &of_lists, &of_maps].concat(),
    );
    fails(
        "texts",
        &[of_texts.as_slice(), &of_numbers, &of_maps].concat(),
    );
    fails("map", &[of_texts.as_slice(), &of_numbers].concat());
    let message = "`x-ignore-case` can't be checked of a value of this type";
    bad("count", "{x-ignore-case: true}", message, "");
    bad(
        "texts/items",
        "{x-max-total-length: 1}",
        "`x-max-total-length` can't",
        "",
    );
    let message = "`self in` can't be checked of a value of this type";
    let values = r#"{x-kubernetes-validations: [{rule: 'self in ["a"]'}]}"#;
    bad("count", values, message, "/x-kubernetes-validations/0");
}

#[test]
fn what_earlier_servers_do() {
    let release = "not `true`, or `{before: \"1.36\"}`";
    for keyword in ["x-check-empty", "x-on-create-only"] {
        let update = format!("{{minLength: 1, {keyword}: {{befor: '1.36'}}}}");
        bad("text", &update, release, &format!("/{keyword}"));
        let alone = format!("{{{keyword}: true}}");
        bad("text", &alone, "has no effect without `minLength`", "");
    }
    let rule = |earlier: &str| {
        format!("{{x-kubernetes-validations: [{{rule: self == oldSelf, x-before: {earlier}}}]}}")
    };
    let place = "/x-kubernetes-validations/0";
    bad(
        "text",
        &rule("{release: '1.36', reason: Odd}"),
        "`Odd` isn't an error type",
        place,
    );
    bad(
        "text",
        &rule("{reason: Invalid}"),
        "missing field `release`",
        place,
    );
    bad(
        "text",
        &rule("{release: '1.36', other: 1}"),
        "unknown field `other`",
        place,
    );
}

#[test]
fn dependence_on_what_is_no_list() {
    let message = "`flag` can't depend on `text`";
    let pointer = format!("{THING}/x-dependent-required");
    bad_at(
        "",
        "{x-dependent-required: {flag: text}}",
        message,
        &pointer,
    );
}

#[test]
fn the_document_without_a_rule_is_good() {
    assert!(from(CONFIG, "", "", "1.37").is_err());
    assert!(rules("", "{description: A thing.}").contains("impl Check for Thing"));
}

/// The help of the only diagnostic.
fn help_of(result: Result<Vec<Generated>, Diagnostics>) -> String {
    let errors = result.expect_err("errors");
    let error = errors.iter().next().expect("an error");
    error.help.clone().unwrap_or_default()
}
