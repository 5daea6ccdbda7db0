//! `kubernetes-storage lint`, for that program and for other front ends.
//!
//! [`input`] finds files, [`check`] makes [`finding`]s of their text, [`mod@print`] shows them.
//! Everything is checked offline, by the rules of [`kubernetes_validation`].
//!
//! ```
//! use kubernetes_manifests::scheme::Syntax;
//! use kubernetes_validation::Target;
//! use kubernetes_storage_lint::check::Linter;
//!
//! let text = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nprovisioner: csi.example.com\n";
//! let linter = Linter::new(Target::new(storage_all::KUBERNETES));
//! let outcome = linter.check("a.yaml", text, Syntax::JsonOrYaml);
//! assert_eq!(outcome.findings[0].note.path, "metadata.name");
//! assert_eq!(outcome.findings[0].line, 1);
//! ```

pub mod args;
pub mod check;
pub mod finding;
pub mod input;
pub mod kinds;
pub mod print;
mod progress;
pub mod template;
mod told;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use args::{ApplySet, Args};
use check::{Linter, Outcome, Seen};
use input::Input;
use kubernetes_validation::Target;
use print::{Checked, Summary, note};
use progress::Progress;
use rayon::prelude::*;

/// No error.
const CLEAN: u8 = 0;
/// At least one error, or a warning where those count.
const FAULTY: u8 = 1;
/// Something can't be read or written.
const TROUBLE: u8 = 2;

/// Runs the program with its own standard streams.
#[must_use]
pub fn run(args: &Args) -> ExitCode {
    match check_all(args) {
        Ok(code) => ExitCode::from(code),
        // Who has read enough doesn't need to be told.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(TROUBLE),
        Err(error) => {
            note(&format!("error: can't write to standard output: {error}"));
            ExitCode::from(TROUBLE)
        }
    }
}

/// Checks all inputs; fails only when nothing can be printed.
fn check_all(args: &Args) -> io::Result<u8> {
    if args.server.target_release < Target::OLDEST {
        note(&format!(
            "the rules are known of Kubernetes {} to {}; a server of {} may have others",
            Target::OLDEST,
            storage_all::KUBERNETES,
            args.server.target_release
        ));
    }
    let inputs = args.files.find();
    let mut troubles = inputs.failed;
    if inputs.inputs.contains(&Input::Standard) && io::stdin().is_terminal() {
        note("reading manifests from standard input; --help tells what else there is");
    }
    let (mut files, unread) = read_all(args, &inputs.inputs);
    troubles.extend(unread);
    again(args.apply_set, &mut files);
    let summary = Summary::of(&files, inputs.skipped.len());

    troubles
        .iter()
        .for_each(|message| note(&format!("error: {message}")));
    print::print(args, &files, &summary)?;
    if args.verbose {
        let left_alone = files.iter().flat_map(|file| &file.outcome.left_alone);
        left_alone.for_each(|left| note(&format!("left alone: {left}")));
        let skipped = inputs.skipped.iter();
        skipped.for_each(|path| note(&format!("skipped: {}", path.display())));
    }
    note(&summary.to_string());
    let is_faulty = summary.errors > 0 || (args.warnings_as_errors && summary.warnings > 0);
    Ok(match (troubles.is_empty(), is_faulty) {
        (false, _) => TROUBLE,
        (true, true) => FAULTY,
        (true, false) => CLEAN,
    })
}

/// Reads and checks the inputs on all cores. Returns what is found in each, in their order, and what
/// can't be read, as sentences.
fn read_all(args: &Args, inputs: &[Input]) -> (Vec<Checked>, Vec<String>) {
    let linter = Linter::with_options(args.server.target(), args.options());
    let progress = Progress::of(inputs.len());
    let check = |input: &Input| {
        let outcome = input.read().map(|text| match text {
            Ok(text) => linter.check(&input.name(), &text, input.syntax()),
            Err(finding) => Outcome {
                findings: vec![*finding],
                ..Outcome::default()
            },
        });
        progress.advance();
        let file = input.name();
        outcome.map(|outcome| Checked { file, outcome })
    };
    let read: Vec<_> = inputs.par_iter().map(check).collect();
    let (mut files, mut unread) = (Vec::new(), Vec::new());
    for read in read {
        match read {
            Ok(checked) => files.push(checked),
            Err(message) => unread.push(message),
        }
    }
    (files, unread)
}

/// Adds what is found of objects that several files have, which are applied together.
fn again(set: ApplySet, files: &mut [Checked]) {
    let mut sets: BTreeMap<PathBuf, Seen> = BTreeMap::new();
    for Checked { file, outcome } in files {
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        let set = match set {
            ApplySet::File => continue,
            ApplySet::Folder => folder.to_owned(),
            ApplySet::All => PathBuf::new(),
        };
        let found = sets.entry(set).or_default().again(&outcome.named);
        outcome.findings.extend(found);
        outcome.findings.sort_by_key(|finding| finding.line);
    }
}
