//! What becomes of a text.

use std::cell::LazyCell;

use kubernetes_kinds::{FieldPath, GroupVersionKind, Release};
use kubernetes_manifests::scheme::{AnyObject, Part, Reason, Scheme, SchemeError, Syntax};
use kubernetes_storage_lint::kinds;
use kubernetes_storage_lint::template::Placeholders;
use serde_json::Value;

use super::Lossy;
use super::edit::{self, Edit, Lines};
use super::version;

/// How much of a field is shown that would be lost.
const SHOWN: usize = 120;

/// What becomes of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// The text that is to be written; nothing if it stays as it is.
    pub(super) text: Option<String>,
    /// What changes, as sentences with the line.
    pub(super) changes: Vec<(usize, String)>,
    /// Why the text is left as it is though it should change.
    pub(super) problems: Vec<(usize, String)>,
    /// The line with which it turns out to be a template.
    pub(super) template: Option<usize>,
}

/// Plans how texts are brought to a release.
pub(super) struct Planner<'s> {
    pub(super) scheme: &'s Scheme,
    pub(super) release: Release,
    pub(super) lossy: Lossy,
}

/// The changes of a text while they are looked for.
#[derive(Default)]
struct Draft {
    edits: Vec<Edit>,
    changes: Vec<(usize, String)>,
    problems: Vec<(usize, String)>,
    /// What each part should be afterwards.
    wanted: Vec<Read>,
}

/// What can be compared of a part.
#[derive(Debug, PartialEq)]
enum Read {
    Object(Value),
    List(Option<String>, Option<String>),
    Damaged,
}

