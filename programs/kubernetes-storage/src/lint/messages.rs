//! The diagnostic messages.

use kubernetes_kinds::convert::UnrepresentableField;
use kubernetes_kinds::{GroupVersionKind, Lifecycle, Release};
use kubernetes_manifests::scheme::{Reason, Scheme, SchemeError};
use kubernetes_manifests::strict::{FieldError, FieldErrorKind};
use kubernetes_validation::{Error, ErrorType, FieldPath, Segment, Warning};
use serde_json::Value;

use super::finding::{Message, Severity};
use super::note::Note;
use crate::input::ReadError;
use crate::kinds::{self, UnknownKind};
use crate::older::Advice;
use crate::text::{nearest, truncate};

/// The most characters of a value that a message shows.
const MAX_VALUE: usize = 60;

/// The names of a message: its reason, the reason in words, and its rule.
type Names = (&'static str, &'static str, &'static str);

/// Returns a message without a field of the server.
fn message(
    severity: Severity,
    path: impl Into<String>,
    (reason, title, rule): Names,
    text: String,
) -> Message {
    Message {
        severity,
        path: path.into(),
        field: None,
        reason,
        rule,
        title: title.to_owned(),
        text,
    }
}

/// Parses the path that a text shows: `spec.drivers[0].name`, or with a key in brackets.
pub(super) fn path(text: &str) -> FieldPath {
    let mut segments = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let end = match rest.strip_prefix('[') {
            Some(inside) => {
                let end = inside.find(']').unwrap_or(inside.len());
                let (key, _) = inside.split_at(end);
                segments.push(match key.parse() {
                    Ok(index) => Segment::Index(index),
                    Err(_) => Segment::Key(key.to_owned()),
                });
                end + 2
            }
            None => {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                segments.push(Segment::Field(rest.split_at(end).0.to_owned().into()));
                end
            }
        };
        rest = rest.get(end..).unwrap_or_default();
    }
    segments.into_iter().collect()
}

/// An unknown or duplicate field.
pub(super) fn field_error(error: &FieldError) -> Message {
    let name = match error.location.path.segments().last() {
        Some(Segment::Field(name)) => name,
        Some(Segment::Key(name)) => name.as_str(),
        _ => "",
    };
    let (names, text) = match error.kind {
        FieldErrorKind::Unknown => {
            let help = nearest(name, error.known.iter().copied()).map_or_else(
                || "correct its name or position, or remove it".to_owned(),
                |meant| format!("did you mean {meant}?"),
            );
            (UNKNOWN_FIELD, format!("no such field; {help}"))
        }
        _ => {
            let text = "set more than once; remove one".to_owned();
            (DUPLICATE_FIELD, text)
        }
    };
    Message {
        field: Some(error.path.clone()),
        ..message(Severity::Error, &error.path, names, text)
    }
}

const UNKNOWN_FIELD: Names = ("UnknownField", "Unknown field", "unknownField");
const DUPLICATE_FIELD: Names = ("DuplicateField", "Duplicate field", "duplicateField");
const WRONG_TYPE: Names = ("Unreadable", "Wrong type", "wrongType");

/// Returns true for what is found when an object is read.
pub(super) fn is_of_reading(message: &Message) -> bool {
    let reasons = [UNKNOWN_FIELD, DUPLICATE_FIELD, WRONG_TYPE].map(|(reason, ..)| reason);
    reasons.contains(&message.reason)
}

/// A document that can't be decoded; `outer` is the path of the object in its document.
pub(super) fn decode_error(error: &SchemeError, outer: &FieldPath) -> Message {
    let names = match error.reason() {
        Reason::Syntax { .. } => SYNTAX_ERROR,
        Reason::Unnamed { .. } => ("Unnamed", "Incomplete", "unnamed"),
        _ => WRONG_TYPE,
    };
    let path = error.location().path.segments();
    let path = path.strip_prefix(outer.segments()).unwrap_or(path);
    let path: FieldPath = path.iter().cloned().collect();
    let text = truncate(&error.reason().to_string(), 300);
    message(Severity::Error, path.to_string(), names, text)
}

const SYNTAX_ERROR: Names = ("Syntax", "Syntax error", "syntax");

/// A file that is not UTF-8.
pub(super) fn not_utf8() -> Message {
    let text = ReadError::NOT_UTF8.to_owned();
    message(Severity::Error, "", SYNTAX_ERROR, text)
}

/// A field that the template of a Pod's claim doesn't have.
pub(super) fn not_in_template(name: &str) -> Message {
    let text = "a Pod's claim has only metadata and spec; remove it".to_owned();
    Message {
        field: Some(name.to_owned()),
        ..message(Severity::Error, name, UNKNOWN_FIELD, text)
    }
}

/// A volume of a Pod that must have a claim, and doesn't.
pub(super) fn no_claim(path: &FieldPath) -> Message {
    let path = path.to_string();
    let names = (ErrorType::Required.reason(), "Required value", "required");
    let text = "an ephemeral volume is made of a claim; add one with a spec".to_owned();
    Message {
        field: Some(path.clone()),
        ..message(Severity::Error, path, names, text)
    }
}

