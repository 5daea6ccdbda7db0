//! Keywords that are misspelt, misplaced or not translated.

use super::*;

/// Found in a review: the rule was silently missing from the crate.
#[test]
fn a_misspelt_keyword() {
    let update = "{x-must-be-sett: true}";
    bad("text", update, "unknown keyword `x-must-be-sett`", "");
    let help = help_of(with_rule(".properties.text", update));
    assert!(help.starts_with("did you mean `x-must-be-set`?"), "{help}");
    for (property, update, name, nearest) in [
        ("text", "maxLenght: 1", "maxLenght", "maxLength"),
        (
            "text",
            "x-error-tpye: {maxLength: Invalid}",
            "x-error-tpye",
            "x-error-type",
        ),
        ("texts/items", "patern: a", "patern", "pattern"),
    ] {
        let update = format!("{{{update}}}");
        bad(property, &update, &format!("unknown keyword `{name}`"), "");
        let target = format!(".properties.{}", property.replace('/', "."));
        let help = help_of(with_rule(&target, &update));
        assert!(
            help.starts_with(&format!("did you mean `{nearest}`?")),
            "{help}"
        );
    }
    bad_at(
        "",
        "{x-unconditional: true}",
        "unknown keyword `x-unconditional`",
        THING,
    );
}

#[test]
fn a_misspelt_keyword_of_a_rule() {
    let update = "{x-kubernetes-validations: [{rule: self == oldSelf, resaon: Invalid}]}";
    let at = "/x-kubernetes-validations/0";
    bad("text", update, "unknown keyword `resaon` of a rule", at);
    let help = help_of(with_rule(".properties.text", update));
    assert!(help.starts_with("did you mean `reason`?"), "{help}");
}

#[test]
fn keywords_where_they_have_no_effect() {
    for (property, update, message, below) in [
        (
            "texts/items",
            "x-must-be-set: true",
            "no effect on elements",
            "",
        ),
        (
            "texts",
            "x-repeats-at-element: true",
            "`x-repeats-at-element` has no effect here",
            "",
        ),
        (
            "text",
            "x-unconditional-update: true",
            "no effect on a property",
            "",
        ),
        (
            "text",
            "x-names-on-create-only: true",
            "no effect on a property",
            "",
        ),
        (
            "text",
            "x-enum-descriptions: {}",
            "no effect on a property",
            "",
        ),
        (
            "text",
            "x-check-empty: true",
            "no effect without `minLength`",
            "",
        ),
        (
            "text",
            "x-ignore-case: true",
            "no effect without `format`",
            "",
        ),
        (
            "text",
            "x-reported-above: 1",
            "no effect without a rule",
            "",
        ),
        (
            "text",
            "x-reported-as: other",
            "no effect without a rule",
            "",
        ),
        (
            "text",
            "x-error-type: {maxLength: Invalid}",
            "no effect without `maxLength`",
            "/x-error-type",
        ),
        (
            "text",
            "minLength: 1, x-error-type: {minLength: Invalid}",
            "`x-error-type` has no effect on `minLength`",
            "/x-error-type",
        ),
        (
            "texts/items",
            "x-kubernetes-validations: [{rule: self == oldSelf}]",
            "can't be checked of elements",
            "",
        ),
    ] {
        bad(property, &format!("{{{update}}}"), message, below);
    }
    for update in [
        "x-must-be-set: true",
        "x-reported-as: other",
        "x-set-defaults: f",
    ] {
        let update = format!("{{{update}}}");
        bad_at(
            "",
            &update,
            "has no effect on a schema with properties",
            THING,
        );
    }
    let message = "a number of properties that can't be checked";
    bad_at("", "{minProperties: 1}", message, THING);
}

/// Found in a review: without blanks, the rule was missing from the crate.
#[test]
fn a_rule_in_other_spacing() {
    let rule = |rule: &str| {
        let update = format!("{{x-kubernetes-validations: [{{rule: '{rule}'}}]}}");
        rules(".properties.text", &update)
    };
    let plain = rule("self == oldSelf");
    assert!(plain.contains("fn check_update"));
    for other in ["self==oldSelf", "oldSelf  ==  self", "(self) == oldSelf"] {
        assert_eq!(rule(other), plain, "{other}");
    }
}

#[test]
fn a_rule_that_is_not_translated() {
    let at = "/x-kubernetes-validations/0";
    let rule = |rule: &str| format!("{{x-kubernetes-validations: [{{rule: {rule}}}]}}");
    for (untranslated, why) in [
        ("self.quote().size() < 9", "the function `quote`"),
        ("self.a == 1", "a field of a text"),
        ("self == 1", "a text beside a whole number"),
        ("self", "a text where a flag is expected"),
        ("other == self", "`other` is unknown"),
        ("self == null", "`null` beside a text"),
        ("self in [1]", "a whole number where a text is expected"),
        ("[] + [self] == [self]", "a list without elements"),
        ("[[self]] == [self]", "a list of a list"),
        ("self.matches(self)", "a computed regular expression"),
        ("self.matches('[')", "Go refuses a class without its end"),
        ("-self == 1", "the negative of a text"),
        ("self - self == ''", "arithmetic with a text"),
        ("self.all(x, true)", "a macro over a text"),
        ("duration(self) == self", "a duration beside a text"),
        ("uint(self == '') > 1u", "the function `uint` of a flag"),
        ("url(self) == url(self)", "a URL that is compared"),
        ("url(self).getQuery() == self", "a map beside a text"),
        ("int(self == '') == 1", "the function `int` of a flag"),
        ("{'a': self} == self", "a map beside a text"),
    ] {
        let untranslated = format!("\"{}\"", untranslated.replace('"', "\\\""));
        bad("text", &rule(&untranslated), why, at);
    }
    bad("text", &rule("self =="), "is not CEL", at);
    let optional = "self == 'a', optionalOldSelf: true";
    bad("text", &rule(optional), "`optionalOldSelf` without", at);
    let path = "self == 'a', fieldPath: there";
    bad(
        "text",
        &rule(path),
        "not a path of fields",
        &format!("{at}/fieldPath"),
    );
    let ours = "self == 'a', x-unless: {introduced: '1.33', gate: A}";
    bad(
        "text",
        &rule(ours),
        "`x-unless` has no effect on this rule",
        at,
    );
    for target in [".properties.text", ""] {
        let update = rule("\"self.split(',').size() < 9\", x-unchecked: nobody asks");
        let crates = with_rule(target, &update);
        let crates = crates.unwrap_or_else(|errors| panic!("{errors}"));
        let thing = crates[0]
            .files
            .iter()
            .find(|file| file.path == "src/thing.rs");
        let text = thing.unwrap().text.replace("\n    ///", "");
        let note = "The rule `self.split(',').size() < 9` is not checked here: nobody asks.";
        assert!(text.contains(note), "{text}");
    }
}

#[test]
fn the_message_of_a_rule_is_what_the_error_says() {
    let update = "{x-kubernetes-validations: [{rule: self == oldSelf, message: it stays}]}";
    assert!(rules(".properties.text", update).contains("\"it stays\""));
}
