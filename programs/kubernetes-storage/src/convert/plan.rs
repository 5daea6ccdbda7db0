//! Plans the conversion of a text.

use kubernetes_kinds::{FieldPath, GroupVersionKind, Release};
use kubernetes_manifests::scheme::{AnyObject, Part, Reason, Scheme, SchemeError, Syntax};
use serde_json::Value;

use super::edit::{self, Edit, Lines};
use super::lossy::Lossy;
use super::version;
use crate::aside::{Aside, Left};
use crate::kinds::{self, UnknownKind};
use crate::older::OlderVersion;

/// The most characters of an unrepresentable field that a message shows.
const MAX_SHOWN: usize = 120;

/// The conversion of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// The converted text; `None` if the text doesn't change.
    pub(super) text: Option<String>,
    /// The changes, as messages with their lines.
    pub(super) changes: Vec<(usize, String)>,
    /// The reasons why the text is not converted, with their lines.
    pub(super) problems: Vec<(usize, String)>,
    /// The line of a placeholder, if the text is a template.
    pub(super) template: Option<usize>,
}

/// Plans the conversion of texts to the versions of a release.
pub(super) struct Planner<'s> {
    pub(super) scheme: &'s Scheme,
    pub(super) release: Release,
    pub(super) lossy: Lossy,
}

/// An unfinished plan.
#[derive(Default)]
struct Draft {
    edits: Vec<Edit>,
    changes: Vec<(usize, String)>,
    problems: Vec<(usize, String)>,
    /// The parts that the converted text must have.
    wanted: Vec<Decoded>,
}

/// The content of a part, which is compared before and after editing.
#[derive(Debug, PartialEq)]
enum Decoded {
    Object(Value),
    List(Option<String>, Option<String>),
    Damaged,
}

