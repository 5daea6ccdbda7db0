//! What can't be checked of custom resources: listed where the configuration asks for it, and
//! otherwise an error.

use codegen::{Config, Diagnostics, Generated, Source, generate};

use crate::common::inputs_of;

/// Generates the crate of a definition whose `spec` has the schema.
pub(crate) fn from(spec: &str, list: bool) -> Result<Vec<Generated>, Diagnostics> {
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
    for (spec, method) in [
        ("{type: string, enum: [x], format: ipv4}", "text_format"),
        (
            "{x-kubernetes-int-or-string: true, format: duration}",
            "format_of_text",
        ),
    ] {
        let crates = from(spec, false).unwrap_or_else(|errors| panic!("{spec}: {errors}"));
        assert!(calls(&crates[0], method), "{spec}");
    }
}

/// A rule of a schema, beside what else the schema says.
fn of(schema: &str, rule: &str) -> String {
    format!("{{{schema}, x-kubernetes-validations: [{{rule: \"{rule}\"}}]}}")
}

#[test]
fn the_library_of_cel_is_translated() {
    let time = "type: string, format: date-time";
    let either = "x-kubernetes-int-or-string: true";
    let text = "type: string";
    let numbers = "type: array, items: {type: integer}";
    let texts = "type: array, items: {type: string}";
    let object = "type: object, properties: {a: {type: string}, b: {type: integer}}";
    for (schema, rule) in [
        (
            time,
            "self > timestamp('2026-01-01T00:00:00Z') && self.getHours('-08:00') < 12",
        ),
        (
            time,
            "self + duration('1h') < timestamp(0) || int(self) > 5",
        ),
        ("type: string, format: date", "self.getFullYear() > 2000"),
        (either, "self == 'http' || self == 80 || self > 1000"),
        (
            either,
            "type(self) == int ? self > 1 : self.startsWith('a') && int(self) > 2",
        ),
        (
            "type: number",
            "self > 1 && string(self) != '2' && int(self) < 3",
        ),
        (text, "bool(self) || double(int(self)) > 0.5"),
        (
            text,
            "self.find('[a-z]+') == 'a' && self.findAll('a').size() > 1",
        ),
        (
            text,
            "quantity(self).isGreaterThan(quantity('1Gi').add(5)) && isQuantity(self)",
        ),
        (
            text,
            "ip(self).family() == 4 || cidr(self).containsIP('10.0.0.1')",
        ),
        (text, "!format.dns1123Label().validate(self).hasValue()"),
        (
            numbers,
            "self.sum() < 5 && self.min() == 1 && self.isSorted() && self + [1] != [2]",
        ),
        (
            numbers,
            "sets.contains(self, [1]) && [[1], [2, 3]].exists(l, l == self)",
        ),
        (
            numbers,
            "[[1, 2], self].flatten().slice(0, 1).distinct().first().hasValue()",
        ),
        (
            texts,
            "self.all(i, s, i > 0 || s != '') && self.transformList(i, s, i) == [0]",
        ),
        (
            texts,
            "self.transformList(i, s, i > 0, s) == ['b'] && self[0] in {'a': 1, 'b': 2}",
        ),
        (
            text,
            "self.indexOf('a', 1) > 1 && self.split('a', 2).size() > 1 && strings.quote(self) != ''",
        ),
        (
            text,
            "double(self) > 0.5 && quantity(self).isInteger() && semver(self, true).major() > 1",
        ),
        (
            text,
            "url(self).getQuery()['a'].size() > 1 && {'a': 1}.all(k, k != self)",
        ),
        (
            text,
            "format.named('uuid').value().validate(self).hasValue() && '<%s>'.format([self]) != ''",
        ),
        (time, "string(self) == '2026-01-01T00:00:00Z'"),
        (
            texts,
            "self[?0].orValue('a').size() > 0 && self.last().value() == 'b'",
        ),
        (object, "self.?b.optMap(b, b + 1).orValue(2) > 1"),
        (
            object,
            "(has(self.a) ? [self.a] : ['b']).exists(x, x == 'c')",
        ),
        (
            "type: object, additionalProperties: {type: string}",
            "self.all(k, v, k != v)",
        ),
    ] {
        assert_eq!(listed(&of(schema, rule)), [""; 0], "{rule}");
    }
    let values = of("type: integer", "self >= oldSelf");
    assert_eq!(
        listed(&format!("{{type: object, additionalProperties: {values}}}")),
        [""; 0]
    );
}

