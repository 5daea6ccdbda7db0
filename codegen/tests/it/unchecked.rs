//! What can't be checked of custom resources: listed where the configuration asks for it, and
//! otherwise an error.

use codegen::{Config, Diagnostics, Generated, Source, generate};

use crate::common::{definition, inputs_of};

/// Generates the crate of a definition whose `spec` has the schema.
pub(crate) fn from(spec: &str, list: bool) -> Result<Vec<Generated>, Diagnostics> {
    let config = format!(
        "[[crate]]\nname = \"example-v1\"\ndescription = \"An example\"\n\n\
         [[crate.document]]\nfile = \"crd.yaml\"\nrelease = \"1.37\"\n\
         prefix = \"com.example.v1.\"\nlist-unchecked = {list}\n\n\
         [[extern]]\nprefix = \"io.k8s.apimachinery.\"\npath = \"k8s_openapi::apimachinery\"\n"
    );
    let config = Config::parse(&Source::new("codegen.toml", config)).unwrap();
    let inputs = inputs_of([("crd.yaml", definition("Thing", spec))]);
    generate(&config, &inputs)
}

/// The rules that are listed, each as `PLACE: RULE`; without the list all of them are errors.
pub(crate) fn listed(spec: &str) -> Vec<String> {
    let crates = from(spec, true).unwrap_or_else(|errors| panic!("{spec}: {errors}"));
    let unchecked = crates[0].unchecked.iter();
    let listed: Vec<_> = unchecked
        .map(|rule| format!("{}.{}: {}", rule.kind, rule.path, rule.rule))
        .collect();
    assert_eq!(from(spec, false).is_err(), !listed.is_empty(), "{spec}");
    listed
}

#[test]
fn rules_that_are_translated_are_not_listed() {
    for spec in [
        "{type: string, x-kubernetes-validations: [{rule: 'self == oldSelf'}]}",
        "{type: string, minLength: 2, maxLength: 3, pattern: a, enum: [a, b]}",
        "{type: object, minProperties: 2, properties: {a: {type: string}, b: {type: string}}}",
        "{type: object, properties: {a: {type: string}}, anyOf: [{properties: {a: {}}}]}",
        "{type: string, format: byte, minLength: 2}",
        "{type: boolean, enum: [true]}",
        "{x-kubernetes-int-or-string: true, enum: [a, 1]}",
        "{type: object, required: [a], additionalProperties: {type: string}}",
        "{type: object, required: [a], x-kubernetes-preserve-unknown-fields: true}",
        "{type: string, anyOf: [{format: duration}, {format: k8s-short-name}]}",
    ] {
        assert_eq!(listed(spec), [""; 0]);
    }
}

#[test]
fn schemas_of_elements_that_can_be_null() {
    let of = |element: &str| {
        let schema = "type: array, items: {nullable: true";
        listed(&format!("{{{schema}, {element}}}}}"))
    };
    for checked in [
        "type: string, maxLength: 3, format: date, enum: [a, null]",
        "x-kubernetes-int-or-string: true, pattern: '^a'",
        "type: object, required: [a], properties: {a: {type: integer, minimum: 1}}",
        "type: object, x-kubernetes-preserve-unknown-fields: true",
    ] {
        assert_eq!(of(checked), [""; 0], "{checked}");
    }
    let rule = "x-kubernetes-validations: [{rule: 'self != \"a\"'}]";
    assert_eq!(
        of(&format!("type: string, {rule}")),
        ["Thing.spec[*]: self != \"a\""]
    );
    for unchecked in [
        "type: string, format: byte",
        "type: array, items: {type: string}",
        "type: object, additionalProperties: {type: string}",
        "type: object, properties: {a: {type: string, default: b}}",
        "type: object, properties: {a: {type: array, items: {type: string}}}",
    ] {
        let listed = of(unchecked);
        assert_eq!(listed.len(), 1, "{unchecked}");
        assert!(
            listed[0].starts_with("Thing.spec[*]: nullable: {"),
            "{listed:?}"
        );
    }
    let map = "type: object, additionalProperties: {type: array, nullable: true}";
    assert_eq!(listed(&format!("{{{map}}}")), [""; 0]);
}

/// Returns true if a crate calls a method of `Checker`.
fn calls(krate: &Generated, method: &str) -> bool {
    let call = format!(".{method}(");
    krate.files.iter().any(|file| file.text.contains(&call))
}

#[test]
fn formats_are_not_listed() {
    for name in [
        "creditcard",
        "duration",
        "email",
        "hostname",
        "isbn",
        "isbn10",
        "isbn-13",
        "k8s-long-name",
        "k8sshortname",
        "rgbcolor",
        "uri",
    ] {
        let spec = format!("{{type: string, format: {name}}}");
        assert_eq!(listed(&spec), [""; 0], "{name}");
        let crates = from(&spec, true).unwrap_or_else(|errors| panic!("{name}: {errors}"));
        assert!(calls(&crates[0], "text_format"), "{name}");
    }
    for spec in [
        "{type: string, enum: [x], format: ipv4}",
        "{x-kubernetes-int-or-string: true, format: duration}",
    ] {
        let crates = from(spec, false).unwrap_or_else(|errors| panic!("{spec}: {errors}"));
        assert!(calls(&crates[0], "text_format"), "{spec}");
    }
}

