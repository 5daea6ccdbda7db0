//! Objects into findings.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use kubernetes_kinds::{FieldPath, GroupVersion};
use kubernetes_manifests::scheme::{
    AnyObject, Part, Positions, Reason, Scheme, SchemeError, Syntax,
};
use kubernetes_validation::Target;

use crate::finding::{Finding, Note, Subject};
use crate::kinds::{Document, check, is_whole, scheme};
use crate::template::Placeholders;
use crate::{template, told};

/// Checks manifests, each text by itself, on any number of threads.
pub struct Linter {
    scheme: Scheme,
    target: Target,
    options: Options,
}

/// What is to be checked, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The kinds that are checked, all if there is none.
    pub kinds: Vec<String>,
    /// Whether a field that only other releases have is an error.
    pub strict_unknown: bool,
}

/// What is found in one text.
#[derive(Default)]
pub struct Outcome {
    /// The findings, by line and in the order of the text.
    pub findings: Vec<Finding>,
    /// The objects of the kinds that are checked, those that can't be read included.
    pub objects: usize,
    /// The objects that have a name.
    pub named: Vec<Named>,
    /// Documents and items of lists that are something else, for messages.
    pub left_alone: Vec<String>,
    /// Whether the text is a template, of which nothing else is told.
    pub is_template: bool,
}

/// An object that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// What tells it apart from others in a cluster.
    pub identity: Identity,
    /// The file and line of the object, as `a.yaml:7`.
    pub place: String,
    /// What is found if there was another before it.
    again: Finding,
}

/// What tells objects apart in a cluster: group, kind, namespace and name.
pub type Identity = (String, String, Option<String>, String);

/// Finds objects that there is more than one of.
#[derive(Debug, Default)]
pub struct Seen {
    places: HashMap<Identity, String>,
}

impl Seen {
    /// Returns a finding for each object that there was before.
    pub fn again(&mut self, named: &[Named]) -> Vec<Finding> {
        let mut found = Vec::new();
        for named in named {
            match self.places.entry(named.identity.clone()) {
                Entry::Vacant(entry) => {
                    entry.insert(named.place.clone());
                }
                Entry::Occupied(first) => {
                    let mut finding = named.again.clone();
                    finding.note = told::again(first.get());
                    found.push(finding);
                }
            }
        }
        found
    }
}

/// Takes the findings of one object.
struct About<'a> {
    file: Arc<str>,
    subject: Arc<Subject>,
    /// The line of the object.
    line: usize,
    outcome: &'a mut Outcome,
    /// The line of a value that a template engine replaces.
    placeholder: Option<usize>,
}

impl About<'_> {
    fn add(&mut self, position: Option<(usize, usize)>, note: Note) {
        let finding = self.finding(position, note);
        self.outcome.findings.push(finding);
    }

    fn finding(&self, position: Option<(usize, usize)>, note: Note) -> Finding {
        let (line, column) = position.unzip();
        Finding {
            file: Arc::clone(&self.file),
            line: line.unwrap_or(self.line),
            column,
            subject: Arc::clone(&self.subject),
            note,
        }
    }

    /// Notes a value that is no value yet.
    fn replaced(&mut self, position: Option<(usize, usize)>) {
        let line = position.map_or(self.line, |(line, _)| line);
        self.placeholder.get_or_insert(line);
    }
}

impl Linter {
    /// Checks for an API server.
    #[must_use]
    pub fn new(target: Target) -> Self {
        Self::with_options(target, Options::default())
    }

    /// Checks for an API server what the options say.
    #[must_use]
    pub fn with_options(target: Target, options: Options) -> Self {
        Self {
            scheme: scheme(),
            target,
            options,
        }
    }

