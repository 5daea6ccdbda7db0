//! Compares rules: what a server refuses or warns of.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::model::NameFormat;
use crate::structure::{Pair, pairs};

use super::change::{ChangeKind, Severity};
use super::comparer::Comparer;
use super::lifecycle;
use super::node::{Node, Topic, keywords, topic};
use super::restrictions::{self, COMBINATIONS};
use super::words::{is_zero, plain, said};

/// Keywords that say how errors are reported, what example texts need, or what else than the status
/// a write of it checks, but not what is refused.
const REPORTING: [&str; 9] = [
    "x-check-empty",
    "x-error-type",
    "x-repeats-at-element",
    "x-reported-above",
    "x-reported-as",
    "x-same",
    "x-status-alone",
    "x-status-with-metadata",
    "x-warn",
];

/// The fields by which readers of a custom resource can select. It refuses nothing.
const SELECTABLE: &str = "x-kubernetes-selectable-fields";

/// Keywords that make a server refuse less.
const LOOSENING: [&str; 4] = [
    "x-names-on-create-only",
    "x-on-create-only",
    "x-repeats-allowed",
    "x-unconditional-update",
];

/// Returns true if a format is one of names, which is a rule and not a type.
pub(super) fn is_name_format(format: &str) -> bool {
    NameFormat::parse(format).is_some()
}

/// Describes a field that is new or gone: its type, its lifecycle, its rules.
pub(super) fn described(field: &Node<'_>) -> Vec<String> {
    let required = if field.is_required { "required " } else { "" };
    let mut details = vec![format!("{required}{}", field.type_text())];
    if field.is_unknown() {
        details.clear();
    }
    details.extend(lifecycle::described(field.schema, field.release));
    for (keyword, value) in &field.keywords {
        match topic(keyword) {
            Topic::Default if !is_zero(value) => details.push(said(keyword, value)),
            Topic::Rule => details.push(rule(keyword, value)),
            _ => {}
        }
    }
    details
}

/// Our own keywords in words, where these say more than their names.
const WORDS: [(&str, &str); 9] = [
    ("x-check-empty", "checked further where empty"),
    ("x-ignore-case", "checked in lower case"),
    ("x-keys-not-empty", "keys are not empty"),
    ("x-must-be-set", "must be set"),
    ("x-on-create-only", "checked of new objects only"),
    ("x-repeats-allowed", "elements may repeat"),
    (
        "x-status-alone",
        "a write of the status checks it and metadata alone",
    ),
    (
        "x-status-with-metadata",
        "a write of the status changes metadata",
    ),
    (
        "x-unconditional-update",
        "an update needs no resource version",
    ),
];

/// A rule in words.
fn rule(keyword: &str, value: &Value) -> String {
    match keyword {
        "x-kubernetes-validations" => {
            let rules = validations(Some(value)).into_values();
            let words = rules.map(|validation| validation.words);
            words.collect::<Vec<_>>().join("; ")
        }
        "x-dependent-required" => {
            let pairs = value.as_object().into_iter().flatten();
            let pairs = pairs.map(|(field, other)| format!("{field} needs {}", plain(other)));
            pairs.collect::<Vec<_>>().join("; ")
        }
        "x-warn" => match value.get("function") {
            Some(function) => format!("a warning, {}", plain(function)),
            None => said(keyword, value),
        },
        _ => {
            let words = WORDS.iter().find(|(known, _)| *known == keyword);
            words.map_or_else(|| said(keyword, value), |(_, words)| (*words).to_owned())
        }
    }
}

