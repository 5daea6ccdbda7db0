//! The API server whose rules apply: its release and its feature gates.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kubernetes_kinds::Release;

/// The API server whose rules apply: its compatibility version and its feature gates.
///
/// The release decides which fields the server has, which features are enabled and which rules
/// apply. Gates that differ from the release's defaults are set by name, as in `--feature-gates`.
/// A generated crate has the newest release that it knows in its constant `KUBERNETES`, and
/// [`Target::OLDEST`] is the oldest whose rules are those of a server.
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
    /// The oldest release whose rules have been compared with those of its API server. The rules of
    /// older releases follow the documentation, and may lack a rule that Kubernetes has removed
    /// since.
    pub const OLDEST: Release = Release::new(1, 31);

    /// Returns a server of the release with its default feature gates.
    ///
    /// All releases before 1.23 have the same rules.
    #[must_use]
    pub const fn new(release: Release) -> Self {
        Self {
            release,
            gates: BTreeMap::new(),
        }
    }

    /// Sets a feature gate; `AllAlpha` and `AllBeta` set all gates of their stage.
    ///
    /// The gate of a stable feature is locked: it can't be disabled.
    #[must_use]
    pub fn with_gate(mut self, name: impl Into<Cow<'static, str>>, on: bool) -> Self {
        self.gates.insert(name.into(), on);
        self
    }

    /// Returns the release.
    #[must_use]
    pub const fn release(&self) -> Release {
        self.release
    }

    /// Returns true if the server is older than the release.
    #[must_use]
    pub fn is_before(&self, release: Release) -> bool {
        self.release < release
    }

    /// Returns true if the server has the feature and it is enabled.
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
        let given = self
            .gates
            .get(feature.gate)
            .or_else(|| self.gates.get(stage));
        given.copied().unwrap_or_else(|| reached(feature.on))
    }
}

/// A feature with its gate and the releases of its stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The name of the gate; empty if the feature has none.
    pub gate: &'static str,
    /// The first release that has the feature.
    pub introduced: Release,
    /// The first release in which it is beta.
    pub beta: Option<Release>,
    /// The first release in which it is enabled by default.
    pub on: Option<Release>,
    /// The first release in which it is stable, and always enabled.
    pub stable: Option<Release>,
}
