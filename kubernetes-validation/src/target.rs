//! For which server an object is judged: its release and its feature gates.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kubernetes_kinds::Release;

/// The API server whose behaviour is asked for.
///
/// The release decides which fields are known, which features are on and which rules hold.
/// Gates that differ from the release's defaults are given by name, as in `--feature-gates`.
///
/// ```
/// use kubernetes_kinds::Release;
/// use kubernetes_validation::Target;
///
/// let target = Target::new(Release::new(1, 34)).with_gate("VolumeAttributesClass", false);
/// assert_eq!(target.release(), Release::new(1, 34));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    release: Release,
    gates: BTreeMap<Cow<'static, str>, bool>,
}

impl Target {
    /// The release that the rules of this version of the crates end with.
    pub const LATEST: Self = Self::new(Release::new(1, 37));

    /// A server of the release with the feature gates that it has by default.
    ///
    /// Nothing tells releases before 1.23 apart.
    #[must_use]
    pub const fn new(release: Release) -> Self {
        Self {
            release,
            gates: BTreeMap::new(),
        }
    }

    /// Sets a feature gate; `AllAlpha` and `AllBeta` stand for all of their stage.
    ///
    /// A gate that is locked, because its feature is stable, can't be switched off.
    #[must_use]
    pub fn with_gate(mut self, name: impl Into<Cow<'static, str>>, on: bool) -> Self {
        self.gates.insert(name.into(), on);
        self
    }

    /// The release.
    #[must_use]
    pub const fn release(&self) -> Release {
        self.release
    }

    /// Whether the server has the feature and has it on.
    #[must_use]
    pub fn has(&self, feature: &Feature) -> bool {
        let reached = |at: Option<Release>| at.is_some_and(|at| at <= self.release);
        if self.release < feature.introduced {
            return false;
        }
        if reached(feature.stable) {
            return true;
        }
        let stage = if reached(feature.beta) {
            "AllBeta"
        } else {
            "AllAlpha"
        };
        let given = self.gates.get(feature.gate).or_else(|| self.gates.get(stage));
        given.copied().unwrap_or_else(|| reached(feature.on))
    }
}

impl Default for Target {
    fn default() -> Self {
        Self::LATEST
    }
}

/// Something that a feature gate switches, with the releases of its stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The name of the gate; empty if there is none.
    pub gate: &'static str,
    /// The first release that has it.
    pub introduced: Release,
    /// The first release that has it as beta.
    pub beta: Option<Release>,
    /// The first release that has it on unless told otherwise.
    pub on: Option<Release>,
    /// The first release that has it always on.
    pub stable: Option<Release>,
}