    /// Checks a text; `file` is what it is called in findings.
    #[must_use]
    pub fn check(&self, file: &str, text: &str, syntax: Syntax) -> Outcome {
        let name: Arc<str> = file.into();
        let (mut outcome, mut seen) = (Outcome::default(), Seen::default());
        let placeholders = LazyCell::new(|| Placeholders::of(text));
        for part in self.scheme.decode_each(text, syntax) {
            let subject = subject(&part);
            if !self.is_asked(&part) {
                // A list that holds nothing that is left alone is no document to speak of.
                if !matches!(part.object, Ok(None)) {
                    let line = part.location.line.unwrap_or(1);
                    outcome.left_alone.push(format!("{file}:{line}: {subject}"));
                }
                continue;
            }
            let mut about = About {
                file: Arc::clone(&name),
                subject: Arc::new(subject),
                line: part.location.line.unwrap_or(1),
                outcome: &mut outcome,
                placeholder: None,
            };
            if let Err(error) = &part.object {
                about.placeholder = placeholders.explains(error);
            }
            self.part(part, &mut about, &mut seen);
            if let Some(line) = about.placeholder {
                let finding = about.finding(None, told::template());
                return Outcome {
                    findings: vec![Finding { line, ..finding }],
                    is_template: true,
                    ..Outcome::default()
                };
            }
        }
        outcome.findings.sort_by_key(|finding| finding.line);
        outcome
    }

    /// Whether a part is to be checked.
    fn is_asked(&self, part: &Part<'_>) -> bool {
        let Options { kinds, .. } = &self.options;
        let is_kind = |kind: &String| kinds.is_empty() || kinds.iter().any(|k| k == kind);
        is_ours(&self.scheme, part) && part.kind.as_ref().is_none_or(is_kind)
    }

    fn part(&self, mut part: Part<'_>, about: &mut About<'_>, seen: &mut Seen) {
        if !matches!(part.object, Ok(None)) {
            about.outcome.objects += 1;
        }
        for error in &part.field_errors {
            let location = &error.location;
            about.add(location.line.zip(location.column), told::strict(error));
        }
        let object = std::mem::replace(&mut part.object, Ok(None));
        let positions = &mut part.positions();
        if !matches!(object, Ok(None)) {
            once(&part, about, positions, seen);
        }
        match object {
            // The list of items that are checked for themselves.
            Ok(None) => (),
            Err(error) => {
                let location = error.location();
                let position = location.line.zip(location.column);
                let note = told::unreadable(&error, &part.location.path);
                if template::is_placeholder(&note.message) {
                    about.replaced(position);
                }
                about.add(position, note);
            }
            Ok(Some(object)) => {
                if self.scheme.recognizes(&object.kind()) {
                    let document = || part.document();
                    self.object(object, &document, about, positions);
                } else {
                    let note = told::no_such_kind(&self.scheme, &object.kind());
                    let at = positions.find(&told::path(&note.path));
                    if template::is_placeholder(&note.message) {
                        about.replaced(at);
                    }
                    about.add(at, note);
                }
            }
        }
    }

