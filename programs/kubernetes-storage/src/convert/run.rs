//! Runs the command.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use kubernetes_manifests::scheme::Unrepresentable;
use rayon::prelude::*;
use similar::TextDiff;

use super::destination::Destinations;
use super::lossy::Lossy;
use super::plan::{Plan, Planner};
use super::write::{self, Copy};
use crate::arguments::{Files, TargetRelease};
use crate::config::Config;
use crate::exit;
use crate::input::Input;
use crate::kinds::scheme;
use crate::output::{report, report_error};
use crate::search::{Inputs, Links, folder_of};
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
/// Hidden files and folders, those that a .gitignore names, and folders with the files of others
/// are left out; see --no-ignore.
///
/// Exits with 0 if all files are converted, 1 if one is not, or would change with --check, and 2 if
/// a file can't be read or written or the command line is invalid.
#[derive(Clone, Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[command(group = clap::ArgGroup::new("destination").required(false).multiple(false))]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) files: Files,

    #[command(flatten)]
    release: TargetRelease,

    /// Write the files that change
    #[arg(long, group = "destination")]
    in_place: bool,

    /// Write all files to this folder, with the paths that they have below the folder which the
    /// named ones have in common. A link is followed, and written as a file
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

    /// List the files and folders that aren't read
    #[arg(short, long)]
    verbose: bool,
}

impl Args {
    /// Only in another folder can a link and what it points to differ.
    fn links(&self) -> Links {
        match self.output {
            Some(_) => Links::Each,
            None => Links::Once,
        }
    }
}

/// An input with the plan of its conversion.
struct Planned {
    input: Input,
    text: String,
    plan: Plan,
}

impl Planned {
    /// Replaces the file by the converted text, if that differs.
    fn replace(&self, path: &Path) -> io::Result<()> {
        let text = self.plan.text.as_deref();
        text.map_or(Ok(()), |text| write::replace(path, text))
    }
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

impl Args {
    /// Adds what a configuration says.
    pub(crate) fn complete(&mut self, config: &Config) {
        self.files.complete(config);
        self.release.complete(config);
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut status = Status::default();
    let mut inputs = args.files.find(args.links());
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
    let writes_files = args.in_place || args.output.is_some();
    if writes_files && inputs.inputs.contains(&Input::Standard) {
        status.fail("standard input has no file: convert it without --in-place and --output");
        return ExitCode::from(exit::FAILURE);
    }
    if let Some(folder) = &args.output {
        leave_out_output(&args.files.files, folder, &mut inputs);
    }
    let not_read = inputs.not_read();
    if args.verbose {
        inputs.report_not_read();
    }
    let planned = plan_all(args, inputs.inputs, &mut status);
    for planned in &planned {
        let written = match &planned.input {
            Input::File(path) if args.in_place => planned.replace(path),
            _ => Ok(()),
        };
        report_plan(planned, written, &mut status);
    }
    if let Err(error) = finish(args, &planned, is_piped, &mut status) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return ExitCode::from(exit::FAILURE);
        }
        status.fail(&error.to_string());
    }
    report(&format!(
        "{}, {} changed, {} not read{not_read}",
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
        release: args.release.get(),
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

/// Reports the changes of a file, or why it is not converted or written.
fn report_plan(planned: &Planned, written: io::Result<()>, status: &mut Status) {
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
    if let Err(error) = written {
        status.fail(&error.to_string());
    } else if plan.text.is_some() {
        status.changed += 1;
        for (line, change) in &plan.changes {
            report(&format!("{name}:{line}: {change}"));
        }
    }
}

/// Writes the converted texts that don't replace their files, or prints the differences.
fn finish(args: &Args, planned: &[Planned], is_piped: bool, status: &mut Status) -> io::Result<()> {
    if let Some(folder) = &args.output {
        return fill(&args.files.files, folder, planned, status);
    }
    let mut out = io::stdout().lock();
    for Planned { input, text, plan } in planned {
        let new = plan.text.as_deref().unwrap_or(text);
        match input {
            _ if args.check || args.diff => {
                let name = input.name();
                let diff = TextDiff::from_lines(text.as_str(), new);
                let mut diff = diff.unified_diff();
                write!(out, "{}", diff.header(&name, &name))?;
            }
            // A text that isn't converted must not pass for a converted one.
            _ if !plan.problems.is_empty() => {}
            Input::Standard if is_piped => out.write_all(new.as_bytes())?,
            _ => {}
        }
    }
    out.flush()
}

/// Writes all texts to an output folder, or, if one of them has no place of its own there or can't
/// be written, none; and says where each is.
fn fill(
    named: &[PathBuf],
    folder: &Path,
    planned: &[Planned],
    status: &mut Status,
) -> io::Result<()> {
    let files = planned.iter().filter_map(|planned| match &planned.input {
        Input::File(path) if planned.plan.problems.is_empty() => Some((path.as_path(), planned)),
        _ => None,
    });
    let files: Vec<_> = files.collect();
    let places = Destinations::new(named, folder)
        .map_err(|refusal| vec![refusal])
        .and_then(|destinations| destinations.of(files.iter().map(|(path, _)| *path)));
    let places = match places {
        Ok(places) => places,
        Err(refusals) => {
            refusals.iter().for_each(|refusal| status.fail(refusal));
            status.changed = 0;
            return Ok(());
        }
    };
    let copies = files
        .iter()
        .zip(&places)
        .map(|((like, planned), target)| Copy {
            target,
            like,
            text: planned.plan.text.as_deref().unwrap_or(&planned.text),
        });
    let copies: Vec<_> = copies.collect();
    let replaced: Vec<_> = copies.iter().map(|copy| copy.target.exists()).collect();
    let written = match write::all(&copies) {
        Ok(written) => written,
        Err(errors) => {
            errors
                .iter()
                .for_each(|error| status.fail(&error.to_string()));
            status.changed = 0;
            return Ok(());
        }
    };
    let results = files.iter().zip(&copies).zip(replaced).zip(written);
    for ((((path, planned), copy), was_there), written) in results {
        if let Err(error) = written {
            status.fail(&error.to_string());
            status.changed -= usize::from(planned.plan.text.is_some());
            continue;
        }
        let how = match (&planned.plan.text, planned.plan.template) {
            (Some(_), _) => "converted",
            (None, Some(_)) => "a template, copied",
            (None, None) => "copied",
        };
        let link = match fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink()) {
            true => "a link, ",
            false => "",
        };
        let end = match was_there {
            true => ", in place of another file",
            false => "",
        };
        let to = copy.target.display();
        report(&format!("{}: {link}{how} to {to}{end}", path.display()));
    }
    Ok(())
}

/// Leaves out what earlier runs have written to the output folder, if that is inside of a named
/// one.
fn leave_out_output(named: &[PathBuf], folder: &Path, inputs: &mut Inputs) {
    let Ok(folder) = fs::canonicalize(folder) else {
        return;
    };
    let is_inside = |path: &Path| folder_of(path).is_ok_and(|parent| parent.starts_with(&folder));
    let is_named = named.iter().any(|path| {
        let real = fs::canonicalize(path);
        is_inside(path) || real.is_ok_and(|real| real.starts_with(&folder))
    });
    if is_named {
        return;
    }
    let (own, others) = inputs
        .inputs
        .drain(..)
        .partition::<Vec<_>, _>(|input| matches!(input, Input::File(path) if is_inside(path)));
    inputs.inputs = others;
    let own = own.into_iter().filter_map(|input| match input {
        Input::File(path) => Some(path),
        Input::Standard => None,
    });
    inputs.skipped.extend(own);
}
