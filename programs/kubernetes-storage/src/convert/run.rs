//! Runs the command.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use kubernetes_kinds::Release;
use kubernetes_manifests::scheme::Unrepresentable;
use rayon::prelude::*;
use similar::TextDiff;

use super::lossy::Lossy;
use super::plan::{Plan, Planner};
use super::write;
use crate::arguments::{Files, release};
use crate::exit;
use crate::input::Input;
use crate::kinds::scheme;
use crate::output::{report, report_error};
use crate::text::counted;

/// Converts manifests to the newest version that a release serves
///
/// Edits the text of each file where necessary, which is mostly the apiVersion alone: comments,
/// order, quotes and other documents don't change. An object that has other fields in the newer
/// version is rewritten. Reports each change as `file:line: kind name becomes kind`.
///
/// A file is not converted if a field would be lost, a document can't be read, or a version or kind
/// of the storage API is unknown. Standard input is converted to standard output.
///
/// Exits with 0 if all files are converted, 1 if one is not, or would change with --check, and 2 if
/// a file can't be read or written or the command line is invalid.
#[derive(Clone, Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[command(group = clap::ArgGroup::new("destination").required(false).multiple(false))]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,

    /// Kubernetes release of the API server, such as 1.36
    #[arg(long, value_name = "RELEASE", default_value_t = storage_all::KUBERNETES)]
    #[arg(value_parser = release)]
    target_release: Release,

    /// Write the files that change
    #[arg(long, group = "destination")]
    in_place: bool,

    /// Write all files to this folder, with the paths that they have in theirs
    #[arg(long, value_name = "FOLDER", group = "destination")]
    output: Option<PathBuf>,

    /// Write nothing, print the differences, and exit with 1 if there are any
    #[arg(long, group = "destination")]
    check: bool,

    /// Write nothing, and print the differences
    #[arg(long, group = "destination")]
    diff: bool,

    /// Handling of objects with fields that the newer version cannot represent
    #[arg(long, value_enum, default_value_t = Lossy::Refuse)]
    lossy: Lossy,
}

/// An input with the plan of its conversion.
struct Planned {
    input: Input,
    text: String,
    plan: Plan,
}

/// The progress of a run, which decides the exit code.
#[derive(Default)]
struct Status {
    /// True if a file can't be read or written.
    failed: bool,
    /// True if a file should change and can't be converted.
    not_converted: bool,
    changed: usize,
    templates: usize,
}

impl Status {
    fn fail(&mut self, message: &str) {
        self.failed = true;
        report_error(message);
    }

    fn exit_code(&self, args: &Args) -> u8 {
        if self.failed {
            exit::FAILURE
        } else if self.not_converted || (args.check && self.changed > 0) {
            exit::PROBLEM
        } else {
            exit::SUCCESS
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut status = Status::default();
    let inputs = args.files.find();
    inputs
        .failed
        .iter()
        .for_each(|message| status.fail(message));
    let is_piped = inputs.inputs == [Input::Standard];
    let has_destination = args.in_place || args.check || args.diff || args.output.is_some();
    if !is_piped && !has_destination {
        status.fail("--in-place, --output, --diff or --check is required");
        return ExitCode::from(exit::FAILURE);
    }
    let planned = plan_all(args, inputs.inputs, &mut status);
    for planned in &planned {
        report_plan(planned, &mut status);
    }
    if let Err(error) = finish(args, &planned, is_piped) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return ExitCode::from(exit::FAILURE);
        }
        status.fail(&error.to_string());
    }
    report(&format!(
        "{}, {} changed, {} not read",
        counted(planned.len(), "file"),
        status.changed,
        counted(status.templates, "template")
    ));
    ExitCode::from(status.exit_code(args))
}

/// Reads all inputs and plans their conversion, before anything is written.
fn plan_all(args: &Args, inputs: Vec<Input>, status: &mut Status) -> Vec<Planned> {
    let unrepresentable = match args.lossy {
        Lossy::Annotate => Unrepresentable::Preserve,
        Lossy::Refuse | Lossy::Discard => Unrepresentable::Discard,
    };
    let scheme = scheme().with_unrepresentable(unrepresentable);
    let planner = Planner {
        scheme: &scheme,
        release: args.target_release,
        lossy: args.lossy,
    };
    let plan = |input: Input| {
        let text = input.read_utf8().map_err(|error| error.to_string())?;
        let plan = planner.plan(&text, input.syntax());
        Ok(Planned { input, text, plan })
    };
    let planned: Vec<Result<_, String>> = inputs.into_par_iter().map(plan).collect();
    let mut all = Vec::new();
    for planned in planned {
        match planned {
            Ok(planned) => all.push(planned),
            Err(message) => status.fail(&message),
        }
    }
    all
}

/// Reports the changes of a file, or why it is not converted.
fn report_plan(planned: &Planned, status: &mut Status) {
    let (name, plan) = (planned.input.name(), &planned.plan);
    if let Some(line) = plan.template {
        status.templates += 1;
        report(&format!(
            "{name}:{line}: template, not read; convert the rendered manifests instead"
        ));
    }
    for (line, problem) in &plan.problems {
        status.not_converted = true;
        report(&format!("{name}:{line}: error: not converted: {problem}"));
    }
    if plan.text.is_some() {
        status.changed += 1;
        for (line, change) in &plan.changes {
            report(&format!("{name}:{line}: {change}"));
        }
    }
}

/// Writes the converted texts, or prints the differences.
fn finish(args: &Args, planned: &[Planned], is_piped: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for Planned { input, text, plan } in planned {
        let new = plan.text.as_deref().unwrap_or(text);
        match (input, &args.output) {
            _ if args.check || args.diff => {
                let name = input.name();
                let diff = TextDiff::from_lines(text.as_str(), new);
                let mut diff = diff.unified_diff();
                write!(out, "{}", diff.header(&name, &name))?;
            }
            // A text that isn't converted must not pass for a converted one.
            _ if !plan.problems.is_empty() => {}
            (Input::File(path), None) if plan.text.is_some() => {
                write::replace(path, new)?;
            }
            (Input::File(path), Some(folder)) => {
                write::copy(&args.files.files, path, folder, new)?;
            }
            (Input::Standard, _) if is_piped => out.write_all(new.as_bytes())?,
            _ => {}
        }
    }
    out.flush()
}
