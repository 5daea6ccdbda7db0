//! `kubernetes-storage defaults`: prints the objects that a server would store.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;

use kubernetes_kinds::FieldPath;
use kubernetes_manifests::scheme::{AnyObject, Part, Scheme, SchemeError, Syntax};
use kubernetes_manifests::strict::{FieldError, FieldErrorKind};
use kubernetes_validation::{Error, ErrorType, Target};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use crate::arguments::{Files, Server};
use crate::aside::{Aside, Left};
use crate::config::Config;
use crate::exit;
use crate::input::Input;
use crate::kinds::{self, UnknownKind, scheme};
use crate::lint::Note;
use crate::older::{Advice, OlderVersion};
use crate::output::{report, report_error};
use crate::search::Links;
use crate::surroundings::{Role, Surroundings};
use crate::{server, stored, template};

/// Prints the objects that a server would store for manifests
///
/// Prints each object of the storage API as YAML. Fields that the server sets have the comment
/// `# set by the server`; a field that it drops becomes a comment, an unknown one a warning.
/// Objects of other kinds are omitted; unknown versions and kinds of the storage API's groups are
/// errors. Templates, patches of kustomizations and what else `lint` leaves out are left out, too.
///
/// Exits with 0 if a server accepts all objects, 1 if it rejects one, which is reported and not
/// printed, and 2 if a file can't be read or the command line is invalid.
#[derive(Clone, Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) files: Files,

    #[command(flatten)]
    pub(crate) server: Server,
}

impl Args {
    /// Adds what a configuration says.
    pub(crate) fn complete(&mut self, config: &Config) -> Result<(), String> {
        self.files.complete(config);
        self.server.complete(config)
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut inputs = args.files.find(Links::Once);
    let mut run = Run {
        scheme: scheme(),
        target: args.server.target(),
        failures: std::mem::take(&mut inputs.failed),
        documents: Vec::new(),
        is_rejected: false,
        left_out: BTreeMap::new(),
    };
    let surroundings = Surroundings::of(&inputs);
    for input in &inputs.inputs {
        match surroundings.role_of(input) {
            Role::Left(note) => *run.left_out.entry(note).or_default() += 1,
            role => run.file(input, role == Role::Partial),
        }
    }
    let text = run.documents.join("---\n");
    if let Err(error) = io::stdout().write_all(text.as_bytes())
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        let message = format!("cannot write to standard output: {error}");
        run.failures.push(message);
    }
    run.report_left_out();
    run.failures.iter().for_each(|text| report_error(text));
    ExitCode::from(match (run.failures.is_empty(), run.is_rejected) {
        (false, _) => exit::FAILURE,
        (true, true) => exit::PROBLEM,
        (true, false) => exit::SUCCESS,
    })
}

/// The state of a run.
struct Run {
    scheme: Scheme,
    target: Target,
    failures: Vec<String>,
    documents: Vec<String>,
    is_rejected: bool,
    /// The numbers of files, or objects in them, that are left out.
    left_out: BTreeMap<Note, usize>,
}

/// The result for a part.
enum Outcome {
    /// The stored object as YAML, and the unknown fields of the manifest.
    Stored(String, Vec<FieldError>),
    /// Nothing: it is of another kind.
    Other,
    /// Nothing, for a reason.
    Left(Note),
    /// Errors.
    Rejected(Errors),
}

impl Run {
    /// Reads a file. Its objects are perhaps parts of others.
    fn file(&mut self, input: &Input, is_partial: bool) {
        let text = match input.read() {
            Ok(text) => text,
            Err(error) if error.is_no_manifest() => {
                *self.left_out.entry(Note::NoManifest).or_default() += 1;
                return;
            }
            Err(error) => return self.failures.push(error.to_string()),
        };
        let aside = Aside::of(&text);
        let parts: Vec<_> = self.scheme.decode_each(&text, input.syntax()).collect();
        let left: Vec<_> = parts.iter().map(|part| aside.left(part)).collect();
        if left
            .iter()
            .flatten()
            .any(|left| matches!(left, Left::Template(_)))
        {
            *self.left_out.entry(Note::Template).or_default() += 1;
            return;
        }
        for (part, left) in parts.iter().zip(left) {
            let line = part.location.line.unwrap_or(1);
            let say = |at: Option<usize>, message: &str| {
                let line = at.unwrap_or(line);
                report(&format!("{}:{line}: {message}", input.name()));
            };
            let outcome = match left {
                Some(left) => Outcome::Left(left.note()),
                None => document(&self.scheme, part, &self.target, is_partial),
            };
            match outcome {
                Outcome::Stored(document, unknown) => {
                    self.documents.push(document);
                    for error in unknown {
                        let message = format!("warning: {error}, not stored");
                        say(error.location.line, &message);
                    }
                }
                Outcome::Other => (),
                Outcome::Left(note) => *self.left_out.entry(note).or_default() += 1,
                Outcome::Rejected(errors) => {
                    self.is_rejected = true;
                    for (line, error) in errors {
                        say(line, &format!("error: {error}"));
                    }
                }
            }
        }
    }

