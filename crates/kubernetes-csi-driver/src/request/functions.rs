//! The rules that `@rule` names in the specification's `.proto` file: those that no annotation can
//! express.

use std::collections::{BTreeMap, BTreeSet};

use kubernetes_csi::v1::{CapacityRange, Topology, TopologyRequirement};
use tonic::Code;

use super::Error;
use super::check::{Field, shown};

/// The name of a volume, a snapshot or a group.
pub(super) fn name(name: &str, field: &Field<'_>) -> Result<(), Error> {
    let is_space = |c: char| matches!(c, '\t' | '\n' | '\r');
    match name.contains(|c: char| c.is_control() && !is_space(c)) {
        true => Err(field.error(format!(
            "{} contains a control character; send only tab, line feed and carriage return of them",
            shown(name)
        ))),
        false => Ok(()),
    }
}

pub(super) fn not_negative(number: impl Into<i64>, field: &Field<'_>) -> Result<(), Error> {
    let number = number.into();
    match number >= 0 {
        true => Ok(()),
        false => Err(field.error(format!("is {number}; send 0 or more"))),
    }
}

/// A list of ids, in which none is empty. The specification allows that an id occurs twice.
pub(super) fn ids(ids: &[String], field: &Field<'_>) -> Result<(), Error> {
    let mut ids = ids.iter().enumerate();
    ids.try_for_each(|(index, id)| field.index(index).required(!id.is_empty()))
}

/// The path of a volume that the driver looks for. A relative path is one at which no volume is,
/// which csi-sanity expects as the answer.
pub(super) fn volume_path(path: &str, field: &Field<'_>) -> Result<(), Error> {
    match path.starts_with('/') {
        true => Ok(()),
        false => Err(field.error_of(
            Code::NotFound,
            format!(
                "{} is relative, and no volume is there; send an absolute path",
                shown(path)
            ),
        )),
    }
}

pub(super) fn capacity_range(range: &CapacityRange, message: &Field<'_>) -> Result<(), Error> {
    let (required, limit) = (range.required_bytes, range.limit_bytes);
    if required == 0 && limit == 0 {
        return Err(message.error("has no bounds; set required_bytes, limit_bytes or both"));
    }
    match limit == 0 || required <= limit {
        true => Ok(()),
        false => Err(message.field("limit_bytes").error(format!(
            "is {limit}; send at least required_bytes, which is {required}, or 0 for no limit"
        ))),
    }
}

pub(super) fn topology_requirement(
    requirement: &TopologyRequirement,
    message: &Field<'_>,
) -> Result<(), Error> {
    let (requisite, preferred) = (&requirement.requisite, &requirement.preferred);
    if requisite.is_empty() && preferred.is_empty() {
        return Err(message.error("has no topologies; set requisite, preferred or both"));
    }
    if requisite.is_empty() || preferred.is_empty() {
        return Ok(());
    }
    // A set, since a request can have very many of them.
    let requisite: BTreeSet<_> = requisite.iter().map(by_key).collect();
    let other = preferred
        .iter()
        .position(|topology| !requisite.contains(&by_key(topology)));
    match other {
        Some(index) => {
            let field = message.field("preferred");
            Err(field
                .index(index)
                .error("isn't in requisite; add it there, or leave it out here"))
        }
        None => Ok(()),
    }
}

/// Returns the segments of a topology by their keys, whose case doesn't matter.
fn by_key(topology: &Topology) -> BTreeMap<String, &str> {
    let segments = topology.segments.iter();
    segments
        .map(|(key, value)| (key.to_ascii_lowercase(), &**value))
        .collect()
}

/// The segments of a topology.
pub(super) fn segments(
    segments: &BTreeMap<String, String>,
    field: &Field<'_>,
) -> Result<(), Error> {
    let mut seen = BTreeMap::new();
    for (key, value) in segments {
        let at = field.key(key);
        let (prefix, name) = match key.split_once('/') {
            Some((prefix, name)) => (Some(prefix), name),
            None => (None, &**key),
        };
        if !is_name(name) {
            return Err(at.error(format!("has a key without a valid name; {NAME}")));
        }
        if !prefix.is_none_or(is_prefix) {
            return Err(at.error(
                "has a key with an invalid prefix; send a domain name of at most 63 lower-case \
                 letters, digits, `-` and `.`",
            ));
        }
        if let Some(other) = seen.insert(key.to_ascii_lowercase(), key) {
            return Err(at.error(format!(
                "has the same key as {}, since case doesn't matter; send one of them",
                shown(other)
            )));
        }
        if !is_name(value) {
            return Err(at.error(format!("is {}; {NAME}", shown(value))));
        }
    }
    Ok(())
}

/// The longest name, prefix or value in a topology, in bytes.
const TOPOLOGY_MAX: usize = 63;

/// The form of names and values in a topology.
const NAME: &str = "send at most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at \
                    both ends";

/// Returns true for names in keys of a topology, and for values.
fn is_name(name: &str) -> bool {
    let is_end = |c: char| c.is_ascii_alphanumeric();
    name.len() <= TOPOLOGY_MAX
        && name.starts_with(is_end)
        && name.ends_with(is_end)
        && name.chars().all(|c| is_end(c) || "-_.".contains(c))
}

/// Returns true for prefixes of keys: domain names in lower case.
fn is_prefix(prefix: &str) -> bool {
    let is_end = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_label = |label: &str| {
        label.starts_with(is_end)
            && label.ends_with(is_end)
            && label.chars().all(|c| is_end(c) || c == '-')
    };
    prefix.len() <= TOPOLOGY_MAX && prefix.split('.').all(is_label)
}
