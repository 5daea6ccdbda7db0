//! What can be said on the command line.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::ValueEnum;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use kubernetes_kinds::Release;
use kubernetes_validation::Target;

use crate::check::Options;
use crate::input::{self, Inputs};
use crate::{kinds, told};

/// Tells what a Kubernetes API server would say about manifests
///
/// Reads objects of storage.k8s.io/v1, v1beta1 and v1alpha1 and of csi.storage.k8s.io/v1alpha1
/// from YAML and JSON, and leaves all others alone. Prints one error a line, as
/// `file:line: document: path: kind: message`.
///
/// Exits with 0 if there is no error, 1 if there is one, and 2 if something can't be read or the
/// command line is wrong.
#[derive(Clone, Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// What is read.
    #[command(flatten)]
    pub files: Files,

    /// The API server whose rules apply.
    #[command(flatten)]
    pub server: Server,

    /// A kind that is checked, and no others are. May be given more than once
    #[arg(long = "kind", value_name = "KIND", value_parser = kind)]
    pub kinds: Vec<String>,

    /// Let fields that the release doesn't have, but others do, be errors, as for a server that is
    /// asked to be strict; otherwise they are warnings
    #[arg(long)]
    pub strict_unknown: bool,

    /// Which files are applied together, so that an object can stand in one of them only
    #[arg(long, value_enum, default_value_t = ApplySet::File)]
    pub apply_set: ApplySet,

    /// How errors are printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Whether text is coloured; `auto` colours on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,

    /// Let warnings, too, make the exit code 1
    #[arg(long)]
    pub warnings_as_errors: bool,

    /// Name the files that are skipped and the documents that are left alone
    #[arg(short, long)]
    pub verbose: bool,
}

/// How errors are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One line an error
    Text,
    /// One JSON object an error, each on a line, and one with the numbers of files and objects
    Json,
    /// JUnit's XML, a test case for each file
    Junit,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

/// Which files are applied together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ApplySet {
    /// Each file by itself
    File,
    /// The files of each folder
    Folder,
    /// All files
    All,
}

/// Whether text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What is read.
#[derive(Clone, Debug, clap::Args)]
pub struct Files {
    /// Files and folders; a folder stands for all .yaml, .yml and .json files in it, at any
    /// depth. Standard input is read if there is none, and for `-`
    #[arg(value_name = "FILES")]
    pub files: Vec<PathBuf>,

    /// Leaves out files and folders whose path matches, or ends with what matches, such as
    /// `templates` or `charts/*/crds`. May be given more than once
    #[arg(long = "ignore", value_name = "PATTERN", value_parser = pattern)]
    pub ignore: Vec<GlobSet>,
}

impl Files {
    /// Finds the inputs that are named.
    #[must_use]
    pub fn find(&self) -> Inputs {
        input::find(&self.files, &self.ignore)
    }
}

/// An API server.
#[derive(Clone, Debug, clap::Args)]
pub struct Server {
    /// The release of the API server, such as 1.36
    #[arg(long, value_name = "RELEASE", default_value_t = storage_all::KUBERNETES)]
    #[arg(value_parser = release)]
    pub target_release: Release,

    /// A feature gate of the API server that differs from the release's default; AllAlpha and
    /// AllBeta stand for all of their stage. May be given more than once
    #[arg(long = "feature-gate", value_name = "NAME=true|false", value_parser = gate)]
    pub feature_gates: Vec<(String, bool)>,
}

impl Server {
    /// The API server whose rules apply.
    #[must_use]
    pub fn target(&self) -> Target {
        let target = Target::new(self.target_release);
        self.feature_gates
            .iter()
            .fold(target, |target, (name, on)| {
                target.with_gate(name.clone(), *on)
            })
    }
}

impl Args {
    /// What is checked.
    #[must_use]
    pub fn options(&self) -> Options {
        Options {
            kinds: self.kinds.clone(),
            strict_unknown: self.strict_unknown,
        }
    }
}

/// Reads `1.36`, `v1.36` or `1.36.2`.
///
/// # Errors
///
/// When it is something else, or a release that isn't known yet.
pub fn release(text: &str) -> Result<Release, String> {
    let newest = storage_all::KUBERNETES;
    let numbers: Option<Vec<u16>> = text
        .strip_prefix('v')
        .unwrap_or(text)
        .split('.')
        .map(|number| number.parse().ok())
        .collect();
    let release = match numbers.as_deref() {
        Some([major, minor] | [major, minor, _]) => Release::new(*major, *minor),
        _ => return Err(format!("a release is written as {newest}")),
    };
    if release.major != 1 || release > newest {
        return Err(format!("the releases that are known end with {newest}"));
    }
    Ok(release)
}

/// Reads a pattern of paths: `*` doesn't match a slash, `**` does.
fn pattern(text: &str) -> Result<GlobSet, String> {
    let glob = |text: &str| {
        GlobBuilder::new(text)
            .literal_separator(true)
            .build()
            .map_err(|error| error.kind().to_string())
    };
    let text = text.trim_start_matches("./").trim_end_matches('/');
    let mut set = GlobSetBuilder::new();
    set.add(glob(&format!("**/{text}"))?)
        .add(glob(&format!("**/{text}/**"))?);
    set.build().map_err(|error| error.kind().to_string())
}

/// Reads the name of a kind.
fn kind(text: &str) -> Result<String, String> {
    let scheme = kinds::scheme();
    let known = scheme
        .group_versions()
        .flat_map(|version| scheme.kinds(version));
    let known: BTreeSet<_> = known.map(|known| known.kind.kind.clone()).collect();
    if known.contains(text) {
        return Ok(text.to_owned());
    }
    let known: Vec<_> = known.into_iter().collect();
    let near = told::nearest(text, known.iter().map(|kind| &**kind));
    let meant = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
    Err(format!(
        "{meant}The kinds that are known are {}",
        known.join(", ")
    ))
}

/// Reads `Name=true`.
fn gate(text: &str) -> Result<(String, bool), String> {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric());
    text.split_once('=')
        .filter(|(name, _)| is_name(name))
        .and_then(|(name, on)| Some((name.to_owned(), on.parse().ok()?)))
        .ok_or_else(|| "a gate is written as Name=true or Name=false".to_owned())
}