/// Compares the rules of two schemas.
pub(super) fn compare<'a>(comparer: &mut Comparer<'a>, a: &Node<'a>, b: &Node<'a>, path: &str) {
    let mut names = keywords(a, b, Topic::Rule);
    names.push("format");
    if comparer.is_custom() {
        let combined = keywords(a, b, Topic::Type).into_iter();
        names.extend(combined.filter(|keyword| COMBINATIONS.contains(keyword)));
    }
    for keyword in names {
        let is_set = |value: &&Value| !restrictions::is_without_effect(keyword, value);
        let (from, to) = (a.keywords.get(keyword), b.keywords.get(keyword));
        let (from, to) = (from.filter(is_set), to.filter(is_set));
        let is_rule = |value: &Value| value.as_str().is_some_and(is_name_format);
        let is_other_format = keyword == "format" && ![from, to].into_iter().flatten().any(is_rule);
        let is_same = from
            .zip(to)
            .is_some_and(|(from, to)| restrictions::is_same(keyword, from, to));
        if from == to || is_same || is_other_format {
            continue;
        }
        if keyword == "x-kubernetes-validations" {
            compare_validations(comparer, from, to, path);
            continue;
        }
        if keyword == SELECTABLE {
            compare_selectable(comparer, from, to, path);
            continue;
        }
        let (what, mut writers) = judged(keyword, from, to);
        if what == ChangeKind::RuleChanged && comparer.is_custom() {
            // What it refuses now may be what it took.
            writers = Severity::Breaking;
        }
        if REPORTING.contains(&keyword) || is_about_new(keyword, to, a) {
            writers = writers.min(Severity::Info);
        }
        let readers = match what {
            ChangeKind::RuleLoosened | ChangeKind::RuleRemoved => Severity::Info,
            _ => Severity::None,
        };
        let change = comparer.push(path, what, (readers, writers));
        change.from = from.map(|value| rule(keyword, value));
        change.to = to.map(|value| rule(keyword, value));
    }
}

/// Returns true if a rule is about fields alone that the earlier release lacks.
fn is_about_new(keyword: &str, to: Option<&Value>, a: &Node<'_>) -> bool {
    let fields = to
        .filter(|_| keyword == "x-dependent-required")
        .and_then(Value::as_object);
    fields.is_some_and(|fields| {
        fields
            .keys()
            .all(|field| !a.properties.contains_key(field.as_str()))
    })
}

/// Classifies the change of a rule, with its severity for writers.
fn judged(keyword: &str, from: Option<&Value>, to: Option<&Value>) -> (ChangeKind, Severity) {
    let is_loosening = LOOSENING.contains(&keyword);
    match (from, to) {
        (None, _) if is_loosening => (ChangeKind::RuleLoosened, Severity::Info),
        (_, None) if is_loosening => (ChangeKind::RuleTightened, Severity::Breaking),
        (None, _) => (ChangeKind::RuleAdded, Severity::Breaking),
        (_, None) => (ChangeKind::RuleRemoved, Severity::Info),
        (Some(from), Some(to)) => match limit(keyword, from, to) {
            Some(true) => (ChangeKind::RuleTightened, Severity::Breaking),
            Some(false) => (ChangeKind::RuleLoosened, Severity::Info),
            None => (ChangeKind::RuleChanged, Severity::Warning),
        },
    }
}

/// Returns true if another limit refuses more, where the keyword is one.
fn limit(keyword: &str, from: &Value, to: &Value) -> Option<bool> {
    if COMBINATIONS.contains(&keyword) {
        return restrictions::combination(keyword, from, to);
    }
    if ["minimum", "minLength", "minItems", "minProperties"].contains(&keyword) {
        return restrictions::is_less(from, to);
    }
    let limits = [
        "maximum",
        "maxLength",
        "maxItems",
        "maxProperties",
        "x-max-total-length",
    ];
    if limits.contains(&keyword) {
        return restrictions::is_less(to, from);
    }
    let (from, to) = (from.as_f64()?, to.as_f64()?);
    if keyword == "multipleOf" {
        // The multiples of 4 are multiples of 2.
        let is_multiple = |one: f64, other: f64| one % other == 0.0;
        let is_known = is_multiple(to, from) || is_multiple(from, to);
        return is_known.then_some(is_multiple(to, from));
    }
    None
}

/// A rule in CEL.
struct Validation<'v> {
    /// The rule in words, shortened.
    words: String,
    schema: &'v Value,
}