impl Planner<'_> {
    /// Plans what becomes of a text.
    pub(super) fn plan(&self, text: &str, syntax: Syntax) -> Plan {
        let (mut draft, lines) = (Draft::default(), Lines::of(text));
        let placeholders = LazyCell::new(|| Placeholders::of(text));
        for part in self.scheme.decode_each(text, syntax) {
            let explains = |error| placeholders.explains(error);
            if let Some(line) = part.object.as_ref().err().and_then(explains) {
                return Plan {
                    template: Some(line),
                    ..Plan::default()
                };
            }
            let wanted = self.part(&lines, syntax, part, &mut draft);
            draft.wanted.push(wanted);
        }
        let Draft {
            edits,
            changes,
            mut problems,
            wanted,
        } = draft;
        let changed = (!changes.is_empty()).then(|| edit::apply(text, edits));
        if let Some(changed) = &changed
            && problems.is_empty()
            && self.read(changed, syntax) != wanted
        {
            let message = "can't be edited without changing more: change it by hand";
            problems.push((1, message.to_owned()));
        }
        Plan {
            text: changed.filter(|_| problems.is_empty()),
            changes,
            problems,
            template: None,
        }
    }

    /// Reads what a text has.
    fn read(&self, text: &str, syntax: Syntax) -> Vec<Read> {
        self.scheme
            .decode_each(text, syntax)
            .map(|part| match part.object {
                Ok(Some(object)) => read(&object),
                Ok(None) => Read::List(part.api_version, part.kind),
                Err(_) => Read::Damaged,
            })
            .collect()
    }

    /// Drafts what becomes of a part, and returns what it should be afterwards.
    fn part(
        &self,
        lines: &Lines<'_>,
        syntax: Syntax,
        mut part: Part<'_>,
        draft: &mut Draft,
    ) -> Read {
        let named = part.api_version.as_deref().zip(part.kind.as_deref());
        let from = named
            .map(|(version, kind)| GroupVersionKind::from_type_meta(version, kind))
            .filter(|kind| self.scheme.recognizes(kind));
        let line = part.location.line.unwrap_or(1);
        if let Some(note) = kinds::no_such_kind(self.scheme, &part) {
            let at = part.positions().find(&FieldPath::new(note.path));
            let line = at.map_or(line, |(line, _)| line);
            draft.problems.push((line, note.message));
            return Read::Damaged;
        }
        let (from, result) = match (std::mem::replace(&mut part.object, Ok(None)), from) {
            (Err(error), _) if matches!(error.reason(), Reason::Syntax { .. }) => {
                let line = error.location().line.unwrap_or(line);
                draft.problems.push((line, error.reason().to_string()));
                return Read::Damaged;
            }
            (Err(error), None) => {
                let version = part.api_version.unwrap_or_default();
                if kinds::is_known_group(self.scheme, &version) {
                    draft.problems.push(unreadable(&error, line));
                }
                return Read::Damaged;
            }
            (Err(error), Some(from)) => (from, Err(error.reason().to_string())),
            (Ok(None), None) => return Read::List(part.api_version, part.kind),
            (Ok(None), Some(from)) => {
                let result = self.list(lines, &part, &from, draft);
                (from, result)
            }
            (Ok(Some(object)), None) => return read(&object),
            (Ok(Some(object)), Some(from)) => {
                let result = self.object(lines, syntax, &part, object, draft);
                (from, result)
            }
        };
        result.unwrap_or_else(|message| {
            let name = part.name.as_deref().unwrap_or_default();
            draft
                .problems
                .push((line, format!("{from} {name}: {message}")));
            Read::Damaged
        })
    }

    /// The version of a kind that is wanted; nothing if it is this one.
    fn target(&self, from: &GroupVersionKind) -> Result<Option<GroupVersionKind>, String> {
        let newest = version::newest(self.scheme, from, self.release);
        let newest =
            newest.ok_or_else(|| format!("Kubernetes {} serves no version of it", self.release))?;
        Ok(Some(newest).filter(|newest| newest != from))
    }

    fn object(
        &self,
        lines: &Lines<'_>,
        syntax: Syntax,
        part: &Part<'_>,
        object: AnyObject,
        draft: &mut Draft,
    ) -> Result<Read, String> {
        let from = object.kind();
        let said = |error: SchemeError| error.reason().to_string();
        let before = object.to_value().map_err(said)?;
        let Some(to) = self.target(&from)? else {
            return Ok(Read::Object(before));
        };
        let converted = object
            .convert_to(self.scheme, &to.group_version)
            .map_err(said)?;
        self.losses(&converted)?;
        let after = converted.to_value().map_err(said)?;

        let line = part.location.line.unwrap_or(1);
        let mut change = format!("{from} becomes {to}");
        if let Some(name) = &part.name {
            change = format!("{from} {name} becomes {to}");
        }
        if without_type(&before) == without_type(&after) {
            draft.edits.extend(types(lines, part, &from, &to));
        } else {
            let is_whole = part.location.path.segments().is_empty();
            if !is_whole {
                return Err("an item of a list can't be written anew: take it out of \
                            the list"
                    .to_owned());
            }
            let unknown = part
                .field_errors
                .first()
                .filter(|_| self.lossy != Lossy::Discard);
            if let Some(error) = unknown {
                return Err(format!("{error} would be lost; see --lossy"));
            }
            let new = match syntax {
                Syntax::Json => converted.to_json().map_err(said)? + "\n",
                Syntax::JsonOrYaml => converted.to_yaml().map_err(said)?,
            };
            let edit = lines.document(line, &new);
            draft
                .edits
                .push(edit.ok_or("its document has no lines of its own")?);
            change += ", written anew without its comments";
        }
        draft.changes.push((line, change));
        Ok(Read::Object(after))
    }

    /// Fails if something would be lost that may not be.
    fn losses(&self, converted: &AnyObject) -> Result<(), String> {
        // That something unset can't stay unset is nothing that has been written.
        let mut losses = converted.unrepresentable().iter();
        let lost = losses.find(|loss| !loss.value.is_null());
        match lost.filter(|_| self.lossy == Lossy::Refuse) {
            Some(loss) => {
                let to = converted.kind();
                let loss: String = loss.to_string().chars().take(SHOWN).collect();
                Err(format!(
                    "{to} can't represent {loss}: it would be lost; see --lossy"
                ))
            }
            None => Ok(()),
        }
    }

    /// A list whose items may leave their type out has the type of its items.
    fn list(
        &self,
        lines: &Lines<'_>,
        part: &Part<'_>,
        from: &GroupVersionKind,
        draft: &mut Draft,
    ) -> Result<Read, String> {
        let item = from.kind.strip_suffix("List").unwrap_or(&from.kind);
        let item = from.group_version.with_kind(item.to_owned());
        let Some(to) = self.target(&item)? else {
            return Ok(Read::List(part.api_version.clone(), part.kind.clone()));
        };
        let to = to.group_version.with_kind(format!("{}List", to.kind));
        let line = part.location.line.unwrap_or(1);
        draft.edits.extend(types(lines, part, from, &to));
        draft.changes.push((line, format!("{from} becomes {to}")));
        let (version, kind) = (to.group_version.to_string(), to.kind.to_string());
        Ok(Read::List(Some(version), Some(kind)))
    }
}

/// Changes `apiVersion` and, if need be, `kind` where they are written.
fn types(
    lines: &Lines<'_>,
    part: &Part<'_>,
    from: &GroupVersionKind,
    to: &GroupVersionKind,
) -> Vec<Edit> {
    let versions = (from.group_version.to_string(), to.group_version.to_string());
    let kinds = (from.kind.to_string(), to.kind.to_string());
    let mut positions = part.positions();
    [("apiVersion", versions), ("kind", kinds)]
        .into_iter()
        .filter(|(_, (old, new))| old != new)
        .filter_map(|(name, (old, new))| {
            let at = positions.find(&FieldPath::new(name))?;
            lines.set(at, (name, &old, &new))
        })
        .collect()
}

/// What can't be read of a part that doesn't say what it is, and the line.
fn unreadable(error: &SchemeError, line: usize) -> (usize, String) {
    let (at, reason) = (error.location(), error.reason());
    let path = match at.path.to_string() {
        path if path.is_empty() => path,
        path => path + ": ",
    };
    (at.line.unwrap_or(line), format!("{path}{reason}"))
}

fn read(object: &AnyObject) -> Read {
    object.to_value().map_or(Read::Damaged, Read::Object)
}

/// What an object is, apart from its type.
fn without_type(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(object) = value.as_object_mut() {
        object.remove("apiVersion");
        object.remove("kind");
    }
    value
}
