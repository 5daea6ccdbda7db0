//! The sentences: what is told of each thing that is found.

use kubernetes_kinds::convert::UnrepresentableField;
use kubernetes_kinds::{GroupVersionKind, Lifecycle, Release};
use kubernetes_manifests::scheme::{Reason, Scheme, SchemeError};
use kubernetes_manifests::strict::{FieldError, FieldErrorKind};
use kubernetes_validation::{Error, FieldPath, Segment, Warning};
use serde_json::Value;

use crate::finding::{Note, Severity};

/// A note without a path in the server's words and without a rule.
fn note(
    severity: Severity,
    path: impl Into<String>,
    (reason, title): (&'static str, &str),
    message: String,
) -> Note {
    Note {
        severity,
        path: path.into(),
        field: None,
        reason,
        rule: None,
        title: title.to_owned(),
        message,
    }
}

/// The path that a text shows: `spec.drivers[0].name`, or with a key in brackets.
pub(crate) fn path(text: &str) -> FieldPath {
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
pub(crate) fn strict(error: &FieldError) -> Note {
    let name = match error.location.path.segments().last() {
        Some(Segment::Field(name)) => name,
        Some(Segment::Key(name)) => name.as_str(),
        _ => "",
    };
    let (reason, title, message) = match error.kind {
        FieldErrorKind::Unknown => {
            let help = nearest(name, error.known.iter().copied()).map_or_else(
                || "correct its name or place, or take it out".to_owned(),
                |meant| format!("did you mean {meant}?"),
            );
            let message = format!("this version of the kind has no such field: {help}");
            ("UnknownField", "Unknown field", message)
        }
        _ => {
            let message = "the field stands here more than once: keep one".to_owned();
            ("DuplicateField", "Duplicate field", message)
        }
    };
    Note {
        field: Some(error.path.clone()),
        ..note(Severity::Error, &error.path, (reason, title), message)
    }
}

/// An error in an object at the path `outer` of its document.
pub(crate) fn unreadable(error: &SchemeError, outer: &FieldPath) -> Note {
    let names = match error.reason() {
        Reason::Syntax { .. } => ("Syntax", "Syntax error"),
        Reason::Unnamed { .. } => ("Unnamed", "Incomplete"),
        _ => ("Unreadable", "Wrong type"),
    };
    let path = error.location().path.segments();
    let path = path.strip_prefix(outer.segments()).unwrap_or(path);
    let path: FieldPath = path.iter().cloned().collect();
    let message = cut(&error.reason().to_string(), 300);
    note(Severity::Error, path.to_string(), names, message)
}

/// A file that is no text.
pub(crate) fn not_text() -> Note {
    let message = "the file is not UTF-8 from here on: save it as that".to_owned();
    note(Severity::Error, "", ("Syntax", "Syntax error"), message)
}

/// A kind of a known group that doesn't exist, or one that is known of a group that it isn't in.
pub(crate) fn no_such_kind(scheme: &Scheme, found: &GroupVersionKind) -> Note {
    let registered = || {
        let versions = scheme.group_versions();
        versions
            .flat_map(|version| scheme.kinds(version))
            .map(|known| &known.kind)
    };
    // Each kind has a list, which isn't registered by itself.
    let item = found.kind.strip_suffix("List").unwrap_or(&found.kind);
    let suffix = found.kind.strip_prefix(item).unwrap_or_default();
    let is_group = |kind: &GroupVersionKind| kind.group_version.group == found.group_version.group;
    let is_near: [&dyn Fn(&GroupVersionKind) -> bool; 3] = [
        &|kind| kind.kind == item && is_group(kind),
        &|kind| kind.kind == item,
        &is_group,
    ];
    let in_group = registered()
        .filter(|kind| is_group(kind))
        .map(|kind| &*kind.kind);
    if let Some(meant) = nearest(item, in_group).filter(|kind| *kind != item) {
        let found = cut(&found.to_string(), SHOWN);
        let message = format!("Kubernetes has no {found}: did you mean {meant}{suffix}?");
        return note(Severity::Error, "kind", UNKNOWN_KIND, message);
    }
    let known = is_near.iter().find_map(|is_near| {
        let near = registered().filter(|kind| is_near(kind));
        let near: Vec<_> = near.map(|kind| format!("{kind}{suffix}")).collect();
        (!near.is_empty()).then(|| near.join(", "))
    });
    let known = known.unwrap_or_default();
    let found = cut(&found.to_string(), SHOWN);
    let message = format!("Kubernetes has no {found}: it has {known}");
    note(Severity::Error, "apiVersion", UNKNOWN_KIND, message)
}

const UNKNOWN_KIND: (&str, &str) = ("UnknownKind", "Unknown kind");

/// An object that has been there before.
pub(crate) fn again(first: &str) -> Note {
    note(
        Severity::Error,
        "metadata.name",
        ("DuplicateObject", "Duplicate object"),
        format!("the same object is at {first}, and one would replace the other"),
    )
}

/// A version that a release doesn't serve, or not for long.
pub(crate) fn lifecycle(
    scheme: &Scheme,
    kind: &GroupVersionKind,
    lifecycle: &Lifecycle,
    release: Release,
) -> Option<Note> {
    let replacement = || match lifecycle.replacement {
        None => "there is nothing in its place".to_owned(),
        Some(new) if new.kind == kind.kind => {
            format!("use apiVersion {}", new.api_version)
        }
        Some(new) => format!("use apiVersion {}, kind {}", new.api_version, new.kind),
    };
    let unserved = ("NotServed", "Not served");
    if release < lifecycle.introduced {
        let first = lifecycle.introduced;
        let message = format!(
            "Kubernetes {release} doesn't have it, {first} is the first that does: {}",
            served(scheme, kind, release).map_or_else(
                || "there is no other version".to_owned(),
                |other| format!("use apiVersion {other}")
            )
        );
        return Some(note(Severity::Error, "apiVersion", unserved, message));
    }
    if let Some(removed) = lifecycle.removed.filter(|removed| *removed <= release) {
        let message = format!(
            "Kubernetes {release} doesn't serve it any more, since {removed}: {}",
            replacement()
        );
        return Some(note(Severity::Error, "apiVersion", unserved, message));
    }
    let version = &kind.group_version.version;
    let is_off = !lifecycle.is_served_by_default(version, release);
    let enable = format!(
        "a server serves it only with --runtime-config={}=true",
        kind.group_version
    );
    let Some(deprecated) = lifecycle
        .deprecated
        .filter(|deprecated| *deprecated <= release)
    else {
        let names = ("NotServedByDefault", "Warning");
        return is_off.then(|| note(Severity::Warning, "apiVersion", names, enable));
    };
    let end = lifecycle
        .removed
        .map_or_else(String::new, |end| format!(", gone in {end}"));
    let mut message = format!(
        "deprecated since Kubernetes {deprecated}{end}: {}",
        replacement()
    );
    if is_off {
        message += &format!("; {enable}");
    }
    let names = ("Deprecated", "Warning");
    Some(note(Severity::Warning, "apiVersion", names, message))
}

/// Another version of a kind that a release serves.
fn served(scheme: &Scheme, kind: &GroupVersionKind, release: Release) -> Option<String> {
    let versions = scheme.group_versions();
    let mut others = versions
        .filter(|version| version.group == kind.group_version.group)
        .flat_map(|version| scheme.kinds(version))
        .filter(|known| known.kind.kind == kind.kind);
    let other = others.find(|other| {
        other
            .lifecycle
            .is_none_or(|lifecycle| lifecycle.is_served(release))
    })?;
    Some(other.kind.group_version.to_string())
}

/// An object that can't become one of the version that is served.
pub(crate) fn not_converted(error: &SchemeError) -> Note {
    let path = error.location().path.to_string();
    let message = error.reason().to_string();
    let message = message
        .strip_prefix(&format!("{path}: "))
        .unwrap_or(&message);
    let names = ("NotConvertible", "Not convertible");
    note(Severity::Error, path, names, message.to_owned())
}

/// What the version that is served can't say.
pub(crate) fn lost(loss: &UnrepresentableField, to: &GroupVersionKind) -> Note {
    let message = format!("{to} can't say {}", cut(&loss.value.to_string(), SHOWN));
    note(
        Severity::Warning,
        loss.path.to_string(),
        ("Lost", "Warning"),
        message,
    )
}

/// A rule that is broken.
pub(crate) fn error(error: &Error) -> Note {
    let value = error.value.as_ref().map(ToString::to_string);
    let value = value.map_or_else(String::new, |value| cut(&value, SHOWN) + ": ");
    let found = error
        .value
        .as_ref()
        .and_then(Value::as_str)
        .unwrap_or_default();
    let meant = nearest(
        found,
        error
            .accepted
            .iter()
            .copied()
            .filter(|name| !name.is_empty()),
    );
    let meant = meant.map_or_else(String::new, |meant| format!("; did you mean {meant:?}?"));
    Note {
        severity: Severity::Error,
        path: error.path.to_string(),
        field: Some(error.field.clone()),
        reason: error.error_type.reason(),
        rule: Some(error.rule),
        title: error.error_type.to_string(),
        message: format!("{value}{}{meant}", error.detail),
    }
}

/// What a server warns of.
pub(crate) fn warning(warning: &Warning) -> Note {
    let path = warning.path.to_string();
    let names = ("Warning", "Warning");
    note(Severity::Warning, path, names, warning.message.clone())
}

/// A field that a server takes out, because its feature is off.
pub(crate) fn gate_is_off(path: &FieldPath, release: Release) -> Note {
    let message = format!(
        "Kubernetes {release} takes the field out: the feature gate that it needs is off; see \
         --feature-gate"
    );
    note(
        Severity::Warning,
        path.to_string(),
        ("NotKept", "Warning"),
        message,
    )
}

/// A field that a release doesn't have, but others do.
pub(crate) fn of_other_releases(path: &FieldPath, release: Release, is_strict: bool) -> Note {
    let message = format!(
        "Kubernetes {release} doesn't have the field, other releases do: a server that is \
         asked to be strict refuses it, others take it out"
    );
    let names = ("UnknownField", "Unknown field");
    let severity = if is_strict {
        Severity::Error
    } else {
        Severity::Warning
    };
    note(severity, path.to_string(), names, message)
}

/// A file that has placeholders.
pub(crate) fn template() -> Note {
    let message = "template, not read: lint what is rendered from it".to_owned();
    note(Severity::Note, "", ("Template", "Note"), message)
}

/// The name that is likely to be meant.
pub(crate) fn nearest<'n>(found: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let lowered = found.to_lowercase();
    let distance = |name: &str| strsim::osa_distance(&lowered, &name.to_lowercase());
    let most = found.chars().count().div_ceil(4).max(1);
    known
        .map(|name| (distance(name), name))
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, name)| name)
}

/// The most of a value that is shown.
const SHOWN: usize = 60;

/// The beginning of a text that is longer than so many characters.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