impl Planner<'_> {
    /// Plans the conversion of a text.
    pub(super) fn plan(&self, text: &str, syntax: Syntax) -> Plan {
        let (mut draft, lines) = (Draft::default(), Lines::of(text));
        let aside = Aside::of(text);
        for part in self.scheme.decode_each(text, syntax) {
            let wanted = match aside.left(&part) {
                Some(Left::Template(line)) => {
                    return Plan {
                        template: Some(line),
                        ..Plan::default()
                    };
                }
                Some(Left::Part) => Decoded::Damaged,
                None => self.part(&lines, part, &mut draft),
            };
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
            && self.decode(changed, syntax) != wanted
        {
            let message = "cannot edit the text in place; change it manually";
            problems.push((1, message.to_owned()));
        }
        Plan {
            text: changed.filter(|_| problems.is_empty()),
            changes,
            problems,
            template: None,
        }
    }

    /// Decodes all parts of a text.
    fn decode(&self, text: &str, syntax: Syntax) -> Vec<Decoded> {
        self.scheme
            .decode_each(text, syntax)
            .map(|part| match part.object {
                Ok(Some(object)) => decoded(&object),
                Ok(None) => Decoded::List(part.api_version, part.kind),
                Err(_) => Decoded::Damaged,
            })
            .collect()
    }

    /// Drafts the conversion of a part, and returns the content that it must have afterwards.
    fn part(&self, lines: &Lines<'_>, mut part: Part<'_>, draft: &mut Draft) -> Decoded {
        let named = part.api_version.as_deref().zip(part.kind.as_deref());
        let from = named
            .map(|(version, kind)| GroupVersionKind::from_type_meta(version, kind))
            .filter(|kind| self.scheme.recognizes(kind));
        let line = part.location.line.unwrap_or(1);
        if let Some(older) = OlderVersion::of(&part) {
            return self
                .older(older, lines, &part, draft)
                .unwrap_or_else(|message| {
                    draft.problems.push((line, message));
                    Decoded::Damaged
                });
        }
        if let Some(unknown) = UnknownKind::of_part(self.scheme, &part) {
            let at = part.positions().find(&FieldPath::new(unknown.field));
            let line = at.map_or(line, |(line, _)| line);
            draft.problems.push((line, unknown.to_string()));
            return Decoded::Damaged;
        }
        let (from, result) = match (std::mem::replace(&mut part.object, Ok(None)), from) {
            (Err(error), _) if matches!(error.reason(), Reason::Syntax { .. }) => {
                let line = error.location().line.unwrap_or(line);
                draft.problems.push((line, error.reason().to_string()));
                return Decoded::Damaged;
            }
            (Err(error), None) => {
                let version = part.api_version.unwrap_or_default();
                if kinds::is_complete_group(self.scheme, &version) {
                    draft.problems.push(unreadable(&error, line));
                }
                return Decoded::Damaged;
            }
            (Err(error), Some(from)) => (from, Err(error.reason().to_string())),
            (Ok(None), None) => return Decoded::List(part.api_version, part.kind),
            (Ok(None), Some(from)) => {
                let result = self.list(lines, &part, &from, draft);
                (from, result)
            }
            (Ok(Some(object)), None) => return decoded(&object),
            (Ok(Some(object)), Some(from)) => {
                let result = self.object(lines, &part, object, draft);
                (from, result)
            }
        };
        result.unwrap_or_else(|message| {
            let name = part.name.as_deref().unwrap_or_default();
            draft
                .problems
                .push((line, format!("{from} {name}: {message}")));
            Decoded::Damaged
        })
    }

    /// Drafts the conversion of an object of an older version: its `apiVersion` changes, and the
    /// name of a renamed field.
    fn older(
        &self,
        older: &'static OlderVersion,
        lines: &Lines<'_>,
        part: &Part<'_>,
        draft: &mut Draft,
    ) -> Result<Decoded, String> {
        let (version, kind) = (part.api_version.as_deref(), part.kind.as_deref());
        let from =
            GroupVersionKind::from_type_meta(version.unwrap_or_default(), kind.unwrap_or_default());
        let name = part.name.as_deref().unwrap_or_default();
        let message = |text: &str| format!("{from} {name}: {text}");
        if let Some((path, renamed)) = older.unknown(part) {
            let text = format!("{path}: no such field; this version has {}", renamed.old);
            return Err(message(&text));
        }
        let object = older.convert(part).map(|object| object.to_string());
        let object = object.ok_or_else(|| message("it can't be read"))?;
        let read = self.scheme.decode_json_all(object);
        let read = read.map_err(|error| message(&unreadable(&error, 1).1))?;
        let to = older.newest_kind(part);
        draft.edits.extend(types(lines, part, &from, &to));
        if let Some((path, renamed)) = older.to_rename(part) {
            let at = part.positions().find(&path);
            let edit = at.and_then(|at| lines.rename(at, (renamed.old, renamed.new)));
            draft.edits.extend(edit);
        }
        let line = part.location.line.unwrap_or(1);
        let change = format!("{from} {name} becomes {to}");
        draft.changes.push((line, change));
        Ok(read.last().map_or(Decoded::Damaged, decoded))
    }

    /// Returns the version to convert a kind to, or nothing if it is this one.
    fn target(&self, from: &GroupVersionKind) -> Result<Option<GroupVersionKind>, String> {
        let newest = version::newest(self.scheme, from, self.release);
        let newest = newest
            .ok_or_else(|| format!("Kubernetes {} serves no version of this kind", self.release))?;
        Ok(Some(newest).filter(|newest| newest != from))
    }

    fn object(
        &self,
        lines: &Lines<'_>,
        part: &Part<'_>,
        object: AnyObject,
        draft: &mut Draft,
    ) -> Result<Decoded, String> {
        let from = object.kind();
        let message = |error: SchemeError| error.reason().to_string();
        let before = object.to_value().map_err(message)?;
        let Some(to) = self.target(&from)? else {
            return Ok(Decoded::Object(before));
        };
        let converted = object
            .convert_to(self.scheme, &to.group_version)
            .map_err(message)?;
        self.losses(&converted)?;
        let after = converted.to_value().map_err(message)?;

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
                return Err(
                    "cannot rewrite an item of a list; move it to a document of its own".to_owned(),
                );
            }
            let unknown = part
                .field_errors
                .first()
                .filter(|_| self.lossy != Lossy::Discard);
            if let Some(error) = unknown {
                return Err(format!("{error} would be lost; see --lossy"));
            }
            let json = converted.to_json().map_err(message)?;
            let at = part.location.line.zip(part.location.column);
            let edit = match at.and_then(|at| lines.json(at, &json)) {
                Some(edit) => Some(edit),
                None => lines.document(line, &converted.to_yaml().map_err(message)?),
            };
            draft
                .edits
                .push(edit.ok_or("cannot rewrite a document that begins in the middle of a line")?);
            change += ", rewritten without its comments";
        }
        draft.changes.push((line, change));
        Ok(Decoded::Object(after))
    }

    /// Fails if a field would be lost that must not be.
    fn losses(&self, converted: &AnyObject) -> Result<(), String> {
        // The manifest didn't set a field whose lost value is null.
        let mut losses = converted.unrepresentable().iter();
        let lost = losses.find(|loss| !loss.value.is_null());
        match lost.filter(|_| self.lossy == Lossy::Refuse) {
            Some(loss) => {
                let to = converted.kind();
                let loss: String = loss.to_string().chars().take(MAX_SHOWN).collect();
                Err(format!("{to} cannot represent {loss}; see --lossy"))
            }
            None => Ok(()),
        }
    }

    /// Drafts the conversion of a typed list, whose items may omit their type.
    fn list(
        &self,
        lines: &Lines<'_>,
        part: &Part<'_>,
        from: &GroupVersionKind,
        draft: &mut Draft,
    ) -> Result<Decoded, String> {
        let item = kinds::item(&from.kind).to_owned();
        let item = from.group_version.with_kind(item);
        let Some(to) = self.target(&item)? else {
            return Ok(Decoded::List(part.api_version.clone(), part.kind.clone()));
        };
        let to = to.group_version.with_kind(format!("{}List", to.kind));
        let line = part.location.line.unwrap_or(1);
        draft.edits.extend(types(lines, part, from, &to));
        draft.changes.push((line, format!("{from} becomes {to}")));
        let (version, kind) = (to.group_version.to_string(), to.kind.to_string());
        Ok(Decoded::List(Some(version), Some(kind)))
    }
}

/// Returns the edits of `apiVersion` and, if it changes, `kind`.
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

/// Returns the line and message of the error of a part whose kind is unknown.
fn unreadable(error: &SchemeError, line: usize) -> (usize, String) {
    let (at, reason) = (error.location(), error.reason());
    let path = match at.path.to_string() {
        path if path.is_empty() => path,
        path => path + ": ",
    };
    (at.line.unwrap_or(line), format!("{path}{reason}"))
}

fn decoded(object: &AnyObject) -> Decoded {
    object.to_value().map_or(Decoded::Damaged, Decoded::Object)
}

/// Returns an object without its type.
fn without_type(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(object) = value.as_object_mut() {
        object.remove("apiVersion");
        object.remove("kind");
    }
    value
}
