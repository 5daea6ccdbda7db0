//! Fields of a Pod's metadata as texts.

use std::collections::BTreeMap;
use std::fmt::Write;

use k8s_openapi::api::core::v1::Pod;
use kubernetes_kinds::names::{NameFormat, is_printable};

use crate::plugins::names::pod_namespace;
use crate::{Error, Result};

/// Returns the field of the Pod that a volume can have.
pub(crate) fn value(pod: &Pod, path: &str) -> Result<String> {
    let metadata = &pod.metadata;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    match path {
        "metadata.name" => return Ok(text(&metadata.name)),
        "metadata.namespace" => return Ok(pod_namespace(pod).to_owned()),
        "metadata.uid" => return Ok(text(&metadata.uid)),
        "metadata.labels" => return Ok(lines(metadata.labels.as_ref())),
        "metadata.annotations" => return Ok(lines(metadata.annotations.as_ref())),
        _ => {}
    }
    let (map, key, is_key) = if let Some(key) = subscript(path, "metadata.labels") {
        (
            &metadata.labels,
            key,
            NameFormat::QualifiedName.matches(key),
        )
    } else if let Some(key) = subscript(path, "metadata.annotations") {
        // Keys of annotations may have capitals in their prefix.
        (
            &metadata.annotations,
            key,
            NameFormat::QualifiedName.matches_lowered(key),
        )
    } else {
        return Err(Error::invalid(format!(
            "a volume can't have the field {path:?} of a Pod; it can have metadata.name, \
             metadata.namespace, metadata.uid, metadata.labels, metadata.annotations, and one \
             of these with its key, as in metadata.labels['app']"
        )));
    };
    if !is_key {
        return Err(Error::invalid(format!(
            "the key in the field {path:?} is not a qualified name"
        )));
    }
    Ok(map
        .as_ref()
        .and_then(|map| map.get(key))
        .cloned()
        .unwrap_or_default())
}

/// Returns the key in `FIELD['…']`.
fn subscript<'a>(path: &'a str, field: &str) -> Option<&'a str> {
    path.strip_prefix(field)?
        .strip_prefix("['")?
        .strip_suffix("']")
}

/// Writes one line for each key, in their order: `key="value"`, without a line feed at the end.
fn lines(map: Option<&BTreeMap<String, String>>) -> String {
    let lines: Vec<_> = map
        .into_iter()
        .flatten()
        .map(|(key, value)| format!("{key}={}", quoted(value)))
        .collect();
    lines.join("\n")
}

/// Quotes a text as Go does.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        let escape = match character {
            '\x07' => "\\a",
            '\x08' => "\\b",
            '\x0c' => "\\f",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\x0b' => "\\v",
            '"' => "\\\"",
            '\\' => "\\\\",
            _ if is_printable(character) => {
                quoted.push(character);
                continue;
            }
            _ => {
                let code = u32::from(character);
                // Writing to a string does not fail.
                let _ = match code {
                    0..0x80 => write!(quoted, "\\x{code:02x}"),
                    0x80..0x1_0000 => write!(quoted, "\\u{code:04x}"),
                    _ => write!(quoted, "\\U{code:08x}"),
                };
                continue;
            }
        };
        quoted.push_str(escape);
    }
    quoted.push('"');
    quoted
}
