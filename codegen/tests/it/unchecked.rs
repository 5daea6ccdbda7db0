//! What can't be checked of custom resources: listed where the configuration asks for it, and
//! otherwise an error.

use codegen::{Config, Diagnostics, Generated, Source, generate};

use crate::common::inputs_of;

/// Generates the crate of a definition whose `spec` has the schema.
fn from(spec: &str, list: bool) -> Result<Vec<Generated>, Diagnostics> {
    let config = format!(
        "[[crate]]\nname = \"example-v1\"\ndescription = \"An example\"\n\n\
         [[crate.document]]\nfile = \"crd.yaml\"\nrelease = \"1.37\"\n\
         prefix = \"com.example.v1.\"\nlist-unchecked = {list}\n\n\
         [[extern]]\nprefix = \"io.k8s.apimachinery.\"\npath = \"k8s_openapi::apimachinery\"\n"
    );
    let definition = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
         metadata: {{name: things.example.com}}\nspec:\n  group: example.com\n  \
         scope: Cluster\n  names: {{plural: things, kind: Thing}}\n  versions:\n  - name: v1\n    \
         served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        \
         type: object\n        properties: {{spec: {spec}}}\n"
    );
    let config = Config::parse(&Source::new("codegen.toml", config)).unwrap();
    let inputs = inputs_of([("crd.yaml", definition)]);
    generate(&config, &inputs)
}

/// The rules that are listed, each as `PLACE: RULE`; without the list all of them are errors.
fn listed(spec: &str) -> Vec<String> {
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
    ] {
        assert_eq!(listed(spec), [""; 0]);
    }
}

#[test]
fn rules_in_cel_are_listed_whole() {
    let long = "self.all(x, x.find('a') == 'a' || self.size() > 20)";
    for rule in ["self.find('a') == 'a'", long, "self ==", "unknown(self)"] {
        let spec = format!(
            "{{type: array, items: {{type: string}}, \
             x-kubernetes-validations: [{{rule: \"{rule}\", message: never}}]}}"
        );
        assert_eq!(listed(&spec), [format!("Thing.spec: {rule}")]);
    }
    let of_each = "{type: array, items: {type: string, \
                   x-kubernetes-validations: [{rule: \"self.find('a') == 'a'\"}]}}";
    assert_eq!(listed(of_each), ["Thing.spec[*]: self.find('a') == 'a'"]);
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
            "{type: object, properties: {a: {type: string}}, anyOf: [{properties: {a: {minLength: 2}}}]}",
            "Thing.spec: anyOf: [{\"properties\":{\"a\":{\"minLength\":2}}}]",
        ),
    ] {
        assert_eq!(listed(spec), [rule]);
    }
}

/// What only a list leaves out: without it, the error is about the type.
#[test]
fn what_has_no_form_in_rust_is_listed() {
    for (spec, rule) in [
        ("{type: boolean, enum: [true]}", "enum: [true]"),
        (
            "{type: array, items: {type: string}, enum: [[a]]}",
            "enum: [[\"a\"]]",
        ),
        ("{type: integer, multipleOf: 0.5}", "multipleOf: 0.5"),
        ("{type: string, minLength: -1}", "minLength: -1"),
        (
            "{type: string, not: {enum: [a]}}",
            "not: {\"enum\":[\"a\"]}",
        ),
        ("{type: object, required: [a]}", "required: [\"a\"]"),
        (
            "{type: object, required: [a], properties: {b: {type: string}}}",
            "required: [\"a\"]",
        ),
        (
            "{x-kubernetes-int-or-string: true, allOf: [{pattern: a}]}",
            "allOf: [{\"pattern\":\"a\"}]",
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