/// A value in whose place a server expects another.
pub(super) fn wrong_type(path: &FieldPath, found: &Value, expected: &str) -> Message {
    let found = truncate(&found.to_string(), MAX_VALUE);
    let text = format!("{found}: expected {expected}");
    message(Severity::Error, path.to_string(), WRONG_TYPE, text)
}

/// The rule of metadata that a Pod's claim can't have.
pub(super) const NOT_SETTABLE: &str = "claimTemplateMetadata";

/// Metadata that a Pod's claim can't have.
pub(super) fn not_settable(path: &FieldPath) -> Message {
    let path = path.to_string();
    let names = (ErrorType::Forbidden.reason(), "Forbidden", NOT_SETTABLE);
    let text = "a Pod's claim is named after the Pod and the volume; only annotations and labels \
                can be set";
    Message {
        field: Some(path.clone()),
        ..message(Severity::Error, path, names, text.to_owned())
    }
}

/// A kind or version that Kubernetes has never had.
pub(super) fn unknown_kind(kind: &UnknownKind) -> Message {
    let names = ("UnknownKind", "Unknown kind", "unknownKind");
    message(Severity::Error, kind.field, names, kind.to_string())
}

/// An object that is already defined at `first`.
pub(super) fn duplicate_object(first: &str) -> Message {
    message(
        Severity::Error,
        "metadata.name",
        ("DuplicateObject", "Duplicate object", "duplicateObject"),
        format!("already defined at {first}; one would replace the other"),
    )
}

/// A version of a custom resource that its definition has deprecated, or doesn't serve any more.
pub(super) fn older_version(advice: Advice) -> Message {
    let (severity, names, text) = match advice {
        Advice::Deprecated(text) => (Severity::Warning, DEPRECATED, text),
        Advice::NotServed(text) => (Severity::Error, NOT_SERVED, text),
    };
    message(severity, "apiVersion", names, text)
}

/// A field that only a later version of the custom resource has, which is `old` in this one.
pub(super) fn later_name(path: &FieldPath, old: &str) -> Message {
    let path = path.to_string();
    let text = format!("no such field; this version has {old}");
    Message {
        field: Some(path.clone()),
        ..message(Severity::Error, path, UNKNOWN_FIELD, text)
    }
}

const NOT_SERVED: Names = ("NotServed", "Not served", "notServed");
const DEPRECATED: Names = ("Deprecated", "Warning", "deprecatedVersion");

/// A version that a release doesn't serve, has deprecated, or serves only if it is enabled.
pub(super) fn lifecycle(
    scheme: &Scheme,
    kind: &GroupVersionKind,
    lifecycle: &Lifecycle,
    release: Release,
) -> Option<Message> {
    if let Some(text) = not_served(scheme, kind, lifecycle, release) {
        return Some(message(Severity::Error, "apiVersion", NOT_SERVED, text));
    }
    let version = &kind.group_version.version;
    let flag = (!lifecycle.is_served_by_default(version, release)).then(|| {
        let version = &kind.group_version;
        format!("served only with --runtime-config={version}=true")
    });
    let deprecated = lifecycle.deprecated.filter(|since| *since <= release);
    let (names, text) = match (deprecated, flag) {
        (None, None) => return None,
        (None, Some(flag)) => (
            ("NotServedByDefault", "Warning", "notServedByDefault"),
            flag,
        ),
        (Some(since), flag) => {
            let removed = lifecycle.removed.map(|end| format!(", removed in {end}"));
            let text = format!(
                "deprecated since Kubernetes {since}{}; {}{}",
                removed.unwrap_or_default(),
                replacement(kind, lifecycle),
                flag.map_or_else(String::new, |flag| format!("; {flag}")),
            );
            (DEPRECATED, text)
        }
    };
    Some(message(Severity::Warning, "apiVersion", names, text))
}

/// Returns the message of a version that a release doesn't serve.
fn not_served(
    scheme: &Scheme,
    kind: &GroupVersionKind,
    lifecycle: &Lifecycle,
    release: Release,
) -> Option<String> {
    let introduced = lifecycle.introduced;
    if release < introduced {
        let help = served_version(scheme, kind, release).map_or_else(
            || format!("Kubernetes {release} serves no version of this kind"),
            |other| format!("use apiVersion {other}"),
        );
        return Some(format!("introduced in Kubernetes {introduced}; {help}"));
    }
    let removed = lifecycle.removed.filter(|removed| *removed <= release)?;
    let help = replacement(kind, lifecycle);
    Some(format!("removed in Kubernetes {removed}; {help}"))
}

/// Returns the advice for a version that is deprecated or removed.
fn replacement(kind: &GroupVersionKind, lifecycle: &Lifecycle) -> String {
    match lifecycle.replacement {
        None => "no replacement".to_owned(),
        Some(new) if new.kind == kind.kind => format!("use apiVersion {}", new.api_version),
        Some(new) => format!("use apiVersion {}, kind {}", new.api_version, new.kind),
    }
}

