//! The result of a request, of either side, in a form that can be compared.

use std::collections::BTreeSet;

use conformance::valid::Kind;
use e2e::Answer;
use k8s_openapi::jiff::Timestamp;
use kubernetes_storage::stored;
use serde_json::{Value, json};

/// One reason for refusing an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cause {
    pub(crate) reason: String,
    pub(crate) field: String,
}

impl Cause {
    /// Returns the cause for an object that we can't read because of the value of a field.
    pub(crate) fn unreadable(field: String) -> Self {
        Self {
            reason: UNREADABLE.to_owned(),
            field,
        }
    }

    pub(crate) fn is_unreadable(&self) -> bool {
        self.reason == UNREADABLE
    }

    /// Returns true if a server refuses a custom resource because of the field of `unreadable`.
    pub(crate) fn is_of_type(&self, unreadable: &Self) -> bool {
        let field = self.field.replace(|c: char| c.is_ascii_digit(), "");
        self.reason == "FieldValueTypeInvalid" && field == unreadable.field
    }

    /// Returns true if an update is refused because of its version, before anything else is
    /// checked.
    pub(crate) fn is_stale(&self) -> bool {
        self.field == "metadata.resourceVersion"
    }

    /// Returns the cause for a refusal of this status without causes.
    pub(crate) fn without_causes(status: u16) -> Self {
        Self {
            reason: status.to_string(),
            field: String::new(),
        }
    }
}

const UNREADABLE: &str = "unreadable";

#[derive(Debug)]
pub(crate) enum Verdict {
    Accepted {
        object: Value,
        /// The paths of the warnings.
        warnings: Vec<String>,
    },
    Refused(BTreeSet<Cause>),
}

impl Verdict {
    /// The server's result. A refusal without causes has its status as the reason.
    pub(crate) fn of(answer: &Answer) -> Self {
        if answer.is_success() {
            let mut warnings: Vec<_> = answer
                .warnings
                .iter()
                .filter_map(|text| path_of(text))
                .collect();
            warnings.sort();
            return Self::Accepted {
                object: answer.body.clone(),
                warnings,
            };
        }
        let causes = answer
            .body
            .pointer("/details/causes")
            .and_then(Value::as_array);
        let text = |cause: &Value, field: &str| {
            cause
                .get(field)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let mut causes: BTreeSet<_> = causes
            .into_iter()
            .flatten()
            .map(|cause| Cause {
                reason: text(cause, "reason"),
                field: text(cause, "field"),
            })
            .collect();
        if causes.is_empty() {
            causes.insert(Cause::without_causes(answer.status.as_u16()));
        }
        Self::Refused(causes)
    }
}

/// The path that a warning starts with; nothing for the deprecation of a version.
fn path_of(warning: &str) -> Option<String> {
    let end = warning.find([':', ' '])?;
    let path = warning[..end].trim_start_matches('.');
    (!warning.contains(" is deprecated in v")).then(|| path.to_owned())
}

/// An object in the one form that both sides have: without what only a server writes, and without
/// `null`, which is the same as an absent field.
pub(crate) fn normal(kind: Kind, object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        // The server sets them, whatever the request has.
        for field in [
            "uid",
            "resourceVersion",
            "creationTimestamp",
            "managedFields",
            "generation",
        ] {
            metadata.remove(field);
        }
        if metadata.contains_key("generateName") {
            metadata.remove("name");
        }
        // The server guards some classes by itself.
        if let Some(Value::Array(finalizers)) = metadata.get_mut("finalizers") {
            finalizers.retain(|finalizer| {
                !finalizer
                    .as_str()
                    .is_some_and(|name| PROTECTION.contains(&name))
            });
            if finalizers.is_empty() {
                metadata.remove("finalizers");
            }
        }
    }
    if kind.is_custom() {
        as_types_write(kind, &mut object);
    } else {
        drop_null(&mut object);
    }
    object
}

/// Our object in the form in which a server stores it.
pub(crate) fn stored(kind: Kind, mut object: Value) -> Value {
    match kind.is_custom() {
        true => stored::metadata(&mut object),
        false => stored::form(&mut object),
    }
    object
}

/// Writes times and sizes as types do, in Go too: in UTC and whole seconds, and as texts.
fn as_types_write(kind: Kind, object: &mut Value) {
    for field in ["/status/creationTime", "/status/error/time"] {
        if let Some(Value::String(text)) = object.pointer_mut(field)
            && let Ok(time) = text.parse::<Timestamp>()
        {
            *text = time.strftime("%FT%TZ").to_string();
        }
    }
    if kind == Kind::VolumeSnapshot
        && let Some(size @ Value::Number(_)) = object.pointer_mut("/status/restoreSize")
    {
        *size = size.to_string().into();
    }
}

/// The finalizers by which an admission plugin guards objects.
const PROTECTION: [&str; 3] = [
    "kubernetes.io/pv-protection",
    "kubernetes.io/pvc-protection",
    "kubernetes.io/vac-protection",
];

/// Takes out what a server knows and validation doesn't: the current time, where a phase changes.
/// In a dry run it leaves the phase of a new claim unset, which is set when it is read from the
/// store.
pub(crate) fn forget_times(kind: Kind, server: &mut Value, ours: &mut Value) {
    let has = |object: &Value, field: &str| {
        object
            .get("status")
            .is_some_and(|status| status.get(field).is_some())
    };
    let time = "lastPhaseTransitionTime";
    let is_new_claim = kind == Kind::PersistentVolumeClaim && server.get("status").is_none();
    if !has(ours, time)
        && let Some(Value::Object(status)) = server.get_mut("status")
    {
        status.remove(time);
    }
    if is_new_claim && ours["status"] == json!({"phase": "Pending"}) {
        ours.as_object_mut().map(|ours| ours.remove("status"));
    }
}

fn drop_null(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.values_mut().for_each(drop_null);
            object.retain(|_, value| !value.is_null());
        }
        Value::Array(list) => list.iter_mut().for_each(drop_null),
        _ => {}
    }
}
