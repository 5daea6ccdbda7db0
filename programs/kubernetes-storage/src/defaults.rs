//! `kubernetes-storage defaults`: what a server stores of a manifest.

use std::io::{self, Write};
use std::process::ExitCode;

use kubernetes_manifests::scheme::{AnyObject, Part, Scheme, SchemeError};
use kubernetes_storage_lint::args as lint;
use kubernetes_storage_lint::kinds::{Checked, check, no_such_kind, scheme};
use kubernetes_storage_lint::print::note;
use kubernetes_validation::Target;
use similar::{ChangeTag, TextDiff};

/// Prints what a server would store of manifests
///
/// Prints each object of the storage API as YAML. Fields that the server sets have the comment
/// `# set by the server`; what it doesn't store is a comment of its own. Objects of other kinds are
/// left out; versions and kinds of its groups that have never been are errors.
///
/// Exits with 0 if a server takes all, 1 if it refuses one, which is an error and not printed, and 2
/// if something can't be read or the command line is wrong.
#[derive(Clone, Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    #[command(flatten)]
    files: lint::Files,

    #[command(flatten)]
    server: lint::Server,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let target = args.server.target();
    let scheme = scheme();
    let inputs = args.files.find();
    let mut troubles = inputs.failed;
    let (mut documents, mut is_refused) = (Vec::new(), false);
    for input in &inputs.inputs {
        let text = match input.text() {
            Ok(text) => text,
            Err(message) => {
                troubles.push(message);
                continue;
            }
        };
        for part in scheme.decode_each(&text, input.syntax()) {
            match document(&scheme, &part, &target) {
                Ok(document) => documents.extend(document),
                Err(errors) => {
                    is_refused = true;
                    let line = part.location.line.unwrap_or(1);
                    for error in errors {
                        note(&format!("{}:{line}: error: {error}", input.name()));
                    }
                }
            }
        }
    }
    let text = documents.join("---\n");
    if let Err(error) = io::stdout().write_all(text.as_bytes())
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        troubles.push(format!("can't write to standard output: {error}"));
    }
    troubles
        .iter()
        .for_each(|message| note(&format!("error: {message}")));
    ExitCode::from(match (troubles.is_empty(), is_refused) {
        (false, _) => 2,
        (true, refused) => u8::from(refused),
    })
}

/// What is stored of a part as YAML; nothing if it is nothing that is known. Fails with the errors of an
/// object that a server refuses.
fn document(
    scheme: &Scheme,
    part: &Part<'_>,
    target: &Target,
) -> Result<Option<String>, Vec<String>> {
    let said = |error: &SchemeError| vec![error.reason().to_string()];
    if let Some(note) = no_such_kind(scheme, part) {
        return Err(vec![note.message]);
    }
    let object = match &part.object {
        Ok(Some(object)) => object,
        Ok(None) => return Ok(None),
        Err(error) => return Err(said(error)),
    };
    let Some(Checked { stored, report, .. }) = check(object, target, &|| part.document()) else {
        return Ok(None);
    };
    let kind = object.kind();
    let release = target.release();
    let lifecycle = scheme.kind(&kind).and_then(|known| known.lifecycle);
    if lifecycle.is_some_and(|lifecycle| !lifecycle.is_served(release)) {
        return Err(vec![format!(
            "Kubernetes {release} doesn't serve {kind}: convert it"
        )]);
    }
    if !report.is_accepted() {
        let errors = report.errors.iter();
        let name = part.name.as_deref().unwrap_or_default();
        let named = errors.map(|error| format!("{kind} {name}: {error}"));
        return Err(named.collect());
    }
    let yaml = |object: &AnyObject| object.to_yaml().map_err(|error| said(&error));
    Ok(Some(marked(&yaml(object)?, &yaml(&stored)?)))
}

/// The text that is stored, with what was added to the other and what was taken out.
fn marked(sent: &str, stored: &str) -> String {
    let diff = TextDiff::from_lines(sent, stored);
    let line = |tag, line: &str| match tag {
        ChangeTag::Equal => format!("{line}\n"),
        ChangeTag::Insert => format!("{line} # set by the server\n"),
        ChangeTag::Delete => format!("# not stored: {}\n", line.trim_start()),
    };
    diff.iter_all_changes()
        .map(|change| line(change.tag(), change.value().trim_end_matches('\n')))
        .collect()
}
