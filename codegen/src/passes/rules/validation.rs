//! `x-kubernetes-validations`: rules in CEL, of which some become checks.

use serde::Deserialize;
use serde_json::Value;

use super::Reader;
use crate::keyword::{ValueKind, suggest};
use crate::model::{
    self, Argument, Call, CelForm, CelRule, Check, ErrorType, Immutable, Lifecycle, Node, Stored,
    Ty, ValueForm,
};
use crate::passes::features;
use crate::pointer::Pointer;
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

/// One rule.
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

/// The differences of earlier servers.
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
    /// The rules of a value of a type.
    pub(super) fn validations(
        &mut self,
        value: &Value,
        of: (&Ty, &CelForm, Option<ValueKind>),
        pointer: &Pointer,
    ) -> Vec<Check> {
        let mut checks = Vec::new();
        for (validation, value, pointer) in self.read(value, pointer) {
            match validation.unchecked {
                Some(reason) => self.leave(&pointer, validation.rule, reason),
                None => checks.extend(self.translated(validation, &value, of, &pointer)),
            }
        }
        checks
    }

    fn read(&mut self, value: &Value, pointer: &Pointer) -> Vec<(Validation, Value, Pointer)> {
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
                let message = format!("unknown keyword `{}` of a rule", name.escape_debug());
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
        (ty, form, sort): (&Ty, &CelForm, Option<ValueKind>),
        pointer: &Pointer,
    ) -> Option<Check> {
        let rule = validation.rule.clone();
        let parsed = self.cel.parse(&rule);
        let parsed = match &*parsed {
            Ok(parsed) => parsed,
            Err(what) => return self.untranslated(pointer, rule, what.clone()),
        };
        // For Kubernetes' own kinds, these say what the server checks in Go, which is more.
        if let (Some(sort), false) = (sort, self.version.is_custom) {
            if parsed.is_immutable() {
                self.ignored(&["messageExpression", "fieldPath"], value, pointer);
                return self.immutable(validation, pointer);
            }
            if let Some(values) = parsed.accepted() {
                self.ignored(&["messageExpression", "fieldPath"], value, pointer);
                return self.accepted(validation, value, values, sort, pointer);
            }
        }
        let is_optional = value.get("optionalOldSelf") == Some(&Value::Bool(true));
        match parsed.translate(self.version, (ty, form), is_optional) {
            // A server refuses it.
            Ok(holds) if is_optional && holds.stored() == Stored::Unused => {
                let what = "`optionalOldSelf` without `oldSelf`".to_owned();
                self.untranslated(pointer, rule, what)
            }
            Ok(holds) => self.in_cel(validation, holds, value, pointer),
            Err(what) => self.untranslated(pointer, rule, what),
        }
    }

    /// A rule that is evaluated as a server does. What its `messageExpression` says is only known
    /// to a server; `message` takes its place.
    fn in_cel(
        &mut self,
        validation: Validation,
        holds: Node,
        value: &Value,
        pointer: &Pointer,
    ) -> Option<Check> {
        let ours = ["x-releases", "x-unless", "x-reported-above", "x-before"];
        self.ignored(&ours, value, pointer);
        let below = match value.get("fieldPath").map(below) {
            None => Vec::new(),
            Some(Some(below)) => below,
            Some(None) => {
                let place = &pointer.child("fieldPath");
                let help = "write the names of fields below the value, `.spec.replicas`";
                let left = (validation.rule, "`fieldPath` is not a path of fields");
                self.cannot(place, left, "not a path of fields", help);
                return None;
            }
        };
        Some(Check::Cel(Box::new(CelRule {
            text: validation.rule,
            message: validation.message,
            error_type: self.error_type(validation.reason.as_deref(), pointer)?,
            below,
            stored: holds.stored(),
            holds,
        })))
    }

    /// Reports keywords of a rule that change nothing of how it is checked.
    fn ignored(&mut self, names: &[&str], value: &Value, pointer: &Pointer) {
        for name in names {
            if value.get(*name).is_some() {
                let message = format!("`{name}` has no effect on this rule");
                self.report(pointer, message, "remove it");
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
        let lifting = validation.unless.as_ref().and_then(features::of_lifecycle);
        Some(Check::Immutable(Immutable {
            error_type,
            message: validation.message,
            releases: validation.releases,
            unless: validation.unless,
            feature: lifting.map(|feature| feature.name),
            above: validation.above.unwrap_or_default(),
            earlier,
        }))
    }

    /// The type of error that a reason names; Invalid if there is none.
    fn error_type(&mut self, reason: Option<&str>, pointer: &Pointer) -> Option<ErrorType> {
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
        sort: ValueKind,
        pointer: &Pointer,
    ) -> Option<Check> {
        let of_immutable = [
            "reason",
            "x-releases",
            "x-unless",
            "x-reported-above",
            "x-before",
        ];
        self.ignored(&of_immutable, value, pointer);
        if !matches!(sort, ValueKind::Enumeration | ValueKind::Text) {
            self.unfit("self in", &values.into(), pointer);
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
            ValueKind::Enumeration => ValueForm::AsStr,
            _ => ValueForm::Text,
        };
        Some(Check::Call(Call::new(method, takes, arguments)))
    }

    /// Leaves or reports a rule that isn't translated.
    fn untranslated(&mut self, pointer: &Pointer, rule: String, what: String) -> Option<Check> {
        let message = format!(
            "`{}` is not translated into a check: {what}",
            rule.escape_debug()
        );
        let help = "spec/overlays/README.md lists the CEL that is translated; for another rule, say \
                    in an overlay why it isn't checked: `x-unchecked: reason`, which the \
                    documentation repeats";
        self.cannot(pointer, (rule, &what), message, help);
        None
    }
}

/// The names of fields in a path, `.spec.replicas` or `.labels['a.b']`.
fn below(path: &Value) -> Option<Vec<String>> {
    let mut rest = path.as_str()?;
    let mut names = Vec::new();
    while !rest.is_empty() {
        let (name, after) = if let Some(quoted) = rest.strip_prefix("['") {
            quoted.split_once("']")?
        } else {
            let plain = rest.strip_prefix('.')?;
            plain.split_at(plain.find(['.', '[']).unwrap_or(plain.len()))
        };
        names.push((!name.is_empty()).then(|| name.to_owned())?);
        rest = after;
    }
    (!names.is_empty()).then_some(names)
}
