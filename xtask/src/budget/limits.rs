//! The budgets, as their file has them.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use serde::Deserialize;

use super::work::Basis;
use crate::workspace;

/// The file, seen from the root of the workspace.
pub(super) const FILE: &str = "xtask/budget.toml";

/// The base of a budget that names none.
const K8S_OPENAPI: &str = "k8s-openapi";

/// All budgets.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Limits {
    /// The part of its limit by which a share of CPU time may exceed it.
    cpu_tolerance: f64,
    /// The other bases.
    #[serde(default, rename = "base")]
    bases: BTreeMap<String, Dependencies>,
    #[serde(rename = "budget")]
    pub(super) budgets: Vec<Limit>,
}

/// The packages that a program depends on, each with its features beside the default ones.
pub(super) type Dependencies = BTreeMap<String, Vec<String>>;

/// The work and the size that one crate may add.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Limit {
    #[serde(rename = "crate")]
    pub(super) name: String,
    pub(super) features: Features,
    /// What programs have anyway, by the name of the package that is most of it.
    #[serde(default = "k8s_openapi")]
    pub(super) base: String,
    /// Percent of the work that the base alone is.
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

fn k8s_openapi() -> String {
    K8S_OPENAPI.to_owned()
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
            Some(limit) => {
                return Err(format!("{}: percent must be positive", limit.label()).into());
            }
            None if limits.cpu_tolerance >= 0.0 => {}
            None => return Err("cpu-tolerance must not be negative".into()),
        }
        for limit in budgets {
            let base = &limit.base;
            if !limits.dependencies(base).contains_key(base) {
                let known = limits.bases.keys().map(String::as_str);
                let known: Vec<_> = [K8S_OPENAPI].into_iter().chain(known).collect();
                let (label, known) = (limit.label(), known.join(", "));
                let help = "each `[base.NAME]` has dependencies, one of which is NAME";
                return Err(format!(
                    "{label}: no base `{base}`; there are: {known}\n  help: {help}"
                )
                .into());
            }
        }
        Ok(limits)
    }

    /// Returns the bases that budgets have, each once.
    pub(super) fn bases(&self) -> Vec<&str> {
        let mut bases = Vec::new();
        for limit in &self.budgets {
            if !bases.contains(&&*limit.base) {
                bases.push(&*limit.base);
            }
        }
        bases
    }

    /// Returns what a program with a base depends on.
    pub(super) fn dependencies(&self, base: &str) -> Dependencies {
        let latest = || Dependencies::from([(k8s_openapi(), vec!["latest".to_owned()])]);
        match self.bases.get(base) {
            Some(dependencies) => dependencies.clone(),
            None if base == K8S_OPENAPI => latest(),
            None => Dependencies::new(),
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
    /// The share of the work of the base alone that the crate may add.
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
