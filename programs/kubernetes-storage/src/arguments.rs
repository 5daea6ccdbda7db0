//! Arguments that several commands take: the files to read and the server's release.

use std::path::PathBuf;

use globset::GlobSet;
use kubernetes_kinds::Release;
use kubernetes_validation::Target;

use crate::config::{self, Config};
use crate::gates;
use crate::release::release;
use crate::search::{Inputs, Links, Search, pattern};

/// The files to read.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Files {
    /// Files and folders to read; a folder means all .yaml, .yml and .json files in it, at any
    /// depth. Without any, and for `-`, reads standard input
    #[arg(value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,

    /// Skip files and folders whose path, or the end of it, matches, such as `templates` or
    /// `charts/*/crds`; can be repeated
    #[arg(long = "ignore", value_name = "PATTERN", value_parser = pattern)]
    pub(crate) ignore: Vec<GlobSet>,

    /// Read hidden files and folders, those that a .gitignore or .ignore names, and the folders
    /// `vendor`, `third_party` and `node_modules`, too
    #[arg(long)]
    pub(crate) no_ignore: bool,

    #[command(flatten)]
    pub(crate) config: config::Choice,
}

impl Files {
    /// Adds what a configuration says.
    pub(crate) fn complete(&mut self, config: &Config) {
        self.ignore.extend(config.ignore.iter().cloned());
        self.no_ignore |= config.no_ignore;
    }

    /// Finds the inputs that the arguments name.
    pub(crate) fn find(&self, links: Links) -> Inputs {
        let search = Search {
            named: &self.files,
            ignored: &self.ignore,
            everything: self.no_ignore,
            links,
        };
        search.find()
    }
}

/// The release of an API server.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct TargetRelease {
    /// Kubernetes release of the API server, such as 1.36; by default the newest supported one
    #[arg(long, value_name = "RELEASE", value_parser = release)]
    target_release: Option<Release>,
}

impl TargetRelease {
    /// Adds what a configuration says.
    pub(crate) fn complete(&mut self, config: &Config) {
        self.target_release = self.target_release.or(config.target_release);
    }

    pub(crate) fn get(&self) -> Release {
        self.target_release.unwrap_or(storage_all::KUBERNETES)
    }
}

/// The API server to imitate.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Server {
    #[command(flatten)]
    pub(crate) release: TargetRelease,

    /// Feature gate of the API server that differs from the release's default; AllAlpha and AllBeta
    /// set all gates of a stage; can be repeated
    #[arg(long = "feature-gate", value_name = "NAME=true|false", value_parser = gate)]
    pub(crate) feature_gates: Vec<(String, bool)>,
}

impl Server {
    /// Adds what a configuration says. The later of two values of a gate counts.
    ///
    /// # Errors
    ///
    /// A message about a feature gate that the server doesn't know.
    pub(crate) fn complete(&mut self, config: &Config) -> Result<(), String> {
        self.release.complete(config);
        for (name, on) in &config.feature_gates {
            let checked = gates::check(name, self.release.get());
            checked.map_err(|message| config.wrong(on, &message))?;
        }
        let gates = config.feature_gates.iter();
        let gates = gates.map(|(name, on)| (name.clone(), on.value));
        self.feature_gates.splice(..0, gates);
        Ok(())
    }

    /// Checks that the server knows the feature gates.
    ///
    /// # Errors
    ///
    /// A message about one that it doesn't know.
    pub(crate) fn check(&self) -> Result<(), String> {
        let mut names = self.feature_gates.iter();
        names.try_for_each(|(name, _)| gates::check(name, self.release.get()))
    }

    /// Returns the server version and feature gates whose rules apply.
    pub(crate) fn target(&self) -> Target {
        let target = Target::new(self.release.get());
        self.feature_gates
            .iter()
            .fold(target, |target, (name, on)| {
                target.with_gate(name.clone(), *on)
            })
    }
}

/// Parses `Name=true`.
fn gate(text: &str) -> Result<(String, bool), String> {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric());
    text.split_once('=')
        .filter(|(name, _)| is_name(name))
        .and_then(|(name, on)| Some((name.to_owned(), on.parse().ok()?)))
        .ok_or_else(|| "expected NAME=true or NAME=false".to_owned())
}