#[test]
fn rules_in_cel_are_listed_whole() {
    let long = "self.all(x, x.quote() == 'a' || self.size() > 20)";
    for rule in ["self.quote() == 'a'", long, "self ==", "unknown(self)"] {
        let spec = format!(
            "{{type: array, items: {{type: string}}, \
             x-kubernetes-validations: [{{rule: \"{rule}\", message: never}}]}}"
        );
        assert_eq!(listed(&spec), [format!("Thing.spec: {rule}")]);
    }
    let of_each = "{type: array, items: {type: string, \
                   x-kubernetes-validations: [{rule: \"self.quote() == 'a'\"}]}}";
    assert_eq!(listed(of_each), ["Thing.spec[*]: self.quote() == 'a'"]);
}

#[test]
fn keywords_are_listed_with_their_values() {
    for (spec, rule) in [
        ("{type: string, pattern: '['}", "Thing.spec: pattern: \"[\""),
        (
            "{type: object, additionalProperties: {type: string, pattern: '['}}",
            "Thing.spec[*]: pattern: \"[\"",
        ),
        (
            "{type: object, properties: {a: {type: string}}, anyOf: [{properties: {a: {enum: [[]]}}}]}",
            "Thing.spec: anyOf: [{\"properties\":{\"a\":{\"enum\":[[]]}}}]",
        ),
    ] {
        assert_eq!(listed(spec), [rule]);
    }
}

/// What only a list leaves out: without it, the error is about the type.
#[test]
fn what_has_no_form_in_rust_is_listed() {
    for (spec, rule) in [
        ("{type: boolean, enum: [a]}", "enum: [\"a\"]"),
        (
            "{type: array, items: {type: string}, enum: [[a]]}",
            "enum: [[\"a\"]]",
        ),
        ("{type: integer, multipleOf: 0.5}", "multipleOf: 0.5"),
        ("{type: string, minLength: -1}", "minLength: -1"),
        ("{type: string, not: {enum: [[]]}}", "not: {\"enum\":[[]]}"),
        ("{type: object, required: [a]}", "required: [\"a\"]"),
        (
            "{type: object, required: [a], properties: {b: {type: string}}}",
            "required: [\"a\"]",
        ),
        (
            "{x-kubernetes-int-or-string: true, allOf: [{enum: [{}]}]}",
            "allOf: [{\"enum\":[{}]}]",
        ),
    ] {
        let crates = from(spec, true).unwrap_or_else(|errors| panic!("{spec}: {errors}"));
        let unchecked = crates[0].unchecked.iter();
        let listed: Vec<_> = unchecked
            .map(|rule| (&*rule.kind, &*rule.path, &*rule.rule))
            .collect();
        assert_eq!(listed, [("Thing", "spec", rule)], "{spec}");
    }
}

/// Keywords that a server drops or that change nothing are no rules.
#[test]
fn what_is_no_rule_is_not_listed() {
    for spec in [
        "{type: string, readOnly: true, colour: green}",
        "{type: string, format: dns1123label}",
        "{type: string, nullable: true, enum: [a, null, a]}",
        "{type: integer, enum: [1.0, 2], minimum: 0.5, maximum: 9.5, exclusiveMaximum: true}",
        "{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}",
        "{type: string, x-kubernetes-validations: [{rule: 'self != \"\"', hint: none}]}",
        "{type: string, x-check: [nothing]}",
        "{type: array, items: {type: string}, maxLength: 63, pattern: a, format: cidr}",
        "{type: array, items: {type: string}, required: [a], properties: {a: {type: string}}}",
        "{type: object, additionalProperties: {type: string}, minItems: 1, minLength: 1}",
        "{type: string, minItems: 1, items: {type: string}, minimum: 1, required: [a]}",
        "{type: integer, maxLength: 3, pattern: '[', minProperties: 1}",
        "{type: boolean, format: int32, maximum: 1, pattern: a}",
    ] {
        let crates = from(spec, true).unwrap_or_else(|errors| panic!("{spec}: {errors}"));
        assert_eq!(crates[0].unchecked, [], "{spec}");
    }
}

#[test]
fn only_custom_resources_have_a_list() {
    let config = "[[crate]]\nname = \"example-v1\"\ndescription = \"An example\"\n\n\
                  [[crate.document]]\nfile = \"example.json\"\nrelease = \"1.37\"\n\
                  prefix = \"com.example.v1.\"\nlist-unchecked = true\n";
    let config = Config::parse(&Source::new("codegen.toml", config)).unwrap();
    let document = r#"{"openapi": "3.0.0", "components": {"schemas": {
        "com.example.v1.A": {"type": "string", "enum": ["a"], "description": "A."}}}}"#;
    let inputs = inputs_of([("example.json", document)]);
    let errors = generate(&config, &inputs).unwrap_err().to_string();
    assert!(
        errors.contains("only rules of CustomResourceDefinitions"),
        "{errors}"
    );
}