    /// Checks an object of a kind that is known.
    fn object(
        &self,
        mut object: AnyObject,
        document: &Document<'_>,
        about: &mut About<'_>,
        positions: &mut Positions<'_>,
    ) {
        let scheme = &self.scheme;
        let kind = object.kind();
        let release = self.target.release();
        let lifecycle = scheme.kind(&kind).and_then(|known| known.lifecycle);
        if let Some(note) =
            lifecycle.and_then(|lifecycle| told::lifecycle(scheme, &kind, &lifecycle, release))
        {
            about.add(positions.find(&told::path("apiVersion")), note);
        }
        let unserved = lifecycle.filter(|lifecycle| !lifecycle.is_served(release));
        if let Some(replacement) = unserved.and_then(|lifecycle| lifecycle.replacement) {
            let served = GroupVersion::from_api_version(replacement.api_version);
            match object.convert_to(scheme, &served) {
                Ok(converted) => object = converted,
                Err(error) => {
                    let path = conversion_path(&error);
                    about.add(positions.find(&path), told::not_converted(&error));
                    return;
                }
            }
        }
        // That something unset can't stay unset is nothing that has been written.
        let losses = object
            .unrepresentable()
            .iter()
            .filter(|loss| !loss.value.is_null());
        for loss in losses {
            let at = positions.find(&loss.path);
            about.add(at, told::lost(loss, &object.kind()));
        }
        let Some(checked) = check(&object, &self.target, document) else {
            return;
        };
        for error in &checked.report.errors {
            let (at, note) = (positions.find(&error.path), told::error(error));
            if template::is_placeholder(&note.message) {
                about.replaced(at);
            }
            about.add(at, note);
        }
        for warning in &checked.report.warnings {
            about.add(positions.find(&warning.path), told::warning(warning));
        }
        for path in &checked.dropped {
            about.add(positions.find(path), told::gate_is_off(path, release));
        }
        for path in &checked.unknown {
            let note = told::of_other_releases(path, release, self.options.strict_unknown);
            about.add(positions.find(path), note);
        }
    }
}

/// Tells of an object that the text has had before.
fn once(part: &Part<'_>, about: &mut About<'_>, positions: &mut Positions<'_>, seen: &mut Seen) {
    let version = part.api_version.as_deref().unwrap_or_default();
    let (Some(kind), Some(name)) = (&part.kind, &part.name) else {
        return;
    };
    let group = GroupVersion::from_api_version(version).group.into_owned();
    let at = positions.find(&told::path("metadata.name"));
    let named = Named {
        identity: (group, kind.clone(), part.namespace.clone(), name.clone()),
        place: format!("{}:{}", about.file, about.line),
        again: about.finding(at, told::again("")),
    };
    let again = seen.again(std::slice::from_ref(&named));
    if again.is_empty() {
        about.outcome.named.push(named);
    }
    about.outcome.findings.extend(again);
}

fn conversion_path(error: &SchemeError) -> FieldPath {
    match error.reason() {
        Reason::Conversion(error) => error.path().clone(),
        _ => FieldPath::default(),
    }
}

fn subject(part: &Part<'_>) -> Subject {
    let short = |text: &Option<String>| text.as_deref().map(|text| told::cut(text, 253));
    Subject {
        document: part.location.document.unwrap_or(1),
        api_version: short(&part.api_version),
        kind: short(&part.kind),
        name: short(&part.name),
        namespace: short(&part.namespace),
    }
}

/// Whether a part is to be checked: it is of a group that is known, or meant to be, or its text is
/// too damaged to tell.
fn is_ours(scheme: &Scheme, part: &Part<'_>) -> bool {
    let mut versions = scheme.group_versions();
    let Some(version) = &part.api_version else {
        let Some(kind) = &part.kind else {
            return is_damaged(part);
        };
        return versions.any(|known| scheme.recognizes(&known.with_kind(kind.clone())));
    };
    let written = GroupVersion::from_api_version(version);
    let is_kind_of = |version: &GroupVersion| {
        let kind = part.kind.clone().map(|kind| version.with_kind(kind));
        kind.is_some_and(|kind| scheme.recognizes(&kind))
    };
    let is_of_group = versions.any(|known| {
        // Kubernetes' own groups without a dot have none of these kinds, and others must have one.
        let is_misnamed = !written.group.contains('.') && is_kind_of(known);
        is_misnamed || known.group == written.group && is_whole(scheme, known)
    });
    is_of_group || is_kind_of(&written) || is_damaged(part)
}

/// Whether the text itself is damaged, so that nobody can tell what is in it.
fn is_damaged(part: &Part<'_>) -> bool {
    let is_list = part.api_version.as_deref() == Some("v1") && part.kind.as_deref() == Some("List");
    match &part.object {
        Ok(_) => false,
        Err(error) => is_list || matches!(error.reason(), Reason::Syntax { .. }),
    }
}
