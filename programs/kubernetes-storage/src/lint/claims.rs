//! Claims inside other objects: in StatefulSets, in whatever has a Pod, and where a user says.

use kubernetes_kinds::{FieldPath, GroupVersion};
use kubernetes_manifests::scheme::Part;
use kubernetes_manifests::strict::{FieldError, FieldErrorKind};
use serde_json::{Value, json};

use super::claim_places::{ClaimPlace, Holds};
use super::finding::{Message, Severity};
use super::messages;

/// The kind of what a claim is made of.
pub(super) const KIND: &str = "PersistentVolumeClaim";

/// The built-in kinds with a Pod, by group and kind, with the path of the Pod's `spec`.
const PODS: [(&str, &str, &[&str]); 9] = [
    ("", "Pod", &["spec"]),
    ("", "PodTemplate", &["template", "spec"]),
    ("", "ReplicationController", TEMPLATE),
    ("apps", "DaemonSet", TEMPLATE),
    ("apps", "Deployment", TEMPLATE),
    ("apps", "ReplicaSet", TEMPLATE),
    ("apps", "StatefulSet", TEMPLATE),
    (
        "batch",
        "CronJob",
        &["spec", "jobTemplate", "spec", "template", "spec"],
    ),
    ("batch", "Job", TEMPLATE),
];

const TEMPLATE: &[&str] = &["spec", "template", "spec"];

/// The metadata that the template of a Pod's claim can have.
const METADATA: [&str; 2] = ["annotations", "labels"];

/// The fields of a claim that such a template doesn't have.
const NOT_IN_TEMPLATES: [&str; 3] = ["apiVersion", "kind", "status"];

/// A claim inside another object.
pub(super) struct ClaimTemplate {
    /// The path of the claim.
    pub(super) path: FieldPath,
    /// True for a volume of a Pod, whose claim has no name of its own.
    of_pod: bool,
    /// True if there is only the `spec` of a claim.
    pub(super) is_spec: bool,
    /// The sources of data that it doesn't have. A server sets one like the other only in a claim
    /// of its own.
    no_sources: Vec<String>,
}

/// The claims in an object.
#[derive(Default)]
pub(super) struct Claims {
    /// Each with what is written.
    pub(super) all: Vec<(ClaimTemplate, Value)>,
    /// Their duplicate fields, with paths in the object.
    pub(super) duplicates: Vec<FieldError>,
    /// What stands in the place of a claim or of a list of claims, and is none.
    pub(super) damaged: Vec<(FieldPath, Message)>,
}

impl Claims {
    /// Returns true if there is nothing to check.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty() && self.damaged.is_empty()
    }

    /// Adds what stands in the place of a claim; null stands for none.
    fn add(&mut self, claim: &Value, template: ClaimTemplate) {
        match claim {
            Value::Object(_) => self.all.push((template, claim.clone())),
            Value::Null => (),
            _ => self.add_damaged(template.path, claim, "an object"),
        }
    }

    fn add_damaged(&mut self, path: FieldPath, found: &Value, expected: &str) {
        let message = messages::wrong_type(&path, found, expected);
        self.damaged.push((path, message));
    }
}

/// Returns the claims in an object; `places` says which custom resources have some.
pub(super) fn of(part: &Part<'_>, places: &[ClaimPlace]) -> Claims {
    let (Some(version), Some(kind)) = (&part.api_version, &part.kind) else {
        return Claims::default();
    };
    let group = GroupVersion::from_api_version(version).group;
    let mut known = PODS.iter();
    let pod = known.find(|(of, name, _)| group == *of && kind == name);
    let named = places
        .iter()
        .filter(|place| place.group == group && place.kind == *kind);
    let named: Vec<_> = named.collect();
    if pod.is_none() && named.is_empty() {
        return Claims::default();
    }
    let Ok(read) = part.read::<Value>() else {
        return Claims::default();
    };
    let document = read.object;
    let mut claims = Claims::default();
    if let Some((_, _, pod)) = pod {
        built_in(kind, pod, &document, &mut claims);
    }
    let built_in = claims.all.len();
    for place in named {
        for (path, claim) in place.path.find(&document) {
            let mut known = claims.all.iter().take(built_in);
            if known.any(|(claim, _)| claim.path == path) {
                continue;
            }
            let template = match place.holds {
                Holds::Claim => ClaimTemplate::new(path, false, claim),
                Holds::Spec => ClaimTemplate::of_spec(path, claim),
            };
            claims.add(claim, template);
        }
    }
    let mut duplicates = read.errors;
    duplicates.retain(|error| {
        let of_claim = |(claim, _): &(ClaimTemplate, Value)| claim.has(&error.path);
        error.kind == FieldErrorKind::Duplicate && claims.all.iter().any(of_claim)
    });
    Claims {
        duplicates,
        ..claims
    }
}

