//! The arguments of the command.

use clap::ValueEnum;

use super::apply_set::ApplySet;
use super::claim_places::ClaimPlace;
use super::levels::Levels;
use super::linter::LintOptions;
use crate::arguments::{Files, Server};
use crate::config::Config;
use crate::kinds;

/// Reports the errors and warnings of an API server for manifests
///
/// Reads objects of storage.k8s.io/v1, v1beta1 and v1alpha1, csi.storage.k8s.io/v1alpha1,
/// snapshot.storage.k8s.io/v1 and groupsnapshot.storage.k8s.io/v1, and PersistentVolumes and
/// PersistentVolumeClaims, from YAML and JSON, and leaves all others alone. Objects of v1beta2 and
/// v1beta1 of snapshots and group snapshots are checked as those of v1. Prints one finding a line,
/// as `file:line: document: path: kind: message`.
///
/// Exits with 0 if there is no error, 1 if there is one, and 2 if a file can't be read or the
/// command line is invalid.
#[derive(Clone, Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) files: Files,

    #[command(flatten)]
    pub(crate) server: Server,

    /// Check only objects of this kind; can be repeated
    #[arg(long = "kind", value_name = "KIND", value_parser = kinds::parse)]
    pub(crate) kinds: Vec<String>,

    /// Report fields that the target release doesn't have, but other releases do, as errors instead
    /// of warnings, as a server does with fieldValidation=Strict
    #[arg(long)]
    pub(crate) strict_unknown: bool,

    /// Files that are applied together; an object in more than one of them is an error. By default
    /// each file is applied by itself
    #[arg(long, value_enum)]
    apply_set: Option<ApplySet>,

    /// Report only findings in files that differ from where this revision of git and the branch
    /// have parted, committed or not, such as `origin/main` for a pull request
    #[arg(long, value_name = "REVISION")]
    pub(crate) diff_from: Option<String>,

    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) format: OutputFormat,

    /// Coloring of text; `auto` colors on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,

    /// Exit with 1 for warnings too
    #[arg(long)]
    pub(crate) warnings_as_errors: bool,

    /// Print a note for each file, object and value that isn't checked
    #[arg(long)]
    pub(crate) notes: bool,

    /// List the files that aren't read and the documents that are left alone
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// The levels of rules.
    #[arg(skip)]
    pub(crate) levels: Levels,

    /// The claims in custom resources.
    #[arg(skip)]
    claim_places: Vec<ClaimPlace>,
}

impl Args {
    /// Adds what a configuration says.
    ///
    /// # Errors
    ///
    /// As those of the server.
    pub(crate) fn complete(&mut self, config: Config) -> Result<(), String> {
        self.files.complete(&config);
        self.server.complete(&config)?;
        if self.kinds.is_empty() {
            self.kinds = config.kinds;
        }
        self.strict_unknown |= config.strict_unknown;
        self.apply_set = self.apply_set.or(config.apply_set);
        self.levels = config.rules;
        self.claim_places = config.claim_templates;
        Ok(())
    }

    /// Returns the files that are applied together.
    pub(crate) fn apply_set(&self) -> ApplySet {
        self.apply_set.unwrap_or(ApplySet::File)
    }

    /// Returns the options of the linter.
    pub(crate) fn options(&self) -> LintOptions {
        LintOptions {
            kinds: self.kinds.clone(),
            strict_unknown: self.strict_unknown,
            claim_places: self.claim_places.clone(),
        }
    }
}

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// One line a finding
    Text,
    /// One JSON object a line for each finding, and one with the summary
    Json,
    /// JUnit XML with a test case for each file
    Junit,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

/// The coloring of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
