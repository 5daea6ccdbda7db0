//! The arguments of the command.

use std::collections::BTreeSet;

use clap::ValueEnum;

use super::apply_set::ApplySet;
use super::linter::LintOptions;
use crate::arguments::{Files, Server};
use crate::kinds;
use crate::text::nearest;

/// Reports the errors and warnings of an API server for manifests
///
/// Reads objects of storage.k8s.io/v1, v1beta1 and v1alpha1, csi.storage.k8s.io/v1alpha1 and
/// snapshot.storage.k8s.io/v1, and PersistentVolumes and PersistentVolumeClaims, from YAML and
/// JSON, and leaves all others alone. Prints one finding a line, as
/// `file:line: document: path: kind: message`.
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
    #[arg(long = "kind", value_name = "KIND", value_parser = kind)]
    pub(crate) kinds: Vec<String>,

    /// Report fields that the target release doesn't have, but other releases do, as errors instead
    /// of warnings, as a server does with fieldValidation=Strict
    #[arg(long)]
    pub(crate) strict_unknown: bool,

    /// Files that are applied together; an object in more than one of them is an error
    #[arg(long, value_enum, default_value_t = ApplySet::File)]
    pub(crate) apply_set: ApplySet,

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
}

impl Args {
    /// Returns the options of the linter.
    pub(crate) fn options(&self) -> LintOptions {
        LintOptions {
            kinds: self.kinds.clone(),
            strict_unknown: self.strict_unknown,
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

/// Parses the name of a registered kind.
fn kind(text: &str) -> Result<String, String> {
    let scheme = kinds::scheme();
    let known: BTreeSet<_> = kinds::registered(&scheme)
        .map(|known| &*known.kind.kind)
        .collect();
    if known.contains(text) {
        return Ok(text.to_owned());
    }
    let near = nearest(text, known.iter().copied());
    let meant = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
    let known: Vec<_> = known.into_iter().collect();
    Err(format!("{meant}supported kinds: {}", known.join(", ")))
}
