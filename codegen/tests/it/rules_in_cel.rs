//! Rules in CEL: those that are translated, and those that are left to a server.

use crate::unchecked::{from, listed};

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
        (
            text,
            "uint(self) > 1u && uint(self) > 1 && uint(self) < 1.5",
        ),
        (text, "bytes(self).size() > 1 && b'a' < bytes(self)"),
        (text, "quantity(self).add(1).isInteger()"),
        (
            "type: string",
            "format.named(self).value().validate(self).hasValue()",
        ),
        (text, "{self: 1}.size() > 0 && {1: self}[1] == self"),
        (text, "optional.of(self) == optional.of('a')"),
        (text, "optional.of([self]) != optional.none()"),
        (
            "type: object, additionalProperties: {type: string}",
            "self.transformList(k, v, k) == ['b']",
        ),
        (texts, "self.transformMap(i, s, s).size() > 0"),
        (texts, "[?self[?0]].size() > 0"),
        (texts, "self.map(s, {'a': s}).exists(m, m.a == 'b')"),
        (
            texts,
            "sets.equivalent(self, []) && sets.contains([], self)",
        ),
        (
            texts,
            "optional.unwrap(self.map(s, optional.of(s))) == self",
        ),
        (
            "type: array, items: {type: integer, nullable: true}",
            "self.all(n, dyn(n) != null)",
        ),
        (
            "type: array, items: {type: number, nullable: true}",
            "self.all(n, n > 1.0)",
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
        (
            "type: string, format: date-time",
            "self.getHours(string(self)) > 1",
            "a computed zone",
        ),
        (
            "type: string",
            "'%d'.format([self]) == ''",
            "a format of a text",
        ),
        (
            "type: string",
            "url(self) == url('/')",
            "a URL that is compared",
        ),
        (
            "type: string",
            "self.matches(self)",
            "a computed regular expression",
        ),
        (
            "type: string",
            "format.uri().validate(self).value().size() == 1",
            "the function `value`",
        ),
        (
            "type: string",
            "{'a': 1, 'b': self}.size() > 0",
            "a map to a text or others",
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
            "type: object, properties: {a: {type: object}, b: {type: object}}",
            "'%s'.format([self]) == ''",
            "a format of an object",
        ),
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
        (open, false),
        (
            &format!("type: object, properties: {{a: {{{open}}}}}"),
            false,
        ),
        (
            &format!("{open}, properties: {{a: {{type: string}}}}"),
            false,
        ),
        ("type: array, items: {type: number, nullable: true}", true),
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
