//! `kubernetes-storage convert`: brings manifests to the newest version that a release serves, and
//! leaves the rest of their text as it is.

mod edit;
mod plan;
mod version;
mod write;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use kubernetes_kinds::Release;
use kubernetes_manifests::scheme::Unrepresentable;
use kubernetes_storage_lint::args as lint;
use kubernetes_storage_lint::input::Input;
use kubernetes_storage_lint::kinds::scheme;
use kubernetes_storage_lint::print::{counted, note};
use plan::{Plan, Planner};
use rayon::prelude::*;
use similar::TextDiff;

/// Brings manifests to the newest version that a release serves
///
/// Changes the text of each file where it has to, which mostly is the apiVersion alone: comments,
/// order, quotes and other documents stay as they are. An object that has other fields in the newer
/// version is written anew. Says each change as `file:line: kind name becomes kind`.
///
/// A file is left as it is if something in it would be lost, can't be read, or is of a version or
/// kind that the storage API has never had. Standard input is converted to standard output.
///
/// Exits with 0 if all is done, 1 if a file is left that should change, or would change with
/// --check, and 2 if something can't be read or written or the command line is wrong.
#[derive(Clone, Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[command(group = clap::ArgGroup::new("what").required(false).multiple(false))]
pub(crate) struct Args {
    #[command(flatten)]
    files: lint::Files,

    /// The release of the API server, such as 1.36
    #[arg(long, value_name = "RELEASE", default_value_t = storage_all::KUBERNETES)]
    #[arg(value_parser = lint::release)]
    target_release: Release,

    /// Write the files that change
    #[arg(long, group = "what")]
    in_place: bool,

    /// Write all files to this folder, under the names that they have in theirs
    #[arg(long, value_name = "FOLDER", group = "what")]
    output: Option<PathBuf>,

    /// Write nothing, show the differences, and exit with 1 if there are any
    #[arg(long, group = "what")]
    check: bool,

    /// Write nothing, and show the differences
    #[arg(long, group = "what")]
    diff: bool,

    /// What happens to an object with fields that the newer version doesn't have
    #[arg(long, value_enum, default_value_t = Lossy::Refuse)]
    lossy: Lossy,
}

/// What happens to what a version can't represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Lossy {
    /// The file is left as it is
    Refuse,
    /// An annotation keeps the fields, from which converting back restores them
    Annotate,
    /// The fields are lost, unknown fields too
    Discard,
}

/// A file, and what becomes of it.
struct Planned {
    input: Input,
    text: String,
    plan: Plan,
}

/// What has been said so far decides the exit code.
#[derive(Default)]
struct Told {
    is_trouble: bool,
    is_left: bool,
    changed: usize,
    templates: usize,
}

impl Told {
    fn trouble(&mut self, message: &str) {
        self.is_trouble = true;
        note(&format!("error: {message}"));
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut told = Told::default();
    let inputs = args.files.find();
    inputs
        .failed
        .iter()
        .for_each(|message| told.trouble(message));
    let is_piped = inputs.inputs == [Input::Standard];
    let is_said = args.in_place || args.check || args.diff || args.output.is_some();
    if !is_piped && !is_said {
        told.trouble("say --in-place, --output FOLDER, --diff or --check");
        return ExitCode::from(2);
    }
    let planned = plan_all(args, inputs.inputs, &mut told);
    planned.iter().for_each(|planned| tell(planned, &mut told));
    if let Err(error) = finish(args, &planned, is_piped) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return ExitCode::from(2);
        }
        told.trouble(&error.to_string());
    }
    note(&format!(
        "{}, {} changed, {} not read",
        counted(planned.len(), "file"),
        told.changed,
        counted(told.templates, "template")
    ));
    ExitCode::from(match (told.is_trouble, told.is_left) {
        (true, _) => 2,
        (false, true) => 1,
        (false, false) => u8::from(args.check && told.changed > 0),
    })
}

/// Reads all files and plans what becomes of them, before anything is written.
fn plan_all(args: &Args, inputs: Vec<Input>, told: &mut Told) -> Vec<Planned> {
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
        let text = input.text()?;
        let plan = planner.plan(&text, input.syntax());
        Ok(Planned { input, text, plan })
    };
    let planned: Vec<Result<_, String>> = inputs.into_par_iter().map(plan).collect();
    let mut all = Vec::new();
    for planned in planned {
        match planned {
            Ok(planned) => all.push(planned),
            Err(message) => told.trouble(&message),
        }
    }
    all
}

/// Says what becomes of a file.
fn tell(planned: &Planned, told: &mut Told) {
    let (name, plan) = (planned.input.name(), &planned.plan);
    if let Some(line) = plan.template {
        told.templates += 1;
        note(&format!(
            "{name}:{line}: template, not read: convert what is rendered from it"
        ));
    }
    for (line, problem) in &plan.problems {
        told.is_left = true;
        note(&format!("{name}:{line}: error: left as it is: {problem}"));
    }
    if plan.text.is_some() {
        told.changed += 1;
        for (line, change) in &plan.changes {
            note(&format!("{name}:{line}: {change}"));
        }
    }
}

/// Writes or shows what has been planned.
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
            // What can't be converted isn't passed on as if it were.
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
