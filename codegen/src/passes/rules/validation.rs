//! `x-kubernetes-validations`: rules in CEL, of which some become checks.

use serde::Deserialize;
use serde_json::Value;

use super::{Reader, cel};
use crate::diag::Pointer;
use crate::keyword::{Sort, suggest};
use crate::model::{
    self, Argument, Call, Check, ErrorType, Immutable, Lifecycle, Takes,
};
use crate::release::{Release, Releases};

const NAME: &str = "x-kubernetes-validations";

/// The keywords of a rule: Kubernetes' own, then ours.
const KEYWORDS: [&str; 11] = [
    "rule",
    "message",
    "messageExpression",
    "reason",
    "fieldPath",
    "optionalOldSelf",
    "x-releases",
    "x-unless",
    "x-reported-above",
    "x-before",
    "x-unchecked",
];

/// One rule. Kubernetes' `messageExpression`, `fieldPath` and `optionalOldSelf` mean nothing to
/// a rule that is translated, and stay unread in one that isn't checked.
#[derive(Deserialize)]
struct Validation {
    rule: String,
    message: Option<String>,
    reason: Option<String>,
    #[serde(rename = "x-releases", default)]
    releases: Releases,
    #[serde(rename = "x-unless")]
    unless: Option<Lifecycle>,
    #[serde(rename = "x-reported-above")]
    above: Option<u64>,
    #[serde(rename = "x-before")]
    earlier: Option<Earlier>,
    #[serde(rename = "x-unchecked")]
    unchecked: Option<String>,
}

/// What earlier servers do otherwise.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Earlier {
    release: Release,
    reason: Option<String>,
    reported_at: Option<String>,
    #[serde(default)]
    exact: bool,
}

impl Reader<'_> {
    /// The rules of a value.
    pub(super) fn validations(
        &mut self,
        value: &Value,
        sort: Sort,
        pointer: &Pointer,
    ) -> Vec<Check> {
        let mut checks = Vec::new();
        for (validation, value, pointer) in self.read(value, pointer) {
            let found = match validation.unchecked {
                Some(reason) => Some(Check::Unchecked((validation.rule, reason))),
                None => self.translated(validation, &value, sort, &pointer),
            };
            checks.extend(found);
        }
        checks
    }

    /// The rules of a type as a whole, none of which can be translated: what isn't checked, and
    /// why.
    pub(super) fn unchecked(
        &mut self,
        value: &Value,
        pointer: &Pointer,
    ) -> Vec<(String, String)> {
        let mut unchecked = Vec::new();
        for (validation, _, pointer) in self.read(value, pointer) {
            match validation.unchecked {
                Some(reason) => unchecked.push((validation.rule, reason)),
                None => self.untranslated(
                    &pointer,
                    "a rule of a type as a whole isn't translated".to_owned(),
                ),
            }
        }
        unchecked
    }

    fn read(
        &mut self,
        value: &Value,
        pointer: &Pointer,
    ) -> Vec<(Validation, Value, Pointer)> {
        let Value::Array(values) = value else {
            self.wrong::<()>(NAME, value, "a list of rules", pointer);
            return Vec::new();
        };
        let mut found = Vec::new();
        for (index, value) in values.iter().enumerate() {
            let pointer = pointer.child(NAME).child(index);
            let names = value.as_object().into_iter().flat_map(|rule| rule.keys());
            let unknown = names.filter(|name| !KEYWORDS.contains(&name.as_str()));
            let unknown: Vec<_> = unknown.collect();
            for name in &unknown {
                let message =
                    format!("unknown keyword `{}` of a rule", name.escape_debug());
                self.report(&pointer, message, suggest(name, KEYWORDS));
            }
            match Validation::deserialize(value) {
                Ok(validation) => found.push((validation, value.clone(), pointer)),
                // One of its keywords is misspelt, which has been reported.
                Err(_) if !unknown.is_empty() => {}
                Err(error) => {
                    let message = format!("not a rule: {error}");
                    self.report(&pointer, message, super::SEE);
                }
            }
        }
        found
    }

    fn translated(
        &mut self,
        validation: Validation,
        value: &Value,
        sort: Sort,
        pointer: &Pointer,
    ) -> Option<Check> {
        for name in ["messageExpression", "fieldPath", "optionalOldSelf"] {
            if value.get(name).is_some() {
                let message =
                    format!("`{name}` has no effect on a rule that is checked");
                self.report(pointer, message, "remove it");
            }
        }
        let rule = match cel::translate(&validation.rule) {
            Ok(rule) => rule,
            Err(message) => {
                self.untranslated(pointer, message);
                return None;
            }
        };
        match rule {
            cel::Rule::Immutable => self.immutable(validation, pointer),
            cel::Rule::In(values) => {
                self.accepted(validation, value, values, sort, pointer)
            }
        }
    }

    fn immutable(&mut self, validation: Validation, pointer: &Pointer) -> Option<Check> {
        let error_type = self.error_type(validation.reason.as_deref(), pointer)?;
        let earlier = match validation.earlier {
            None => None,
            Some(earlier) => Some(model::Earlier {
                release: earlier.release,
                error_type: match earlier.reason {
                    Some(reason) => self.error_type(Some(&reason), pointer)?,
                    None => error_type,
                },
                reported_at: earlier.reported_at,
                exact: earlier.exact,
            }),
        };
        Some(Check::Immutable(Immutable {
            error_type,
            message: validation.message,
            releases: validation.releases,
            unless: validation.unless,
            feature: None,
            above: validation.above.unwrap_or_default(),
            earlier,
        }))
    }

    /// The type of error that a reason names; Invalid if there is none.
    fn error_type(
        &mut self,
        reason: Option<&str>,
        pointer: &Pointer,
    ) -> Option<ErrorType> {
        let error_type = reason.map_or(Some(ErrorType::Invalid), ErrorType::parse);
        if error_type.is_none() {
            self.unknown_type(reason.unwrap_or_default(), pointer);
        }
        error_type
    }

    fn accepted(
        &mut self,
        validation: Validation,
        value: &Value,
        values: Vec<String>,
        sort: Sort,
        pointer: &Pointer,
    ) -> Option<Check> {
        let of_immutable =
            ["reason", "x-releases", "x-unless", "x-reported-above", "x-before"];
        for name in of_immutable {
            if value.get(name).is_some() {
                let message = format!("`{name}` has no effect on `self in […]`");
                self.report(pointer, message, "remove it");
            }
        }
        if !matches!(sort, Sort::Enumeration | Sort::Text) {
            self.unfit("self in", pointer);
            return None;
        }
        let mut arguments = vec![Argument::Texts(values)];
        let method = match validation.message {
            Some(message) => {
                arguments.push(Argument::Text(message));
                "accepted"
            }
            None => "known",
        };
        let takes = match sort {
            Sort::Enumeration => Takes::AsStr,
            _ => Takes::Text,
        };
        Some(Check::Call(Call::new(method, takes, arguments)))
    }

    fn untranslated(&mut self, pointer: &Pointer, message: String) {
        let help = "`self == oldSelf` and `self in [\"…\"]` are translated; for another rule say \
                    with an overlay why it isn't checked, `x-unchecked: reason`, which the \
                    documentation repeats";
        self.report(pointer, message, help);
    }
}
