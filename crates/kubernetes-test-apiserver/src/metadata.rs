//! The metadata of objects: names, UIDs, times and finalizers.

use std::time::{SystemTime, UNIX_EPOCH};

use fastrand::Rng;
use k8s_openapi::jiff::Timestamp;
use kubernetes_kinds::names::NameFormat;
use serde_json::{Map, Value};

use crate::refusal::Refusal;
use crate::target::Target;

/// The characters of generated names; Kubernetes leaves out those that make words.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
const SUFFIX: usize = 5;
/// The longest prefix of a generated name: with the suffix it is a DNS label.
const PREFIX: usize = 63 - SUFFIX;

/// The fields that only the server sets.
const OWNED: [&str; 6] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "namespace",
    "uid",
];

pub(crate) fn of(object: &mut Value) -> Result<&mut Map<String, Value>, Refusal> {
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
    metadata.ok_or_else(|| Refusal::bad_request("metadata is not an object"))
}

/// A text of the metadata, or the empty string.
pub(crate) fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    let value = object
        .get("metadata")
        .and_then(|metadata| metadata.get(field));
    value.and_then(Value::as_str).unwrap_or_default()
}

pub(crate) fn finalizers(object: &Value) -> impl Iterator<Item = &str> {
    let list = object
        .pointer("/metadata/finalizers")
        .and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str)
}

pub(crate) fn is_deleting(object: &Value) -> bool {
    !text(object, "deletionTimestamp").is_empty()
}

/// The resource version of a sent object, unless it is empty or zero.
pub(crate) fn version(object: &Value) -> Option<&str> {
    Some(text(object, "resourceVersion")).filter(|version| !version.is_empty() && *version != "0")
}

pub(crate) fn set_version(object: &mut Value, version: u64) -> Result<(), Refusal> {
    of(object)?.insert("resourceVersion".to_owned(), version.to_string().into());
    Ok(())
}

/// The current second, as objects have it.
fn now() -> Value {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or_default();
    let time = Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH);
    time.to_string().into()
}

/// Removes empty fields, which Go omits when it writes metadata.
pub(crate) fn normalize(object: &mut Value) -> Result<(), Refusal> {
    of(object)?.retain(|_, value| match value {
        Value::Null => false,
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => true,
    });
    Ok(())
}

/// Completes the metadata of a new object, and returns its name.
pub(crate) fn complete(
    target: &Target,
    object: &mut Value,
    random: &mut Rng,
) -> Result<String, Refusal> {
    if version(object).is_some() {
        let message = "resourceVersion should not be set on objects to be created";
        return Err(Refusal::new(500, "", message));
    }
    normalize(object)?;
    let fields = of(object)?;
    match (
        &target.namespace,
        fields.get("namespace").and_then(Value::as_str),
    ) {
        (Some(namespace), Some(sent)) if sent != namespace => {
            let message = "the namespace of the provided object does not match the \
                           namespace sent on the request";
            return Err(Refusal::bad_request(message));
        }
        _ => {}
    }
    for field in OWNED {
        fields.remove(field);
    }
    if let Some(namespace) = &target.namespace {
        fields.insert("namespace".to_owned(), namespace.clone().into());
    }
    if !fields.contains_key("name")
        && let Some(prefix) = fields.get("generateName").and_then(Value::as_str)
    {
        let name = generated_name(prefix, random);
        fields.insert("name".to_owned(), name.into());
    }
    fields.insert("uid".to_owned(), uid(random).into());
    fields.insert("creationTimestamp".to_owned(), now());
    if target.resource.custom {
        fields.insert("generation".to_owned(), 1.into());
    }
    let name = text(object, "name").to_owned();
    check_name(target, &name)?;
    Ok(name)
}

fn check_name(target: &Target, name: &str) -> Result<(), Refusal> {
    if name.is_empty() {
        let fault = "Required value: name or generateName is required";
        let fault = ("metadata.name", fault);
        return Err(Refusal::invalid(target, name, "FieldValueRequired", fault));
    }
    if let Some(format) = violated_format(target, name) {
        let fault = format!("Invalid value: \"{name}\": not {format}");
        let fault = ("metadata.name", fault.as_str());
        return Err(Refusal::invalid(target, name, "FieldValueInvalid", fault));
    }
    Ok(())
}