/// The validations by their rules, and by their numbers among those with the same rule.
fn validations(value: Option<&Value>) -> BTreeMap<(&str, usize), Validation<'_>> {
    let rules = value.and_then(Value::as_array).into_iter().flatten();
    let mut found = BTreeMap::new();
    for schema in rules {
        let rule = schema.get("rule");
        let text = rule.and_then(Value::as_str).unwrap_or_default();
        let words = match text.split_whitespace().collect::<String>().as_str() {
            "self==oldSelf" | "oldSelf==self" => "immutable".to_owned(),
            _ => rule.map(plain).unwrap_or_default(),
        };
        let is_same = |(other, _): &&(&str, usize)| *other == text;
        let number = found.keys().filter(is_same).count();
        found.insert((text, number), Validation { words, schema });
    }
    found
}

/// Compares the fields by which readers can select.
fn compare_selectable(
    comparer: &mut Comparer<'_>,
    from: Option<&Value>,
    to: Option<&Value>,
    path: &str,
) {
    let fields = |value: Option<&Value>| -> BTreeSet<String> {
        let fields = value.and_then(Value::as_array).into_iter().flatten();
        let paths = fields.filter_map(|field| field.get("fieldPath"));
        paths.map(plain).collect()
    };
    let (from, to) = (fields(from), fields(to));
    let list = |fields: BTreeSet<String>| {
        let fields = fields.into_iter().collect::<Vec<_>>().join(", ");
        (!fields.is_empty()).then(|| format!("selectable fields: {fields}"))
    };
    if let Some(gone) = list(&from - &to) {
        let severities = (Severity::Breaking, Severity::None);
        comparer
            .push(path, ChangeKind::RuleRemoved, severities)
            .from = Some(gone);
    }
    if let Some(new) = list(&to - &from) {
        let severities = (Severity::Info, Severity::None);
        comparer.push(path, ChangeKind::RuleAdded, severities).to = Some(new);
    }
}

fn compare_validations(
    comparer: &mut Comparer<'_>,
    from: Option<&Value>,
    to: Option<&Value>,
    path: &str,
) {
    let (from, to) = (validations(from), validations(to));
    let message = |rule: &Value| rule.get("message").cloned();
    let rest = |rule: &Value| {
        let mut rest = rule.clone();
        rest.as_object_mut()
            .map(|members| members.remove("message"));
        rest
    };
    // A rule about the old object counts for new ones too if it says that there may be none.
    let transition = |rule: &Value| rule.get("optionalOldSelf") == Some(&Value::Bool(true));
    for (_, pair) in pairs(&from, &to) {
        let (words, pair) = match pair {
            Pair::Both(rule, other) => (&rule.words, Pair::Both(rule.schema, other.schema)),
            Pair::First(rule) => (&rule.words, Pair::First(rule.schema)),
            Pair::Second(rule) => (&rule.words, Pair::Second(rule.schema)),
        };
        match pair {
            Pair::Both(rule, other) if transition(rule) != transition(other) => {
                let (what, severities) = match transition(other) {
                    true => (
                        ChangeKind::RuleTightened,
                        (Severity::None, Severity::Breaking),
                    ),
                    false => (ChangeKind::RuleLoosened, (Severity::Info, Severity::Info)),
                };
                let said = |is_of_all| {
                    if is_of_all {
                        "of all objects"
                    } else {
                        "of updates only"
                    }
                };
                let [from, to] = [rule, other].map(|rule| said(transition(rule)));
                let change = comparer.push(path, what, severities);
                change.from = Some(from.to_owned());
                change.to = Some(to.to_owned());
                change.details.push(words.clone());
            }
            Pair::Both(rule, other) if rest(rule) != rest(other) => {
                let severities = (Severity::None, Severity::Info);
                let change = comparer.push(path, ChangeKind::RuleChanged, severities);
                change.to = Some(words.clone());
                change
                    .details
                    .push("errors are reported in another way".to_owned());
            }
            Pair::Both(rule, other) if message(rule) != message(other) => {
                comparer.text(path, "message");
            }
            Pair::Both(..) => {}
            Pair::First(_) => {
                let severities = (Severity::Info, Severity::Info);
                let change = comparer.push(path, ChangeKind::RuleRemoved, severities);
                change.from = Some(words.clone());
            }
            Pair::Second(_) => {
                let severities = (Severity::None, Severity::Breaking);
                let change = comparer.push(path, ChangeKind::RuleAdded, severities);
                change.to = Some(words.clone());
            }
        }
    }
}
