//! What keywords and extensions ask of values.
//!
//! They are read from the JSON of a schema, since openapiv3 drops those that stand beside a
//! reference.

use std::collections::BTreeMap;

use regex_lite::Regex;
use serde::Deserialize;
use serde_json::Value;

use super::Context;
use crate::diag::Pointer;
use crate::model::{
    Checks, FaultKind, Format, Immutable, Lifecycle, Place, TypeChecks, Unique,
};
use crate::name::{self, Ident};
use crate::release::{Release, Releases};

/// The keywords of a property or of the elements of a list. Others are no concern of checks.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Keywords {
    format: Option<String>,
    min_length: Option<u64>,
    max_length: Option<u64>,
    pattern: Option<String>,
    minimum: Option<serde_json::Number>,
    maximum: Option<serde_json::Number>,
    min_items: Option<u64>,
    max_items: Option<u64>,
    #[serde(default)]
    unique_items: bool,
    min_properties: Option<u64>,
    max_properties: Option<u64>,
    items: Option<Value>,
    #[serde(rename = "x-kubernetes-list-type")]
    list_type: Option<String>,
    #[serde(rename = "x-kubernetes-list-map-keys", default)]
    map_keys: Vec<String>,
    #[serde(rename = "x-kubernetes-validations", default)]
    validations: Vec<Validation>,
    #[serde(rename = "x-must-be-set", default)]
    must_be_set: bool,
    #[serde(rename = "x-check-empty", default)]
    check_empty: bool,
    #[serde(rename = "x-ignore-case", default)]
    ignore_case: bool,
    #[serde(rename = "x-keys-not-empty", default)]
    keys_not_empty: bool,
    #[serde(rename = "x-max-total-length")]
    max_total_length: Option<u64>,
    #[serde(rename = "x-unique-keys", default)]
    unique_keys: Vec<String>,
    #[serde(rename = "x-repeats-allowed", default)]
    repeats_allowed: bool,
    #[serde(rename = "x-fault", default)]
    faults: BTreeMap<String, String>,
    #[serde(rename = "x-reported-above", default)]
    above: u64,
    #[serde(rename = "x-reported-as")]
    reported_as: Option<String>,
    #[serde(rename = "x-check", default)]
    functions: Vec<String>,
    #[serde(rename = "x-warn", default)]
    warnings: Vec<String>,
    #[serde(rename = "x-set-defaults")]
    set_defaults: Option<String>,
}

/// One of `x-kubernetes-validations`.
#[derive(Deserialize)]
pub(super) struct Validation {
    rule: String,
    #[serde(default)]
    reason: Option<String>,
    #[serde(rename = "x-releases", default)]
    releases: Releases,
    #[serde(rename = "x-unless", default)]
    unless: Option<Lifecycle>,
    #[serde(rename = "x-reported-above", default)]
    above: u64,
}

impl Validation {
    /// Whether it says that an update must not change the value.
    fn is_immutability(&self) -> bool {
        self.rule == "self == oldSelf"
    }

    /// Whether it says so for every server of the release.
    pub(super) fn freezes(&self, release: Release) -> bool {
        let holds = self.releases.contain(release) && self.unless.is_none();
        self.is_immutability() && holds
    }
}

/// The keywords of a struct as a whole.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TypeKeywords {
    min_properties: Option<u64>,
    max_properties: Option<u64>,
    #[serde(rename = "x-dependent-required", default)]
    depends: BTreeMap<String, String>,
    #[serde(rename = "x-warn")]
    warning: Option<Warning>,
    #[serde(rename = "x-unconditional-update", default)]
    unconditional_update: bool,
    #[serde(rename = "x-names-on-create-only", default)]
    names_on_create_only: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Warning {
    function: String,
    fields: Vec<String>,
}

const SEE: &str = "spec/overlays/README.md tells what can be written";

