//! The environment variables of a container, for `subPathExpr`.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{EnvVar, EnvVarSource, Pod, ResourceFieldSelector};

use super::expand::expand;
use super::pod::Part;
use crate::interfaces::VolumeHost;
use crate::plugins::{downward_api, names};
use crate::{Error, Result};

pub(super) type Variables = BTreeMap<String, String>;

/// Returns the variables that the container has by itself: those of Services are not among them.
pub(super) fn variables(host: &dyn VolumeHost, pod: &Pod, part: &Part<'_>) -> Result<Variables> {
    let mut found = from_objects(host, pod, part)?;
    for variable in part.env {
        if let Some(value) = value(host, pod, part, variable, &found)? {
            found.insert(variable.name.clone(), value);
        }
    }
    Ok(found)
}

/// The variables of `envFrom`, which those of `env` replace.
fn from_objects(host: &dyn VolumeHost, pod: &Pod, part: &Part<'_>) -> Result<Variables> {
    let namespace = names::pod_namespace(pod);
    let mut found = Variables::new();
    for source in part.env_from {
        let prefix = source.prefix.as_deref().unwrap_or_default();
        let mut add = |key: &str, value: String| found.insert(format!("{prefix}{key}"), value);
        if let Some(reference) = &source.config_map_ref {
            let map = host.config_map(namespace, &reference.name);
            if let Some(map) = unless_optional(map, reference.optional)? {
                for (key, value) in map.data.iter().flatten() {
                    add(key, value.clone());
                }
            }
        }
        if let Some(reference) = &source.secret_ref {
            let secret = host.secret(namespace, &reference.name);
            if let Some(secret) = unless_optional(secret, reference.optional)? {
                for (key, value) in secret.data.iter().flatten() {
                    add(key, text(value));
                }
            }
        }
    }
    Ok(found)
}

/// The value of one variable, or nothing for a source that is optional and absent.
fn value(
    host: &dyn VolumeHost,
    pod: &Pod,
    part: &Part<'_>,
    variable: &EnvVar,
    others: &Variables,
) -> Result<Option<String>> {
    if let Some(value) = variable.value.as_deref().filter(|value| !value.is_empty()) {
        let known = |name: &str| others.get(name).cloned();
        return Ok(Some(expand(value, |name| {
            known(name).unwrap_or_else(|| format!("$({name})"))
        })));
    }
    match &variable.value_from {
        None => Ok(Some(String::new())),
        Some(source) => sourced(host, pod, part, &variable.name, source),
    }
}

fn sourced(
    host: &dyn VolumeHost,
    pod: &Pod,
    part: &Part<'_>,
    name: &str,
    source: &EnvVarSource,
) -> Result<Option<String>> {
    let namespace = names::pod_namespace(pod);
    let (found, is_optional, from) = if let Some(key) = &source.config_map_key_ref {
        let map = unless_optional(host.config_map(namespace, &key.name), key.optional)?;
        let data = map.as_ref().and_then(|map| map.data.as_ref());
        let found = data.and_then(|data| data.get(&key.key)).cloned();
        (
            found,
            key.optional,
            format!("{:?} in configmap {namespace}/{}", key.key, key.name),
        )
    } else if let Some(key) = &source.secret_key_ref {
        let secret = unless_optional(host.secret(namespace, &key.name), key.optional)?;
        let data = secret.as_ref().and_then(|secret| secret.data.as_ref());
        let found = data.and_then(|data| data.get(&key.key)).map(text);
        (
            found,
            key.optional,
            format!("{:?} in secret {namespace}/{}", key.key, key.name),
        )
    } else if let Some(field) = &source.field_ref {
        return self::field(host, pod, &field.field_path).map(Some);
    } else if let Some(field) = &source.resource_field_ref {
        return resource(host, pod, part, field).map(Some);
    } else {
        return Err(Error::NotSupported(format!(
            "the source of the variable {name:?}"
        )));
    };
    if found.is_none() && is_optional != Some(true) {
        return Err(Error::invalid(format!(
            "the variable {name:?} needs the key {from}"
        )));
    }
    Ok(found)
}

/// A field of the Pod: a variable can have some that a file can't.
fn field(host: &dyn VolumeHost, pod: &Pod, path: &str) -> Result<String> {
    let spec = pod.spec.as_ref();
    let text = |text: Option<&String>| text.cloned().unwrap_or_default();
    match path {
        "spec.nodeName" => Ok(text(spec.and_then(|spec| spec.node_name.as_ref()))),
        "spec.serviceAccountName" => Ok(text(
            spec.and_then(|spec| spec.service_account_name.as_ref()),
        )),
        "status.hostIP" => Ok(host.host_ip()?.to_string()),
        _ if path.starts_with("metadata.") => downward_api::field(pod, path),
        _ => Err(Error::NotSupported(format!(
            "the field {path:?} as a variable of `subPathExpr`"
        ))),
    }
}

/// A resource of this container, or of another one that is named.
fn resource(
    host: &dyn VolumeHost,
    pod: &Pod,
    part: &Part<'_>,
    field: &ResourceFieldSelector,
) -> Result<String> {
    let mut field = field.clone();
    let named = field.container_name.get_or_insert_default();
    if named.is_empty() {
        part.name.clone_into(named);
    }
    downward_api::resource(host, pod, &field)
}

/// Returns nothing for an object that doesn't exist and is optional.
fn unless_optional<T>(read: Result<T>, is_optional: Option<bool>) -> Result<Option<T>> {
    match read {
        Err(Error::NotFound { .. }) if is_optional == Some(true) => Ok(None),
        read => read.map(Some),
    }
}

fn text(bytes: &ByteString) -> String {
    String::from_utf8_lossy(&bytes.0).into_owned()
}
