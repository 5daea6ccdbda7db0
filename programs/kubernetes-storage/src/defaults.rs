//! `kubernetes-storage defaults`: prints the objects that a server would store.

use std::io::{self, Write};
use std::process::ExitCode;

use kubernetes_kinds::FieldPath;
use kubernetes_manifests::scheme::{AnyObject, Part, Scheme, SchemeError};
use kubernetes_manifests::strict::{FieldError, FieldErrorKind};
use kubernetes_validation::Target;
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use crate::arguments::{Files, Server};
use crate::exit;
use crate::kinds::{UnknownKind, scheme};
use crate::output::{report, report_error};
use crate::search::Links;
use crate::{server, stored};

/// Prints the objects that a server would store for manifests
///
/// Prints each object of the storage API as YAML. Fields that the server sets have the comment
/// `# set by the server`; a field that it drops becomes a comment, an unknown one a warning.
/// Objects of other kinds are omitted; unknown versions and kinds of the storage API's groups are
/// errors.
///
/// Exits with 0 if a server accepts all objects, 1 if it rejects one, which is reported and not
/// printed, and 2 if a file can't be read or the command line is invalid.
#[derive(Clone, Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,

    #[command(flatten)]
    server: Server,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let target = args.server.target();
    let scheme = scheme();
    let inputs = args.files.find(Links::Once);
    let mut failures = inputs.failed;
    let (mut documents, mut is_rejected) = (Vec::new(), false);
    for input in &inputs.inputs {
        let text = match input.read() {
            Ok(text) => text,
            Err(error) => {
                failures.push(error.to_string());
                continue;
            }
        };
        for part in scheme.decode_each(&text, input.syntax()) {
            let line = part.location.line.unwrap_or(1);
            let say = |at: Option<usize>, message: &str| {
                report(&format!(
                    "{}:{}: {message}",
                    input.name(),
                    at.unwrap_or(line)
                ));
            };
            match document(&scheme, &part, &target) {
                Ok(Some(document)) => {
                    documents.push(document);
                    for error in part.field_errors.iter().filter(|error| is_unknown(error)) {
                        say(
                            error.location.line,
                            &format!("warning: {error}, not stored"),
                        );
                    }
                }
                Ok(None) => (),
                Err(errors) => {
                    is_rejected = true;
                    for (line, error) in errors {
                        say(line, &format!("error: {error}"));
                    }
                }
            }
        }
    }
    let text = documents.join("---\n");
    if let Err(error) = io::stdout().write_all(text.as_bytes())
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        failures.push(format!("cannot write to standard output: {error}"));
    }
    failures.iter().for_each(|message| report_error(message));
    ExitCode::from(match (failures.is_empty(), is_rejected) {
        (false, _) => exit::FAILURE,
        (true, true) => exit::PROBLEM,
        (true, false) => exit::SUCCESS,
    })
}

fn is_unknown(error: &FieldError) -> bool {
    error.kind == FieldErrorKind::Unknown
}

/// The messages of errors, with the lines that are not the object's.
type Errors = Vec<(Option<usize>, String)>;

/// Returns the stored object of a part as YAML, or nothing if its kind is not registered.
///
/// # Errors
///
/// If a server rejects the object.
fn document(scheme: &Scheme, part: &Part<'_>, target: &Target) -> Result<Option<String>, Errors> {
    let one = |message: String| vec![(None, message)];
    if let Some(unknown) = UnknownKind::of_part(scheme, part) {
        return Err(one(unknown.to_string()));
    }
    let readable = server::readable(scheme, part, target);
    let (object, document) = match (&part.object, &readable) {
        (Ok(Some(object)), _) => (object, None),
        (Ok(None), _) => return Ok(None),
        (Err(_), Some(readable)) => (&readable.object, Some(&readable.document)),
        (Err(error), None) => return Err(vec![unreadable(part, error)]),
    };
    let document = || document.cloned().or_else(|| part.document());
    let Some(created) = server::create(object, target, &document) else {
        return Ok(None);
    };
    let kind = object.kind();
    let release = target.release();
    let lifecycle = scheme.kind(&kind).and_then(|known| known.lifecycle);
    if lifecycle.is_some_and(|lifecycle| !lifecycle.is_served(release)) {
        return Err(one(format!(
            "Kubernetes {release} does not serve {kind}; convert it first"
        )));
    }
    if !created.report.is_accepted() {
        let errors = created.report.errors.iter();
        let name = part.name.as_deref().unwrap_or_default();
        let named = errors.map(|error| (None, format!("{kind} {name}: {error}")));
        return Err(named.collect());
    }
    let yaml = |object: &AnyObject| {
        let text = object.to_yaml();
        text.map_err(|error| one(error.reason().to_string()))
    };
    let form = match lifecycle {
        Some(_) => stored::form,
        None => stored::metadata,
    };
    let stored = in_form(scheme, created.stored, form);
    Ok(Some(marked(&yaml(object)?, &yaml(&stored)?)))
}

/// Returns an object in another form.
fn in_form(scheme: &Scheme, object: AnyObject, form: fn(&mut Value)) -> AnyObject {
    let Ok(mut value) = object.to_value() else {
        return object;
    };
    form(&mut value);
    let read = scheme.decode_json_all(value.to_string());
    read.ok().and_then(|mut read| read.pop()).unwrap_or(object)
}

/// Returns the line and message of the error of a part that can't be read.
fn unreadable(part: &Part<'_>, error: &SchemeError) -> (Option<usize>, String) {
    let location = error.location();
    let object = location.object.as_deref().unwrap_or_default();
    let path = location.path.segments();
    let path = path
        .strip_prefix(part.location.path.segments())
        .unwrap_or(path);
    let path: FieldPath = path.iter().cloned().collect();
    let mut message = String::new();
    for text in [object, &path.to_string()]
        .into_iter()
        .filter(|text| !text.is_empty())
    {
        message += &format!("{text}: ");
    }
    (location.line, message + &error.reason().to_string())
}

/// Returns the stored text, with comments that mark added and dropped lines.
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