/// What is asked of a property, or of the elements of a list.
pub(super) fn of(raw: &Value, pointer: &Pointer, cx: &mut Context<'_>) -> Checks {
    let keywords = match Keywords::deserialize(raw) {
        Ok(keywords) => keywords,
        Err(error) => {
            cx.fault(pointer, format!("a keyword of the wrong form: {error}"), SEE);
            return Checks::default();
        }
    };
    let (minimum, maximum) = (keywords.minimum.as_ref(), keywords.maximum.as_ref());
    let mut checks = Checks {
        must_be_set: keywords.must_be_set,
        not_empty_text: at_least_one("minLength", keywords.min_length, pointer, cx),
        checks_empty: keywords.check_empty,
        max_length: keywords.max_length,
        minimum: minimum.and_then(|number| whole("minimum", number, pointer, cx)),
        maximum: maximum.and_then(|number| whole("maximum", number, pointer, cx)),
        format: keywords.format.as_deref().and_then(named_format),
        pattern: keywords.pattern.as_deref().and_then(|text| pattern(text, pointer, cx)),
        lowered: keywords.ignore_case,
        not_empty: at_least_one("minItems", keywords.min_items, pointer, cx)
            || at_least_one("minProperties", keywords.min_properties, pointer, cx),
        max_entries: keywords.max_items.or(keywords.max_properties),
        keys_not_empty: keywords.keys_not_empty,
        max_total_length: keywords.max_total_length,
        unique: unique(&keywords),
        functions: functions("x-check", &keywords.functions, pointer, cx),
        warnings: functions("x-warn", &keywords.warnings, pointer, cx),
        set_defaults: keywords.set_defaults.as_ref().and_then(|name| {
            let names = std::slice::from_ref(name);
            functions("x-set-defaults", names, pointer, cx).pop()
        }),
        faults: faults(&keywords.faults, pointer, cx),
        place: Place {
            above: keywords.above,
            name: keywords.reported_as,
        },
        ..Checks::default()
    };
    for validation in keywords.validations {
        rule(validation, &mut checks, pointer, cx);
    }
    checks.items = keywords.items.map(|items| {
        let pointer = pointer.child("items");
        Box::new(of(&items, &pointer, cx))
    });
    checks
}

/// What is asked of a struct as a whole.
pub(super) fn of_type(
    raw: &Value,
    pointer: &Pointer,
    cx: &mut Context<'_>,
) -> TypeChecks {
    let keywords = match TypeKeywords::deserialize(raw) {
        Ok(keywords) => keywords,
        Err(error) => {
            cx.fault(pointer, format!("a keyword of the wrong form: {error}"), SEE);
            return TypeChecks::default();
        }
    };
    let warning = keywords.warning.and_then(|Warning { function, fields }| {
        let function = functions("x-warn", &[function], pointer, cx).pop()?;
        Some((function, fields))
    });
    let checks = TypeChecks {
        exactly_one: (keywords.min_properties, keywords.max_properties)
            == (Some(1), Some(1)),
        depends: keywords.depends,
        warning,
        unconditional_update: keywords.unconditional_update,
        names_on_create_only: keywords.names_on_create_only,
    };
    let named = checks.depends.iter().flat_map(|(one, other)| [one, other]);
    let named = named.chain(checks.warning.iter().flat_map(|(_, fields)| fields));
    for field in named {
        if raw.pointer("/properties").and_then(|p| p.get(field)).is_none() {
            let message = format!("`{}` is not a property", field.escape_debug());
            cx.fault(pointer, message, "a rule can only name properties of its schema");
        }
    }
    checks
}

/// Of x-kubernetes-validations, what is not CEL in general but one of two forms.
fn rule(
    validation: Validation,
    checks: &mut Checks,
    pointer: &Pointer,
    cx: &mut Context<'_>,
) {
    let pointer = &pointer.child("x-kubernetes-validations");
    if let Some(list) = validation.rule.strip_prefix("self in ") {
        match serde_json::from_str(list) {
            Ok(values) => checks.accepted = Some(values),
            Err(_) => cx.fault(
                pointer,
                format!("`{}` is no list of texts", list.escape_debug()),
                "write the list as JSON: `self in [\"Delete\", \"Retain\"]`",
            ),
        }
    } else if validation.is_immutability() {
        let reason = validation.reason.as_deref();
        let kind = reason.map_or(Some(FaultKind::Invalid), FaultKind::parse);
        if kind.is_none() {
            unknown_kind(reason.unwrap_or_default(), pointer, cx);
        }
        checks.immutable = kind.map(|kind| Immutable {
            kind,
            releases: validation.releases,
            unless: validation.unless,
            above: validation.above,
        });
    }
}

