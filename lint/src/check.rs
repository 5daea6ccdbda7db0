//! Objects into findings.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use kubernetes_kinds::{FieldPath, GroupVersion};
use kubernetes_manifests::scheme::{
    AnyObject, Part, Positions, Reason, Scheme, SchemeError, Syntax,
};
use kubernetes_validation::Target;

use crate::finding::{Finding, Note, Subject};
use crate::kinds::{check, scheme};
use crate::told;

/// Checks manifests, one text after the other.
pub struct Linter {
    scheme: Rc<Scheme>,
    target: Target,
    /// Where each object stood that has a name.
    seen: HashMap<Identity, String>,
    /// What has been checked.
    pub counts: Counts,
}

/// How much has been checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Objects of the kinds that are known, those that can't be read included.
    pub objects: usize,
    /// Documents and items of lists that are something else.
    pub left_alone: usize,
}

/// What tells objects apart in a cluster: group, kind, namespace and name.
type Identity = (String, String, Option<String>, String);

/// What is found in one text.
pub struct Outcome {
    /// The findings, by line and in the order of the text.
    pub findings: Vec<Finding>,
    /// What has been left alone, for messages.
    pub left_alone: Vec<String>,
}

/// Takes the findings of one object.
struct About<'a> {
    file: Rc<str>,
    subject: Rc<Subject>,
    /// The line of the object.
    line: usize,
    findings: &'a mut Vec<Finding>,
}

impl About<'_> {
    fn add(&mut self, position: Option<(usize, usize)>, note: Note) {
        let (line, column) = position.unzip();
        self.findings.push(Finding {
            file: Rc::clone(&self.file),
            line: line.unwrap_or(self.line),
            column,
            subject: Rc::clone(&self.subject),
            note,
        });
    }
}

impl Linter {
    /// Checks for an API server.
    #[must_use]
    pub fn new(target: Target) -> Self {
        Self {
            scheme: Rc::new(scheme()),
            target,
            seen: HashMap::new(),
            counts: Counts::default(),
        }
    }

    /// Checks a text; `file` is what it is called in findings.
    pub fn check(&mut self, file: &str, text: &str, syntax: Syntax) -> Outcome {
        let scheme = Rc::clone(&self.scheme);
        let name: Rc<str> = file.into();
        let mut outcome = Outcome {
            findings: Vec::new(),
            left_alone: Vec::new(),
        };
        for part in scheme.decode_each(text, syntax) {
            let subject = subject(&part);
            if !is_ours(&scheme, &part) {
                // A list that holds nothing that is left alone is no document to speak of.
                if !matches!(part.object, Ok(None)) {
                    self.counts.left_alone += 1;
                    let line = part.location.line.unwrap_or(1);
                    outcome.left_alone.push(format!("{file}:{line}: {subject}"));
                }
                continue;
            }
            let about = About {
                file: Rc::clone(&name),
                subject: Rc::new(subject),
                line: part.location.line.unwrap_or(1),
                findings: &mut outcome.findings,
            };
            self.part(&scheme, part, about);
        }
        outcome.findings.sort_by_key(|finding| finding.line);
        outcome
    }

    fn part(&mut self, scheme: &Scheme, mut part: Part<'_>, mut about: About<'_>) {
        if !matches!(part.object, Ok(None)) {
            self.counts.objects += 1;
        }
        for error in &part.field_errors {
            let location = &error.location;
            about.add(location.line.zip(location.column), told::strict(error));
        }
        let object = std::mem::replace(&mut part.object, Ok(None));
        let positions = &mut part.positions();
        if !matches!(object, Ok(None)) {
            self.once(&part, &mut about, positions);
        }
        match object {
            // The list of items that are checked for themselves.
            Ok(None) => (),
            Err(error) => {
                let location = error.location();
                let position = location.line.zip(location.column);
                about.add(position, told::unreadable(&error, &part.location.path));
            }
            Ok(Some(object)) => {
                if scheme.recognizes(&object.kind()) {
                    self.object(scheme, object, &mut about, positions);
                } else {
                    let at = positions.find(&told::path("apiVersion"));
                    about.add(at, told::no_such_kind(scheme, &object.kind()));
                }
            }
        }
    }

    /// Tells of an object that has been there before.
    fn once(
        &mut self,
        part: &Part<'_>,
        about: &mut About<'_>,
        positions: &mut Positions<'_>,
    ) {
        let version = part.api_version.as_deref().unwrap_or_default();
        let (Some(kind), Some(name)) = (&part.kind, &part.name) else {
            return;
        };
        let group = GroupVersion::from_api_version(version).group.into_owned();
        let identity = (group, kind.clone(), part.namespace.clone(), name.clone());
        match self.seen.entry(identity) {
            Entry::Vacant(entry) => {
                entry.insert(format!("{}:{}", about.file, about.line));
            }
            Entry::Occupied(first) => {
                let note = told::again(first.get());
                about.add(positions.find(&told::path("metadata.name")), note);
            }
        }
    }

    /// Checks an object of a kind that is known.
    fn object(
        &self,
        scheme: &Scheme,
        mut object: AnyObject,
        about: &mut About<'_>,
        positions: &mut Positions<'_>,
    ) {
        let kind = object.kind();
        let release = self.target.release();
        let lifecycle = scheme.kind(&kind).and_then(|known| known.lifecycle);
        if let Some(note) = lifecycle
            .and_then(|lifecycle| told::lifecycle(scheme, &kind, &lifecycle, release))
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
        let losses =
            object.unrepresentable().iter().filter(|loss| !loss.value.is_null());
        for loss in losses {
            let at = positions.find(&loss.path);
            about.add(at, told::lost(loss, &object.kind()));
        }
        let Some(checked) = check(&object, &self.target) else {
            return;
        };
        for error in &checked.report.errors {
            about.add(positions.find(&error.path), told::error(error));
        }
        for warning in &checked.report.warnings {
            about.add(positions.find(&warning.path), told::warning(warning));
        }
        for path in &checked.dropped {
            about.add(positions.find(path), told::dropped(path, release));
        }
    }
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
    let group = GroupVersion::from_api_version(version).group;
    versions.any(|known| {
        // Kubernetes' own groups without a dot have none of these kinds, and others must have one.
        let is_misnamed = || {
            let kind = part.kind.clone().map(|kind| known.with_kind(kind));
            !group.contains('.') && kind.is_some_and(|kind| scheme.recognizes(&kind))
        };
        known.group == group || is_misnamed()
    }) || is_damaged(part)
}

/// Whether the text itself is damaged, so that nobody can tell what is in it.
fn is_damaged(part: &Part<'_>) -> bool {
    let is_list = part.api_version.as_deref() == Some("v1")
        && part.kind.as_deref() == Some("List");
    match &part.object {
        Ok(_) => false,
        Err(error) => is_list || matches!(error.reason(), Reason::Syntax { .. }),
    }
}
