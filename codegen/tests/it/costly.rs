//! The costs of rules of custom resources, for which a server refuses a definition. The numbers are
//! a server's: the tests of `tests/e2e` compare many more with it.

use codegen::{CostlyRule, Source, costly};

use crate::common::definition;

/// The rules that cost too much in a definition whose objects have `spec` with a schema.
fn of(spec: &str) -> Vec<CostlyRule> {
    costly([&Source::new("boats.yaml", definition("Boat", spec))])
}

/// The same, each as `PATH WHAT COST: MISSING …`.
fn shown(spec: &str) -> Vec<String> {
    let found = of(spec).into_iter().map(|rule| {
        let missing = rule.missing.iter();
        let missing = missing.map(|bound| format!(" {} of {}", bound.keyword, bound.path));
        let missing: String = missing.collect();
        format!("{} {:?} {}:{missing}", rule.path, rule.of, rule.cost)
    });
    found.collect()
}

/// A schema with a rule.
fn ruled(schema: &str, rule: &str) -> String {
    format!("{{{schema}, x-kubernetes-validations: [{{rule: {rule:?}}}]}}")
}

const NAMES: &str = "type: array, items: {type: object, properties: {name: {type: string}}}";
const SHORT: &str = "type: string, maxLength: 100";
const PATTERN: &str = "self.matches('^[a-z]+$')";

#[test]
fn rules_within_their_limit_are_not_listed() {
    for (schema, rule) in [
        (SHORT, PATTERN),
        ("type: string", PATTERN),
        // The text that names start with counts, and their own length doesn't.
        (NAMES, "self.all(x, x.name.startsWith('boat'))"),
        (
            "type: array, maxItems: 16, items: {type: string, maxLength: 63}",
            "self.all(x, self.exists_one(y, x == y))",
        ),
    ] {
        assert_eq!(shown(&ruled(schema, rule)), [""; 0], "{rule}");
    }
}

#[test]
fn limits_that_are_missing_are_named() {
    let unique = "self.all(a, self.exists_one(b, a.name == b.name))";
    let missing = "345882608640773327: maxItems of spec maxLength of spec[*].name";
    assert_eq!(
        shown(&ruled(NAMES, unique)),
        [format!("spec Rule {missing}"), format!(" All {missing}")]
    );
    let list = format!("{{type: array, items: {}}}", ruled(SHORT, PATTERN));
    assert_eq!(shown(&list), ["spec[*] Rule 87031808: maxItems of spec"]);
}

#[test]
fn a_limit_can_be_too_high() {
    let values = ruled(SHORT, PATTERN);
    let map = format!("{{type: object, maxProperties: 200000, additionalProperties: {values}}}");
    assert_eq!(shown(&map), ["spec[*] Rule 16600000:"]);
}

#[test]
fn rules_within_their_limit_can_be_too_many() {
    let list = ruled(SHORT, "self == 'ab'");
    let list = format!("{{type: array, maxItems: 4500000, items: {list}}}");
    let of = |count| {
        let lists = (0..count).map(|nth| format!("p{nth}: {list}"));
        let lists = lists.collect::<Vec<_>>().join(", ");
        shown(&format!("{{type: object, properties: {{{lists}}}}}"))
    };
    assert_eq!(of(11), [""; 0]);
    assert_eq!(of(12), [" All 108000000:"]);
}

/// Servers look a length up where another expression has left its own.
#[test]
fn peculiarities_of_servers_count() {
    let names = "{type: array, items: {type: string, maxLength: 1}}";
    let boats = format!(
        "type: object, properties: {{boats: {{type: array, maxItems: 1000, items: {{type: object, \
         properties: {{names: {names}, n: {{type: string, maxLength: 1}}}}}}}}}}"
    );
    assert_eq!(
        shown(&ruled(&boats, "self.boats.all(b, b.names.all(x, x == ''))")),
        [
            "spec Rule 4194306003: maxItems of spec.boats[*].names",
            " All 4194306003: maxItems of spec.boats[*].names"
        ]
    );
    assert_eq!(
        shown(&ruled(
            &boats,
            "self.boats.all(b, b.names.all(x, x == b.n))"
        )),
        [""; 0]
    );
}

#[test]
fn what_cannot_be_estimated_counts_nothing() {
    for rule in [
        "self.all(a, self.all(b, a.unknown() == b))",
        "self.(",
        "self.all(a, a.other == '')",
    ] {
        assert_eq!(shown(&ruled(NAMES, rule)), [""; 0], "{rule}");
    }
    let sources = ["kind: [", "kind: ConfigMap"].map(|text| Source::new("other.yaml", text));
    assert!(costly(&sources).is_empty());
}