/// Whether an entry or byte must be there at all; more than that isn't told apart.
fn at_least_one(
    keyword: &str,
    value: Option<u64>,
    pointer: &Pointer,
    cx: &mut Context<'_>,
) -> bool {
    if value.is_some_and(|value| value > 1) {
        let message = format!("a {keyword} above 1");
        cx.fault(
            &pointer.child(keyword),
            message,
            "1, for not empty, is what can be checked",
        );
    }
    value == Some(1)
}

fn whole(
    keyword: &str,
    number: &serde_json::Number,
    pointer: &Pointer,
    cx: &mut Context<'_>,
) -> Option<i64> {
    let whole = number.as_i64();
    if whole.is_none() {
        let message = format!("a {keyword} that is no whole number: {number}");
        cx.fault(
            &pointer.child(keyword),
            message,
            "whole numbers are what can be checked",
        );
    }
    whole
}

/// A regular expression that `kubernetes_validation::Pattern` can read.
fn pattern(text: &str, pointer: &Pointer, cx: &mut Context<'_>) -> Option<String> {
    match Regex::new(text) {
        Ok(_) => Some(text.to_owned()),
        Err(error) => {
            let message = format!("no regular expression: {error}");
            cx.fault(
                &pointer.child("pattern"),
                message,
                "write it in the syntax of the crate regex-lite, which Go's is much like",
            );
            None
        }
    }
}

/// The formats that are checked; those of numbers and times are types.
pub(super) fn named_format(name: &str) -> Option<Format> {
    Some(match name {
        "dns1123Subdomain" => Format::DnsSubdomain,
        "dns1123Label" => Format::DnsLabel,
        "qualifiedName" => Format::QualifiedName,
        "labelValue" => Format::LabelValue,
        _ => return None,
    })
}

fn unique(keywords: &Keywords) -> Unique {
    let of = |keys: &[String], leaves_repeats| Unique::Keys {
        keys: keys.to_vec(),
        leaves_repeats,
    };
    match keywords.list_type.as_deref() {
        _ if keywords.repeats_allowed => Unique::No,
        _ if !keywords.unique_keys.is_empty() => of(&keywords.unique_keys, true),
        Some("map") if !keywords.map_keys.is_empty() => of(&keywords.map_keys, false),
        Some("set") => Unique::Whole,
        _ if keywords.unique_items => Unique::Whole,
        _ => Unique::No,
    }
}

fn functions(
    extension: &str,
    names: &[String],
    pointer: &Pointer,
    cx: &mut Context<'_>,
) -> Vec<Ident> {
    let mut functions = Vec::new();
    for function in names {
        match name::rule_function(function) {
            Some(function) => functions.push(function),
            None => cx.fault(
                &pointer.child(extension),
                format!("`{}` can't be the name of a function", function.escape_debug()),
                "name a function of `kubernetes_validation::rules`",
            ),
        }
    }
    functions
}

fn faults(
    given: &BTreeMap<String, String>,
    pointer: &Pointer,
    cx: &mut Context<'_>,
) -> BTreeMap<String, FaultKind> {
    let pointer = &pointer.child("x-fault");
    let mut faults = BTreeMap::new();
    for (keyword, kind) in given {
        match FaultKind::parse(kind) {
            Some(kind) => {
                faults.insert(keyword.clone(), kind);
            }
            None => unknown_kind(kind, pointer, cx),
        }
    }
    faults
}

fn unknown_kind(kind: &str, pointer: &Pointer, cx: &mut Context<'_>) {
    cx.fault(
        pointer,
        format!("`{}` is no kind of fault", kind.escape_debug()),
        "known are Required, Invalid, NotSupported, Duplicate, TooLong, TooMany and Forbidden",
    );
}
