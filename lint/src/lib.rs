//! The parts of the program `kubernetes-storage-lint`, for its tests and for other front ends.
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
//! let mut linter = Linter::new(Target::new(storage_all::KUBERNETES));
//! let outcome = linter.check("a.yaml", text, Syntax::JsonOrYaml);
//! assert_eq!(outcome.findings[0].note.path, "metadata.name");
//! assert_eq!(outcome.findings[0].line, 1);
//! ```

pub mod args;
pub mod check;
pub mod finding;
pub mod input;
mod kinds;
pub mod print;
mod told;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use args::Args;
use check::Linter;
use finding::Severity;
use input::Input;
use kubernetes_validation::Target;
use print::{Plain, Printer, Summary};

/// No error.
const CLEAN: u8 = 0;
/// At least one error, or a warning where those count.
const FAULTY: u8 = 1;
/// Something can't be read or written.
const TROUBLE: u8 = 2;

/// Runs the program with its own standard streams.
#[must_use]
pub fn run(args: &Args) -> ExitCode {
    let mut printer = Printer::new(args.format, args.color);
    match check_all(args, &mut printer) {
        Ok(code) => ExitCode::from(code),
        // Who has read enough doesn't need to be told.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::from(TROUBLE)
        }
        Err(error) => {
            note(&format!("error: can't write to standard output: {error}"));
            ExitCode::from(TROUBLE)
        }
    }
}

/// Checks all inputs; fails only when nothing can be printed.
fn check_all(args: &Args, printer: &mut Printer) -> io::Result<u8> {
    let mut linter = Linter::new(args.target());
    if args.target_release < Target::OLDEST {
        note(&format!(
            "the rules are known of Kubernetes {} to {}; a server of {} may have others",
            Target::OLDEST,
            storage_all::KUBERNETES,
            args.target_release
        ));
    }
    let mut summary = Summary::default();
    let inputs = input::find(&args.files);
    let mut is_trouble = false;
    let mut told = |message: &str| {
        is_trouble = true;
        note(&format!("error: {message}"));
    };
    inputs.failed.iter().for_each(|failed| told(failed));
    for input in &inputs.inputs {
        if *input == Input::Standard && io::stdin().is_terminal() {
            note(
                "reading manifests from standard input; --help tells what else there is",
            );
        }
        let text = match input.read() {
            Ok(text) => text,
            Err(message) => {
                told(&message);
                continue;
            }
        };
        let outcome = match text {
            Ok(text) => linter.check(&input.name(), &text, input.syntax()),
            Err(finding) => check::Outcome {
                findings: vec![*finding],
                left_alone: Vec::new(),
            },
        };
        for finding in &outcome.findings {
            match finding.note.severity {
                Severity::Error => summary.errors += 1,
                Severity::Warning => summary.warnings += 1,
            }
            printer.print(finding)?;
        }
        if args.verbose {
            outcome
                .left_alone
                .iter()
                .for_each(|left| note(&format!("left alone: {left}")));
        }
    }
    printer.finish()?;
    if args.verbose {
        let skipped = inputs.skipped.iter();
        skipped.for_each(|path| note(&format!("skipped: {}", path.display())));
    }
    summary.objects = linter.counts.objects;
    summary.left_alone = linter.counts.left_alone;
    summary.skipped = inputs.skipped.len();
    note(&summary.to_string());
    let is_faulty =
        summary.errors > 0 || (args.warnings_as_errors && summary.warnings > 0);
    Ok(match (is_trouble, is_faulty) {
        (true, _) => TROUBLE,
        (false, true) => FAULTY,
        (false, false) => CLEAN,
    })
}

/// Tells something beside the output; if that can't be written, nothing can be done.
fn note(message: &str) {
    let _ = writeln!(io::stderr(), "{}", Plain(message));
}
