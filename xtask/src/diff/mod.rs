//! `cargo xtask diff`: what changed between two releases of the API, and what that means.

mod entry;
mod html;
mod markdown;
mod source;
mod summary;
mod text;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use codegen::diff::{Complete, Knowledge, Report, Scope, Severity, diff};

use crate::fetch;
use crate::inputs::{self, Folder};
use crate::workspace;

pub(crate) use source::Given;

/// Report what changed between two releases of the API, and what it means.
///
/// Each change has its place, the release that brought it, how much it matters to programs that
/// read and that write the API, what it means for the generated Rust, what conversions lose, and
/// what to edit. To documents that codegen.toml names, our overlays add rules, defaults,
/// enumerations and lifecycles. The kinds that codegen.toml has crates for are compared, in all
/// versions of their groups; --all-kinds compares the others too.
///
/// Exits with 0 if no change is as severe as --fail-on says, 1 if one is, and 2 if something can't
/// be read or the command line is wrong.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The earlier release: a folder of OpenAPI documents, a release that spec/ describes, such as
    /// 1.31, the URL of an API server or of `kubectl proxy`, or `cluster` or `cluster:CONTEXT` for
    /// one of the kubeconfig.
    from: Given,

    /// The later release, likewise.
    to: Given,

    /// Compare this group only; may be repeated. `core` is the group of Pod.
    #[arg(long = "group", value_name = "GROUP")]
    groups: Vec<String>,

    /// Compare all kinds that both sides describe, and what belongs to none, instead of the
    /// generated ones. A release of spec/ describes no others.
    #[arg(long)]
    all_kinds: bool,

    /// The format of the report.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Exit with 1 if a change is at least so severe, for readers or for writers.
    #[arg(long, value_enum, default_value_t = Level::Never, value_name = "SEVERITY")]
    fail_on: Level,

    /// List the changes of documentation too, instead of counting them.
    #[arg(long)]
    docs: bool,

    /// Take folders to hold all documents of their releases, so that a document which one of them
    /// lacks is a version that isn't served. Otherwise that holds for folders written by `spec
    /// fetch`, and for those with api/v1 and apps/v1. Custom resources are taken to be complete
    /// where a folder has a document of their group.
    #[arg(long)]
    complete: bool,

    /// Compare the documents as they are, without our overlays.
    #[arg(long)]
    no_overlays: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Text for a terminal.
    Text,
    /// JSON for programs.
    Json,
    /// Markdown for pull requests and release notes.
    Markdown,
    /// One page for a browser.
    Html,
}

#[derive(Clone, Copy, ValueEnum)]
enum Level {
    /// Exit with 0, whatever changed.
    Never,
    /// Something can fail.
    Breaking,
    /// Something unexpected can happen.
    Warning,
    /// There is something new.
    Info,
}

impl Level {
    fn is_reached(self, report: &Report) -> bool {
        let wanted = match self {
            Self::Never => return false,
            Self::Breaking => Severity::Breaking,
            Self::Warning => Severity::Warning,
            Self::Info => Severity::Info,
        };
        report.severity() >= wanted
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    match report(arguments).and_then(|report| print(&report, arguments).map(|()| report)) {
        Ok(report) => ExitCode::from(u8::from(arguments.fail_on.is_reached(&report))),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn report(arguments: &Arguments) -> Result<Report, Box<dyn Error>> {
    let root = workspace::root()?;
    let config = inputs::config(&root, &[])?;
    let spec = root.join("spec");
    let folder = Folder {
        path: &spec,
        release: None,
    };
    let found = inputs::read(&root, &folder, config, &[])?;
    let knowledge = Knowledge {
        config: &found.config,
        inputs: &found.inputs,
        applies_overlays: !arguments.no_overlays,
    };
    let mut from = arguments
        .from
        .read(&root, &found, &knowledge, &arguments.groups)?;
    let mut to = arguments
        .to
        .read(&root, &found, &knowledge, &arguments.groups)?;
    if arguments.complete {
        from.complete = Complete::All;
        to.complete = Complete::All;
    }
    if from.name == to.name {
        from.name = arguments.from.to_string();
        to.name = arguments.to.to_string();
    }
    let groups = arguments
        .groups
        .iter()
        .map(|group| fetch::group(group).to_owned());
    let scope = Scope {
        groups: groups.collect(),
        kinds: (!arguments.all_kinds).then(|| knowledge.kinds()),
    };
    let report = diff(&from, &to, Some(&knowledge), &scope);
    if report.compared.is_empty() {
        return Err(nothing(arguments, &report).into());
    }
    let known = || report.compared.iter().chain(&report.not_compared);
    let is_known = |group: &&String| {
        let name = fetch::group(group);
        name.is_empty() || known().any(|text| text.starts_with(&format!("{name}/")))
    };
    if let Some(group) = arguments.groups.iter().find(|group| !is_known(group)) {
        return Err(format!(
            "error: neither {} nor {} has a group {group}",
            from.name, to.name
        )
        .into());
    }
    Ok(report)
}

fn nothing(arguments: &Arguments, report: &Report) -> String {
    let Arguments {
        from, to, groups, ..
    } = arguments;
    let of = match groups.as_slice() {
        [] => String::new(),
        groups => format!(" of {}", groups.join(", ")),
    };
    let mut message = format!("error: {from} and {to} have no group-version{of} in common");
    for reason in entry::not_compared(report) {
        message += &format!("\n  {reason}");
    }
    message
        + "\n  help: files are named as Kubernetes names them, apis__storage.k8s.io__v1_openapi.json"
}

fn print(report: &Report, arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let text = match arguments.format {
        Format::Text => text::render(report, arguments.docs),
        Format::Markdown => markdown::render(report, arguments.docs),
        Format::Html => html::render(report, arguments.docs),
        Format::Json => serde_json::to_string_pretty(report)? + "\n",
    };
    match io::stdout().write_all(text.as_bytes()) {
        // A reader that closes a pipe early expects no error.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("error: can't write to standard output: {error}").into())
        }
        _ => Ok(()),
    }
}