    /// Reports what is left out in one line, if anything is.
    fn report_left_out(&self) {
        let parts = self.left_out.iter();
        let parts: Vec<_> = parts.map(|(note, count)| note.counted(*count)).collect();
        if !parts.is_empty() {
            report(&format!("left out: {}", parts.join(", ")));
        }
    }
}

fn is_unknown(error: &FieldError) -> bool {
    error.kind == FieldErrorKind::Unknown
}

/// The messages of errors, with the lines that are not the object's.
type Errors = Vec<(Option<usize>, String)>;

/// Returns what becomes of a part.
fn document(scheme: &Scheme, part: &Part<'_>, target: &Target, is_partial: bool) -> Outcome {
    let one = |message: String| Outcome::Rejected(vec![(None, message)]);
    if let Some(older) = OlderVersion::of(part) {
        return of_older(older, scheme, part, target, is_partial);
    }
    if !kinds::is_storage(scheme, part) {
        return Outcome::Other;
    }
    if let Some(unknown) = UnknownKind::of_part(scheme, part) {
        return one(unknown.to_string());
    }
    let error = part.object.as_ref().err();
    let readable = error.and_then(|error| server::readable(scheme, part, error, target));
    let (object, document) = match (&part.object, &readable) {
        (Ok(Some(object)), _) => (object, None),
        (Ok(None), _) => return Outcome::Other,
        (Err(_), Some(readable)) => (&readable.object, Some(&readable.document)),
        (Err(error), None) => return unreadable(part, error),
    };
    let document = || document.cloned().or_else(|| part.document());
    let Some(created) = server::create(object, target, &document) else {
        return Outcome::Other;
    };
    let kind = object.kind();
    let release = target.release();
    let lifecycle = scheme.kind(&kind).and_then(|known| known.lifecycle);
    if lifecycle.is_some_and(|lifecycle| !lifecycle.is_served(release)) {
        return one(format!(
            "Kubernetes {release} does not serve {kind}; convert it first"
        ));
    }
    let errors = created.report.errors.as_slice();
    let lacks = |error: &Error| error.error_type == ErrorType::Required;
    if is_partial && errors.iter().any(lacks) {
        return Outcome::Left(Note::Assertion);
    }
    let left_out = readable
        .as_ref()
        .map(|readable| readable.placeholders.as_slice());
    let left_out = left_out.unwrap_or_default();
    let is_certain = |error: &&Error| {
        let is_open = template::is_inside(error, left_out) || template::is_about(error);
        !is_open && !error.is_about_skipped_rules()
    };
    let certain: Vec<_> = errors.iter().filter(is_certain).collect();
    if !certain.is_empty() {
        let name = part.name.as_deref().unwrap_or_default();
        let named = certain
            .iter()
            .map(|error| (None, format!("{kind} {name}: {error}")));
        return Outcome::Rejected(named.collect());
    }
    if !errors.is_empty() || !left_out.is_empty() {
        return Outcome::Left(Note::Template);
    }
    let form = match lifecycle {
        Some(_) => stored::form,
        None => stored::metadata,
    };
    let stored = in_form(scheme, created.stored, form);
    match (object.to_yaml(), stored.to_yaml()) {
        (Ok(sent), Ok(stored)) => {
            let unknown = part.field_errors.iter().filter(|error| is_unknown(error));
            Outcome::Stored(marked(&sent, &stored), unknown.cloned().collect())
        }
        (Err(error), _) | (_, Err(error)) => one(error.reason().to_string()),
    }
}

/// Returns what becomes of a part of an older version, which is that of the newest.
fn of_older(
    older: &'static OlderVersion,
    scheme: &Scheme,
    part: &Part<'_>,
    target: &Target,
    is_partial: bool,
) -> Outcome {
    let one = |message: String| Outcome::Rejected(vec![(None, message)]);
    if let Some(Advice::NotServed(message)) = older.advice() {
        return one(message);
    }
    let differs = older.to_rename(part).or_else(|| older.unknown(part));
    if let Some((path, _)) = differs {
        return one(format!(
            "{path}: differs in {}; convert it first",
            older.newest
        ));
    }
    if let Err(error) = &part.object {
        return unreadable(part, error);
    }
    let text = older.convert(part).unwrap_or_default().to_string();
    let mut read = scheme.decode_each(&text, Syntax::Json);
    let outcome = read
        .next()
        .map(|part| document(scheme, &part, target, is_partial));
    // The version and the lines are those of the text.
    let rename = |text: &str| text.replacen(older.newest, older.api_version, 1);
    match outcome.unwrap_or(Outcome::Other) {
        Outcome::Stored(document, mut unknown) => {
            unknown
                .iter_mut()
                .for_each(|error| error.location.line = None);
            Outcome::Stored(rename(&document), unknown)
        }
        Outcome::Rejected(errors) => {
            let errors = errors.iter().map(|(_, message)| (None, rename(message)));
            Outcome::Rejected(errors.collect())
        }
        outcome => outcome,
    }
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

/// Returns what becomes of a part that can't be read.
fn unreadable(part: &Part<'_>, error: &SchemeError) -> Outcome {
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
    message += &error.reason().to_string();
    match template::is_placeholder(&message) {
        true => Outcome::Left(Note::Template),
        false => Outcome::Rejected(vec![(location.line, message)]),
    }
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