#[test]
fn what_may_differ_from_a_server_is_listed() {
    let list = "type: array, items: {type: string}";
    let set = "type: array, x-kubernetes-list-type: set, items: {type: string}";
    for (schema, rule, reason) in [
        (
            "type: string, format: date-time",
            "self.getHours('Europe/Berlin') > 1",
            "a zone",
        ),
        ("type: string", "uint(self) > uint(1)", "`uint`"),
        ("type: string", "bytes(self).size() > 1", "`bytes`"),
        (
            "type: string",
            "quantity(self).add(1).isInteger()",
            "`isInteger` of a sum",
        ),
        (
            "type: string",
            "quantity(self).asApproximateFloat() > 0.5",
            "`asApproximateFloat`",
        ),
        (
            "type: string",
            "'%d'.format([self]) == ''",
            "a format of a text",
        ),
        (
            "type: string",
            "format.named(self).value().validate(self).hasValue()",
            "the format `format.named`",
        ),
        (
            "type: string",
            "{self: 1}.size() > 0",
            "keys that are no texts of the rule",
        ),
        (
            "type: string",
            "{'a': 1, 'b': self}.size() > 0",
            "several types",
        ),
        (
            "type: string",
            "cel.bind(x, self, x == 'a')",
            "`cel` is unknown",
        ),
        (
            set,
            "self + ['a'] == ['b']",
            "a list whose order doesn't count",
        ),
        (
            "type: object, additionalProperties: {type: string}",
            "self.transformList(k, v, k) == ['b']",
            "`transformList` of a map",
        ),
        (list, "self.transformMap(i, s, s).size() > 0", "of a list"),
        (list, "[?self[?0]].size() > 0", "a list of optional values"),
        (list, "self == [1]", "a list of a text beside others"),
    ] {
        let crates = from(&of(schema, rule), true).unwrap();
        let unchecked = crates[0].unchecked.iter();
        let listed: Vec<_> = unchecked
            .map(|found| (&*found.rule, &*found.reason))
            .collect();
        assert!(
            matches!(listed.as_slice(), [(text, why)] if *text == rule && why.contains(reason)),
            "{rule}: {listed:?}"
        );
    }
    let deep = of("type: integer", "self >= oldSelf");
    let deep = format!("{{type: object, additionalProperties: {{type: array, items: {deep}}}}}");
    assert_eq!(listed(&deep), ["Thing.spec[*][*]: self >= oldSelf"]);
}

/// What a server compares otherwise than by the properties of the schema.
#[test]
fn comparisons_that_may_differ_from_a_server_are_listed() {
    let open = "type: object, x-kubernetes-preserve-unknown-fields: true";
    let keyed = "type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a-b], \
                 items: {type: object, required: [a-b], properties: {a-b: {type: string}}}";
    for (schema, is_listed) in [
        ("type: object, properties: {a: {type: string}}", false),
        (
            "type: array, x-kubernetes-list-type: set, items: {type: string}",
            false,
        ),
        (
            "type: array, x-kubernetes-list-type: set, items: {type: string, format: date}",
            true,
        ),
        (open, true),
        (
            &format!("type: object, properties: {{a: {{{open}}}}}"),
            true,
        ),
        (
            &format!("{open}, properties: {{a: {{type: string}}}}"),
            true,
        ),
        (keyed, true),
        (&keyed.replace("a-b", "ab"), false),
    ] {
        let rules = listed(&of(schema, "self == oldSelf"));
        assert_eq!(!rules.is_empty(), is_listed, "{schema}: {rules:?}");
    }
}

/// Times are read by functions of the library, and only where they are compared.
#[test]
fn comparisons_bring_the_library_for_times() {
    let object = |property: &str| {
        let schema = format!("type: object, properties: {{a: {{{property}}}}}");
        of(&schema, "self == oldSelf")
    };
    let set = "type: array, x-kubernetes-list-type: set, items: {type: string}";
    let unasked = "{type: object, properties: {a: {type: string, format: date}}}";
    for (spec, is_needed) in [
        (of(set, "self == oldSelf"), false),
        (object(set), false),
        (object("type: string, format: date"), true),
        (object("type: string, format: date-time"), true),
        (unasked.to_owned(), false),
    ] {
        let crates = from(&spec, false).unwrap_or_else(|errors| panic!("{spec}: {errors}"));
        let files = crates[0].files.iter();
        let mut manifest = files.filter(|file| file.path == "Cargo.toml");
        let brings = manifest.any(|file| file.text.contains("kubernetes-validation/cel-library"));
        assert_eq!(brings, is_needed, "{spec}");
    }
}

#[test]
fn rules_with_an_optional_stored_value_are_translated() {
    let rule = |rule: &str| {
        let rules = format!("[{{rule: \"{rule}\", optionalOldSelf: true}}]");
        format!("{{type: integer, x-kubernetes-validations: {rules}}}")
    };
    for translated in [
        "oldSelf.hasValue() || self > 1",
        "oldSelf.orValue(0) < self",
        "!oldSelf.hasValue() || oldSelf.value() < self",
        "oldSelf.optMap(x, x < self).orValue(true)",
    ] {
        assert_eq!(listed(&rule(translated)), [""; 0], "{translated}");
    }
    let wrong = "oldSelf < self";
    assert_eq!(listed(&rule(wrong)), [format!("Thing.spec: {wrong}")]);
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