/// Adds the claims of a built-in kind whose Pod is at a path.
fn built_in(kind: &str, pod: &[&'static str], document: &Value, claims: &mut Claims) {
    if kind == "StatefulSet" {
        let path = FieldPath::new("spec").child("volumeClaimTemplates");
        let list = document.pointer("/spec/volumeClaimTemplates");
        for (index, claim) in elements(list) {
            let path = path.clone().index(index);
            // An element that is null is a claim without fields.
            let empty = json!({});
            let claim = if claim.is_null() { &empty } else { claim };
            claims.add(claim, ClaimTemplate::new(path, false, claim));
        }
        if let Some(other) = list.filter(|list| !list.is_array() && !list.is_null()) {
            claims.add_damaged(path, other, "a list");
        }
    }
    let spec = pod
        .iter()
        .try_fold(document, |value, name| value.get(*name));
    let path = pod
        .iter()
        .fold(FieldPath::default(), |path, name| path.child(*name));
    for (index, volume) in elements(spec.and_then(|spec| spec.get("volumes"))) {
        let Some(ephemeral) = volume.get("ephemeral").and_then(Value::as_object) else {
            continue;
        };
        let path = path.clone().child("volumes").index(index);
        let path = path.child("ephemeral").child("volumeClaimTemplate");
        match ephemeral.get("volumeClaimTemplate").unwrap_or(&Value::Null) {
            Value::Null => {
                let message = messages::no_claim(&path);
                claims.damaged.push((path, message));
            }
            claim => claims.add(claim, ClaimTemplate::new(path, true, claim)),
        }
    }
}

fn elements(list: Option<&Value>) -> impl Iterator<Item = (usize, &Value)> {
    let list = list.and_then(Value::as_array);
    list.into_iter().flatten().enumerate()
}

impl ClaimTemplate {
    fn new(path: FieldPath, of_pod: bool, claim: &Value) -> Self {
        Self {
            of_pod,
            ..Self::with(path, claim.get("spec"))
        }
    }

    /// The claim of which there is only the `spec`.
    fn of_spec(path: FieldPath, spec: &Value) -> Self {
        Self {
            is_spec: true,
            ..Self::with(path, Some(spec))
        }
    }

    fn with(path: FieldPath, spec: Option<&Value>) -> Self {
        let is_absent = |name: &&str| spec.is_none_or(|spec| spec.get(*name).is_none());
        let no_sources = ["dataSource", "dataSourceRef"]
            .into_iter()
            .filter(is_absent);
        Self {
            path,
            of_pod: false,
            is_spec: false,
            no_sources: no_sources.map(|name| format!("spec.{name}")).collect(),
        }
    }

    /// Returns what a server reports of the claim beside what it reports of any.
    pub(super) fn unexpected(&self, claim: &Value) -> Vec<(FieldPath, Message)> {
        let mut found = Vec::new();
        if !self.of_pod {
            return found;
        }
        for name in NOT_IN_TEMPLATES {
            if claim.get(name).is_some() {
                found.push((FieldPath::new(name), messages::not_in_template(name)));
            }
        }
        let metadata = claim.get("metadata").and_then(Value::as_object);
        for (name, value) in metadata.into_iter().flatten() {
            let is_set = !value.is_null() && *value != "";
            if is_set && !METADATA.contains(&name.as_str()) {
                let path = FieldPath::new("metadata").child(name.clone());
                let message = messages::not_settable(&path);
                found.push((path, message));
            }
        }
        found
    }

    /// Returns the claim as an object of its own.
    pub(super) fn whole(&self, mut claim: Value) -> Value {
        if self.is_spec {
            claim = json!({"spec": claim});
        }
        if let Some(fields) = claim.as_object_mut() {
            fields.insert("apiVersion".to_owned(), json!("v1"));
            fields.insert("kind".to_owned(), json!(KIND));
            if self.of_pod {
                fields.remove("status");
            }
            let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
            if metadata.is_null() {
                *metadata = json!({});
            }
            if let Some(metadata) = metadata.as_object_mut() {
                if self.of_pod {
                    metadata.retain(|name, _| METADATA.contains(&name.as_str()));
                }
                // The name that a controller gives it isn't known.
                metadata.insert("name".to_owned(), json!("claim"));
            }
        }
        claim
    }

    /// Returns true if a server reports this of the claim: what it can't read, and what is about
    /// its `spec`; of a Pod's claim also errors of its labels and annotations.
    pub(super) fn is_checked(&self, message: &Message) -> bool {
        let is_in = |outer: &str| is_in(outer, &message.path);
        let is_of_metadata = || {
            let is_error = message.severity == Severity::Error;
            self.of_pod && is_error && (is_in("metadata.annotations") || is_in("metadata.labels"))
        };
        if self.no_sources.iter().any(|source| is_in(source)) {
            return false;
        }
        let is_own = message.rule == messages::NOT_SETTABLE;
        is_own || is_in("spec") || is_of_metadata() || messages::is_of_reading(message)
    }

    /// Returns true if a path in the object is one in the claim.
    fn has(&self, path: &str) -> bool {
        is_in(&self.path.to_string(), path)
    }

    /// Returns the path in the object that has the claim.
    pub(super) fn outside(&self, inside: &str) -> String {
        let inside = match self.is_spec {
            true => inside.strip_prefix("spec").unwrap_or_default(),
            false => inside,
        };
        match inside.trim_start_matches('.') {
            "" => self.path.to_string(),
            inside => format!("{}.{inside}", self.path),
        }
    }
}

fn is_in(outer: &str, path: &str) -> bool {
    let rest = path.strip_prefix(outer);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
