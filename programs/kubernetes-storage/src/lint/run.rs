//! Runs the command.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::ExitCode;

use kubernetes_validation::Target;
use rayon::prelude::*;

use super::apply_set::add_duplicates;
use super::arguments::Args;
use super::changed::Changed;
use super::format;
use super::linter::Linter;
use super::note::Note;
use super::progress::Progress;
use super::report::FileReport;
use super::sources::Sources;
use super::summary::Summary;
use crate::exit;
use crate::input::{Input, ReadError};
use crate::output::{report, report_error};
use crate::search::{Inputs, Links};
use crate::surroundings::{Role, Surroundings};

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let code = lint(args).unwrap_or_else(|error| {
        // A reader that closes a pipe early expects no error.
        if error.kind() != io::ErrorKind::BrokenPipe {
            report_error(&format!("cannot write to standard output: {error}"));
        }
        exit::FAILURE
    });
    ExitCode::from(code)
}

/// Checks all inputs and prints the findings. Fails only if standard output can't be written.
fn lint(args: &Args) -> io::Result<u8> {
    let release = args.server.release.get();
    if release < Target::OLDEST {
        report(&format!(
            "note: the rules cover Kubernetes {} to {}; those of {release} may differ",
            Target::OLDEST,
            storage_all::KUBERNETES,
        ));
    }
    let mut inputs = args.files.find(Links::Once);
    if inputs.inputs.contains(&Input::Standard) && io::stdin().is_terminal() {
        report("reading manifests from standard input; see --help");
    }
    let changed = match args.diff_from.as_deref().map(Changed::since).transpose() {
        Ok(changed) => changed,
        Err(message) => {
            report_error(&message);
            return Ok(exit::FAILURE);
        }
    };
    let (files, unreadable) = read_all(args, &inputs);
    inputs.failed.extend(unreadable);
    // What isn't a file hasn't been there before.
    let (mut files, mut unchanged): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| {
        let path = file.path.as_ref().zip(changed.as_ref());
        path.is_none_or(|(path, changed)| changed.contains(path))
    });
    // Of two files with one object, that which has changed has added it.
    add_duplicates(args.apply_set(), unchanged.iter_mut().chain(&mut files));
    files.iter_mut().for_each(|file| file.settle(&args.levels));
    let summary = Summary::of(&files, unchanged.len(), inputs.not_read());

    inputs
        .failed
        .iter()
        .for_each(|message| report_error(message));
    if !args.notes {
        files.iter_mut().for_each(FileReport::drop_notes);
    }
    format::print(args, &files, &summary)?;
    if args.verbose {
        report_skipped(&files, &inputs);
    }
    report(&summary.to_string());
    let has_problem = summary.errors > 0 || (args.warnings_as_errors && summary.warnings > 0);
    Ok(match (inputs.failed.is_empty(), has_problem) {
        (false, _) => exit::FAILURE,
        (true, true) => exit::PROBLEM,
        (true, false) => exit::SUCCESS,
    })
}

/// Lists the documents and files that are not checked.
fn report_skipped(files: &[FileReport], inputs: &Inputs) {
    for ignored in files.iter().flat_map(|file| &file.left_alone) {
        report(&format!("left alone: {ignored}"));
    }
    inputs.report_not_read();
}

/// Reads and checks the inputs on all cores. Returns the reports in the order of the inputs, and an
/// error message for each input that can't be read.
fn read_all(args: &Args, found: &Inputs) -> (Vec<FileReport>, Vec<String>) {
    let linter = Linter::with_options(args.server.target(), args.options());
    let surroundings = Surroundings::of(found);
    let progress = Progress::new(found.inputs.len());
    let check = |input: &Input| {
        let name = input.name();
        let checked = match (surroundings.role_of(input), input.read()) {
            (_, Err(ReadError::Io(message))) => Err(message),
            (Role::Left(note), _) => Ok(FileReport::left_alone(&name, note)),
            (_, Err(error)) if error.is_no_manifest() => {
                Ok(FileReport::left_alone(&name, Note::NoManifest))
            }
            (_, Err(ReadError::NotUtf8 { file, line, .. })) => {
                Ok(FileReport::not_utf8(&file, line))
            }
            (role, Ok(text)) => {
                let mut report = match role {
                    Role::Partial => linter.check_partial(&name, &text, input.syntax()),
                    _ => linter.check(&name, &text, input.syntax()),
                };
                // A file that is read is named, whatever it has been made from.
                if *input == Input::Standard {
                    report.add_sources(&Sources::of(&text));
                }
                Ok(report)
            }
        };
        progress.advance();
        checked.map(|report| FileReport {
            path: input.path().map(Path::to_owned),
            ..report
        })
    };
    let checked: Vec<_> = found.inputs.par_iter().map(check).collect();
    let (mut files, mut unreadable) = (Vec::new(), Vec::new());
    for checked in checked {
        match checked {
            Ok(report) => files.push(report),
            Err(message) => unreadable.push(message),
        }
    }
    (files, unreadable)
}
