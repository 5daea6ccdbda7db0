//! The budgets, as their file has them.

use std::error::Error;
use std::path::Path;

use serde::Deserialize;

use super::work::Basis;
use crate::workspace;

/// The file, seen from the root of the workspace.
pub(super) const FILE: &str = "xtask/budget.toml";

/// All budgets.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Limits {
    /// The part of its limit by which a share of CPU time may exceed it.
    cpu_tolerance: f64,
    #[serde(rename = "budget")]
    pub(super) budgets: Vec<Limit>,
}

/// The work and the size that one crate may add.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Limit {
    #[serde(rename = "crate")]
    pub(super) name: String,
    pub(super) features: Features,
    /// Percent of the work that k8s-openapi alone is.
    percent: f64,
    pub(super) megabytes: f64,
}

/// The features with which a crate is built.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(
    untagged,
    expecting = "`features` is \"default\" or a list of features"
)]
pub(super) enum Features {
    /// `"default"`: those that a user gets without asking.
    Default(DefaultFeatures),
    /// These beside them.
    Listed(Vec<String>),
}

/// The word for no features but the default ones.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum DefaultFeatures {
    Default,
}

impl Features {
    /// The features that are asked for.
    pub(super) fn names(&self) -> &[String] {
        match self {
            Self::Default(_) => &[],
            Self::Listed(names) => names,
        }
    }
}

impl Limits {
    /// Reads the file of the workspace.
    pub(super) fn read(root: &Path) -> Result<Self, Box<dyn Error>> {
        let text = workspace::read(&root.join(FILE))?;
        Self::parse(&text).map_err(|e| format!("error: {FILE}: {e}").into())
    }

    pub(super) fn parse(text: &str) -> Result<Self, Box<dyn Error>> {
        let limits: Self = toml::from_str(text)?;
        // Every comparison with NaN is false.
        let budgets = &limits.budgets;
        match budgets
            .iter()
            .find(|l| l.percent.is_nan() || l.percent <= 0.0)
        {
            Some(limit) => Err(format!("{}: percent must be positive", limit.label()).into()),
            None if limits.cpu_tolerance >= 0.0 => Ok(limits),
            None => Err("cpu-tolerance must not be negative".into()),
        }
    }

    /// The share above which the command fails.
    pub(super) fn tolerated_share(&self, limit: &Limit, basis: Basis) -> f64 {
        match basis {
            Basis::Instructions => limit.share(),
            Basis::Time => limit.share() * (1.0 + self.cpu_tolerance),
        }
    }
}

impl Limit {
    /// The share of the work of k8s-openapi alone that the crate may add.
    pub(super) fn share(&self) -> f64 {
        self.percent / 100.0
    }

    /// The crate and its features, for the table.
    pub(super) fn label(&self) -> String {
        match self.features.names() {
            [] => self.name.clone(),
            names => format!("{}, {}", self.name, names.join(" + ")),
        }
    }
}
