//! The places of claims in custom resources, which a user names.

use std::str::FromStr;

use kubernetes_kinds::FieldPath;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

/// A place of claims in the custom resources of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimPlace {
    /// The group of the custom resources, such as `postgresql.cnpg.io`; all its versions are meant.
    #[serde(deserialize_with = "group")]
    pub group: String,
    /// Their kind, such as `Cluster`.
    pub kind: String,
    /// The path of the claims, such as `spec.nodeSets[].volumeClaimTemplates[]`. `[]` stands for
    /// all elements of a list, or values of a map.
    #[schemars(with = "String")]
    pub path: ClaimPath,
    /// The part of a claim that is there.
    #[serde(default)]
    pub holds: Holds,
}

/// Reads a group, which has no version.
fn group<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let group = String::deserialize(deserializer)?;
    match group.split_once('/') {
        Some((group, version)) => Err(de::Error::custom(format!(
            "all versions of a group are meant; write `{group}` without `/{version}`"
        ))),
        None => Ok(group),
    }
}

/// The part of a claim that a custom resource has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Holds {
    /// A claim with `metadata` and `spec`.
    #[default]
    Claim,
    /// The `spec` of a claim.
    Spec,
}

/// The path of claims in an object: names of fields with `.` between them, and `[]` for all
/// elements of a list or values of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimPath(Vec<Step>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Field(String),
    All,
}

impl FromStr for ClaimPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut steps = Vec::new();
        for part in text.split('.') {
            let name = part.trim_end_matches("[]");
            if name.is_empty() || name.contains(['[', ']', ' ', '*']) {
                return Err(format!(
                    "`{text}` is no path of claims; expected one such as \
                     `spec.nodeSets[].volumeClaimTemplates[]`"
                ));
            }
            steps.push(Step::Field(name.to_owned()));
            let lists = part.strip_prefix(name).unwrap_or_default().len() / 2;
            steps.extend(std::iter::repeat_n(Step::All, lists));
        }
        Ok(Self(steps))
    }
}

impl<'de> Deserialize<'de> for ClaimPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl ClaimPath {
    /// Returns what is at the path in an object, with the paths of each.
    pub(super) fn find<'v>(&self, object: &'v Value) -> Vec<(FieldPath, &'v Value)> {
        let mut found = vec![(FieldPath::default(), object)];
        for step in &self.0 {
            let next = found.into_iter().flat_map(|(path, value)| match step {
                Step::Field(name) => {
                    let inner = value.get(name).into_iter();
                    let inner = inner.map(|value| (path.clone().child(name.clone()), value));
                    inner.collect::<Vec<_>>()
                }
                Step::All => all(&path, value),
            });
            found = next.collect();
        }
        found
    }
}

/// Returns the elements of a list, or the values of a map.
fn all<'v>(path: &FieldPath, value: &'v Value) -> Vec<(FieldPath, &'v Value)> {
    match value {
        Value::Array(items) => {
            let items = items.iter().enumerate();
            let items = items.map(|(index, value)| (path.clone().index(index), value));
            items.collect()
        }
        Value::Object(entries) => {
            let entries = entries.iter();
            let entries = entries.map(|(key, value)| (path.clone().key(key.clone()), value));
            entries.collect()
        }
        _ => Vec::new(),
    }
}
