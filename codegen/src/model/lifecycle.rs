//! The lifecycles of kinds, fields and rules.

use serde::{Deserialize, Serialize};

use crate::name::Ident;
use crate::release::Release;

/// The releases in which something was introduced, became stable and was removed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lifecycle {
    pub(crate) introduced: Release,
    pub(crate) alpha: Option<Release>,
    pub(crate) beta: Option<Release>,
    pub(crate) stable: Option<Release>,
    pub(crate) deprecated: Option<Release>,
    pub(crate) removed: Option<Release>,
    pub(crate) gate: Option<String>,
    /// The first release in which the gate is on by default, if that isn't its first as beta.
    #[serde(rename = "default-on")]
    pub(crate) default_on: Option<Release>,
    pub(crate) replacement: Option<String>,
}

/// Something that a feature gate switches.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Feature {
    /// The name of its constant.
    pub(crate) name: Ident,
    pub(crate) gate: String,
    pub(crate) introduced: Release,
    pub(crate) beta: Option<Release>,
    /// The first release that has it on by default.
    pub(crate) on: Option<Release>,
    pub(crate) stable: Option<Release>,
}

/// A kind as `x-lifecycle` names it: `storage.k8s.io/v1 CSINode`.
pub(crate) struct KindName<'a> {
    pub(crate) api_version: &'a str,
    pub(crate) kind: &'a str,
}

impl<'a> KindName<'a> {
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (api_version, kind) = text.split_once(' ')?;
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let number = version.strip_prefix('v')?;
        let is_name = |text: &str, more: &[u8]| {
            text.bytes()
                .all(|b| b.is_ascii_alphanumeric() || more.contains(&b))
        };
        let is_kind = kind.starts_with(|c: char| c.is_ascii_uppercase());
        let is_version = number.starts_with(|c: char| c.is_ascii_digit());
        let are_names = is_name(group, b".-") && is_name(number, b"") && is_name(kind, b"");
        (is_kind && is_version && are_names).then_some(Self { api_version, kind })
    }
}