/// Returns another version of a kind that a release serves.
fn served_version(scheme: &Scheme, kind: &GroupVersionKind, release: Release) -> Option<String> {
    let mut others = kinds::registered(scheme).filter(|known| {
        known.kind.group_version.group == kind.group_version.group && known.kind.kind == kind.kind
    });
    let other = others.find(|other| {
        other
            .lifecycle
            .is_none_or(|lifecycle| lifecycle.is_served(release))
    })?;
    Some(other.kind.group_version.to_string())
}

/// An object that can't be converted to the served version.
pub(super) fn not_convertible(error: &SchemeError) -> Message {
    let path = error.location().path.to_string();
    let text = error.reason().to_string();
    let text = text.strip_prefix(&format!("{path}: ")).unwrap_or(&text);
    let names = ("NotConvertible", "Not convertible", "notConvertible");
    message(Severity::Error, path, names, text.to_owned())
}

/// A field that the served version cannot represent.
pub(super) fn unrepresentable(field: &UnrepresentableField, to: &GroupVersionKind) -> Message {
    message(
        Severity::Warning,
        field.path.to_string(),
        ("Lost", "Warning", "unrepresentable"),
        format!(
            "{to} cannot represent {}",
            truncate(&field.value.to_string(), MAX_VALUE)
        ),
    )
}

/// A validation error.
pub(super) fn validation_error(error: &Error) -> Message {
    let value = error.value.as_ref().map(ToString::to_string);
    let value = value.map_or_else(String::new, |value| truncate(&value, MAX_VALUE) + ": ");
    let found = error
        .value
        .as_ref()
        .and_then(Value::as_str)
        .unwrap_or_default();
    let accepted = error.accepted.iter().copied();
    let meant = nearest(found, accepted.filter(|name| !name.is_empty()));
    let meant = meant.map_or_else(String::new, |meant| format!("; did you mean {meant:?}?"));
    Message {
        severity: Severity::Error,
        path: error.path.to_string(),
        field: Some(error.field.clone()),
        reason: error.error_type.reason(),
        rule: error.rule,
        title: error.error_type.to_string(),
        text: format!("{value}{}{meant}", error.detail),
    }
}

/// A warning of the server.
pub(super) fn warning(warning: &Warning) -> Message {
    let path = warning.path.to_string();
    let names = ("Warning", "Warning", "serverWarning");
    message(Severity::Warning, path, names, warning.message.clone())
}

/// A field that the server drops because its feature gate is off.
pub(super) fn gate_disabled(path: &FieldPath, release: Release) -> Message {
    message(
        Severity::Warning,
        path.to_string(),
        ("NotKept", "Warning", "gateDisabled"),
        format!(
            "Kubernetes {release} drops the field: its feature gate is disabled; see --feature-gate"
        ),
    )
}

/// A field that every server drops because of its value.
pub(super) fn ignored(path: &FieldPath) -> Message {
    let text = match path.to_string().as_str() {
        "spec.dataSource" => {
            "a server drops it: it takes a PersistentVolumeClaim, or a VolumeSnapshot with apiGroup \
             snapshot.storage.k8s.io; for other kinds, use dataSourceRef"
        }
        _ => "a server drops the field because of its value",
    };
    let names = ("NotKept", "Warning", "droppedValue");
    message(Severity::Warning, path.to_string(), names, text.to_owned())
}

/// A field that only other releases have.
pub(super) fn other_release_field(path: &FieldPath, release: Release, is_strict: bool) -> Message {
    let severity = if is_strict {
        Severity::Error
    } else {
        Severity::Warning
    };
    let text = format!(
        "Kubernetes {release} has no such field, but other releases do; the server drops it, or \
         rejects it with fieldValidation=Strict"
    );
    let (reason, title, _) = UNKNOWN_FIELD;
    let names = (reason, title, "fieldOfOtherRelease");
    message(severity, path.to_string(), names, text)
}

/// A comment that doesn't name a rule.
pub(super) fn unknown_rule(text: &str) -> Message {
    let names = ("UnknownRule", "Unknown rule", "unknownRule");
    message(Severity::Warning, "", names, text.to_owned())
}

/// A comment that ignores a rule which nothing breaks.
pub(super) fn unused_ignore(rule: &str) -> Message {
    let names = ("UnusedIgnore", "Note", "unusedIgnore");
    let text = format!("nothing here breaks `{rule}`; remove the comment");
    message(Severity::Note, "", names, text)
}

/// A part that isn't checked, with the reason.
pub(super) fn note(note: Note, path: &str) -> Message {
    let text = note.text().to_owned();
    let names = (note.reason(), "Note", note.rule());
    message(Severity::Note, path, names, text)
}

/// A value that a template engine replaces, of which only the rest of the object is checked.
pub(super) fn placeholder(path: &str) -> Message {
    let text = "a placeholder, not checked; lint the rendered manifests as well";
    let names = (Note::Template.reason(), "Note", Note::Template.rule());
    message(Severity::Note, path, names, text.to_owned())
}