/// Returns the description of the format of names that a name hasn't.
///
/// As in Kubernetes 1.37, an event of the core group may have any name that fits in a path: it is
/// named after its object, and may be longer than other names.
fn violated_format(target: &Target, name: &str) -> Option<&'static str> {
    let resource = target.resource;
    let format = match (resource.group(), resource.plural) {
        ("", "events") => {
            let is_segment = ![".", ".."].contains(&name) && !name.contains(['/', '%']);
            return (!is_segment).then_some("a segment of a path");
        }
        ("", "namespaces") => NameFormat::DnsLabel,
        _ => NameFormat::DnsSubdomain,
    };
    (!format.matches(name)).then(|| format.description())
}

fn generated_name(prefix: &str, random: &mut Rng) -> String {
    let mut name = prefix.get(..PREFIX).unwrap_or(prefix).to_owned();
    for _ in 0..SUFFIX {
        name.extend(random.choice(ALPHABET).map(|byte| char::from(*byte)));
    }
    name
}

/// A random UUID of version 4.
fn uid(random: &mut Rng) -> String {
    let bits = random.u128(..) & !(0xf << 76 | 0b11 << 62) | 4 << 76 | 0b10 << 62;
    let hex = format!("{bits:032x}");
    let mut parts = Vec::with_capacity(5);
    let mut rest = hex.as_str();
    for length in [8, 4, 4, 4, 12] {
        let (part, after) = rest.split_at(length);
        parts.push(part);
        rest = after;
    }
    parts.join("-")
}

/// Keeps the fields that an update can't change, and refuses finalizers that come too late.
pub(crate) fn carry_over(target: &Target, old: &Value, new: &mut Value) -> Result<(), Refusal> {
    normalize(new)?;
    if is_deleting(old) {
        let had: Vec<&str> = finalizers(old).collect();
        let added: Vec<&str> = finalizers(new).filter(|one| !had.contains(one)).collect();
        if !added.is_empty() {
            let fault = format!(
                "Forbidden: no new finalizers can be added if the object is being deleted, \
                 found new finalizers {}",
                go_strings(&added)
            );
            let fault = ("metadata.finalizers", fault.as_str());
            let reason = "FieldValueForbidden";
            return Err(Refusal::invalid(target, target.name(), reason, fault));
        }
    }
    let fields = of(new)?;
    for field in OWNED.into_iter().chain(["resourceVersion", "generateName"]) {
        match old.get("metadata").and_then(|metadata| metadata.get(field)) {
            Some(value) => fields.insert(field.to_owned(), value.clone()),
            None => fields.remove(field),
        };
    }
    if target.resource.custom && !same_contents(old, new) {
        next_generation(new)?;
    }
    Ok(())
}

/// Marks an object as one that is deleted once its finalizers are gone.
pub(crate) fn mark_deleted(object: &mut Value) -> Result<(), Refusal> {
    let fields = of(object)?;
    fields.insert("deletionTimestamp".to_owned(), now());
    fields.insert("deletionGracePeriodSeconds".to_owned(), 0.into());
    next_generation(object)
}

fn next_generation(object: &mut Value) -> Result<(), Refusal> {
    let fields = of(object)?;
    if let Some(generation) = fields.get("generation").and_then(Value::as_u64) {
        fields.insert("generation".to_owned(), (generation + 1).into());
    }
    Ok(())
}

/// Returns true if two objects differ at most in metadata and status.
fn same_contents(one: &Value, other: &Value) -> bool {
    let contents = |object: &Value| {
        let mut fields = object.as_object().cloned().unwrap_or_default();
        fields.retain(|field, _| field != "metadata" && field != "status");
        fields
    };
    contents(one) == contents(other)
}

/// A list as Go prints it.
fn go_strings(list: &[&str]) -> String {
    let quoted: Vec<String> = list.iter().map(|one| format!("\"{one}\"")).collect();
    format!("[]string{{{}}}", quoted.join(", "))
}
