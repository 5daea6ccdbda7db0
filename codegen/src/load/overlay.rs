//! OpenAPI Overlay 1.0: facts that the documents lack, applied before schemas are parsed.
//!
//! Three things go beyond the standard's letter. An action that matches nothing is an error,
//! so that an overlay can't rot. An action may carry `x-releases`, because one overlay
//! serves the documents of many releases, and older ones lack newer fields. And an overlay
//! may carry `x-prefix`, the prefix of the schemas it is written for: in a document of
//! another version, that version's prefix takes its place.

use serde::Deserialize;
use serde_json::{Map, Value};
use serde_json_path::JsonPath;
use serde_saphyr::Spanned;

use crate::config::{PREFIX_RULE, is_prefix};
use crate::diag::Diagnostics;
use crate::release::{Release, Releases};
use crate::source::Source;

use super::SCHEMAS;

/// The longest target that is read, and the most brackets in it: parsing nests as they do.
const MAX_TARGET: usize = 1000;
const MAX_BRACKETS: usize = 32;

/// An overlay document whose targets are known to be well-formed.
#[derive(Debug)]
pub(crate) struct Overlay {
    file: String,
    prefix: Option<String>,
    actions: Vec<Action>,
}

/// The document that an overlay is applied to.
pub(super) struct Place<'a> {
    pub(super) file: &'a str,
    pub(super) release: Release,
    pub(super) prefix: &'a str,
}

#[derive(Clone, Debug)]
struct Action {
    target: String,
    line: usize,
    path: JsonPath,
    change: Change,
    releases: Releases,
}

#[derive(Clone, Debug)]
enum Change {
    Remove,
    Update(Value),
}

/// The document as it is written. Members that are not known are mistakes; of extensions,
/// only `x-prefix` and `x-releases` mean something here.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    overlay: String,
    #[serde(rename = "info")]
    _info: Info,
    #[serde(rename = "extends", default)]
    _extends: Option<String>,
    #[serde(rename = "x-prefix", default)]
    prefix: Option<String>,
    actions: Vec<RawAction>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Info {
    #[serde(rename = "title")]
    _title: String,
    #[serde(rename = "version")]
    _version: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAction {
    target: Spanned<String>,
    #[serde(rename = "description", default)]
    _description: Option<String>,
    update: Option<Value>,
    #[serde(default)]
    remove: bool,
    #[serde(rename = "x-releases", default)]
    releases: Releases,
}

impl Overlay {
    /// Reads an overlay in YAML or JSON. All faulty actions are reported.
    pub(crate) fn parse(source: &Source, diagnostics: &mut Diagnostics) -> Option<Self> {
        let file = &source.name;
        let raw: Raw = match serde_saphyr::from_str(&source.text) {
            Ok(raw) => raw,
            Err(error) => {
                let line = error.location().map(|at| line(at.line()));
                let text = error.without_snippet().to_string();
                let message = text.lines().next().unwrap_or_default();
                diagnostics.in_file(
                    file,
                    line,
                    format!("not an OpenAPI overlay: {message}"),
                    "an overlay has `overlay`, `info` and `actions`, each with a `target` \
                     and either `update` or `remove`",
                );
                return None;
            }
        };
        if !raw.overlay.starts_with("1.0") {
            let message = format!("overlay version {}; 1.0 is needed", raw.overlay);
            diagnostics.in_file(file, None, message, "write `overlay: 1.0.0`");
        }
        if let Some(prefix) = raw.prefix.as_ref().filter(|prefix| !is_prefix(prefix)) {
            let message =
                format!("`{}` is not a prefix of schemas", prefix.escape_debug());
            diagnostics.in_file(file, None, message, PREFIX_RULE);
        }
        let mut actions = Vec::new();
        for action in raw.actions {
            let line = line(action.target.referenced.line());
            match action.check(line) {
                Ok(action) => actions.push(action),
                Err((message, help)) => {
                    diagnostics.in_file(file, Some(line), message, help);
                }
            }
        }
        Some(Self {
            file: file.clone(),
            prefix: raw.prefix.filter(|prefix| is_prefix(prefix)),
            actions,
        })
    }

    /// Applies the actions that are meant for the release, in order.
    pub(super) fn apply(
        &self,
        document: &mut Value,
        place: &Place<'_>,
        diagnostics: &mut Diagnostics,
    ) {
        let Place {
            file,
            release,
            prefix,
        } = place;
        let written_for = self.prefix.as_deref().filter(|written| written != prefix);
        for action in self.actions.iter().filter(|a| a.releases.contain(*release)) {
            let done = match written_for {
                None => action.apply(document),
                Some(written_for) => {
                    action.translated(written_for, prefix).and_then(|action| {
                        // Not every version has every kind.
                        if action.is_about_a_missing_schema(document) {
                            return Ok(());
                        }
                        action.apply(document)
                    })
                }
            };
            if let Err(message) = done {
                diagnostics.in_file(
                    &self.file,
                    Some(action.line),
                    format!("{message} in {file} (Kubernetes {release})"),
                    "correct the target, or say with `x-releases` (`from`, `before`) which \
                     releases have it",
                );
            }
        }
    }
}

impl RawAction {
    /// The action, or what is wrong with it and what to do.
    fn check(self, line: usize) -> Result<Action, (String, &'static str)> {
        let target = self.target.value;
        let opening = target.matches(['(', '[']).count();
        if target.len() > MAX_TARGET || opening > MAX_BRACKETS {
            return Err((
                format!("a target of {} bytes and {opening} brackets", target.len()),
                "at most 1000 bytes and 32 opening brackets are read: split the action",
            ));
        }
        let path = JsonPath::parse(&target).map_err(|error| {
            (
                format!("`{target}` is not a JSONPath: {error}"),
                "targets are RFC 9535 paths, such as `$.components.schemas['NAME']`",
            )
        })?;
        let change = match (self.remove, self.update) {
            (true, None) => Change::Remove,
            (false, Some(update)) => Change::Update(update),
            (true, Some(_)) => {
                return Err((
                    format!("the action on `{target}` has both `update` and `remove`"),
                    "removing comes first and leaves nothing to update: drop one of them",
                ));
            }
            (false, None) => {
                return Err((
                    format!("the action on `{target}` does nothing"),
                    "give it an `update`, or `remove: true`",
                ));
            }
        };
        Ok(Action {
            target,
            line,
            path,
            change,
            releases: self.releases,
        })
    }
}

impl Action {
    /// The same action for schemas of another prefix.
    fn translated(&self, from: &str, to: &str) -> Result<Self, String> {
        let mut action = self.clone();
        action.target = self.target.replace(from, to);
        action.path = JsonPath::parse(&action.target).map_err(|error| {
            format!("`{}` is not a JSONPath: {error}", action.target)
        })?;
        if let Change::Update(update) = &mut action.change {
            translate(update, from, to);
        }
        Ok(action)
    }

    fn is_about_a_missing_schema(&self, document: &Value) -> bool {
        let named = self.target.strip_prefix("$.components.schemas['");
        let named = named.and_then(|rest| rest.split_once("']"));
        let schemas = document.pointer(SCHEMAS).and_then(Value::as_object);
        named.is_some_and(|(name, _)| {
            schemas.is_none_or(|schemas| !schemas.contains_key(name))
        })
    }

    fn apply(&self, document: &mut Value) -> Result<(), String> {
        let found = self.path.query_located(document);
        let places: Vec<_> = found.locations().map(|l| l.to_json_pointer()).collect();
        if places.is_empty() {
            return Err(format!("`{}` matches nothing", self.target));
        }
        // From the back, so that removing from an array leaves the places before it right.
        for place in places.iter().rev() {
            match &self.change {
                Change::Remove => remove(document, place),
                Change::Update(update) => match document.pointer_mut(place) {
                    Some(Value::Array(array)) => array.push(update.clone()),
                    Some(target) if target.is_object() == update.is_object() => {
                        merge(target, update);
                    }
                    _ => {
                        return Err(format!(
                            "`{}` and its update are of different types",
                            self.target
                        ));
                    }
                },
            }
        }
        Ok(())
    }
}

/// Puts one prefix in place of another in the names of schemas and in references to them.
pub(super) fn translate(value: &mut Value, from: &str, to: &str) {
    let renamed = |text: &str, before: &str| {
        let rest = text.strip_prefix(before)?.strip_prefix(from)?;
        Some(format!("{before}{to}{rest}"))
    };
    match value {
        Value::Object(object) => {
            let entries = std::mem::take(object).into_iter();
            object.extend(entries.map(|(key, mut value)| {
                translate(&mut value, from, to);
                (renamed(&key, "").unwrap_or(key), value)
            }));
        }
        Value::Array(array) => {
            array.iter_mut().for_each(|value| translate(value, from, to));
        }
        Value::String(text) => {
            if let Some(new) = renamed(text, &format!("#{SCHEMAS}/")) {
                *text = new;
            }
        }
        _ => {}
    }
}

/// Merges as the standard says: objects member by member, arrays appended, the rest replaced.
fn merge(target: &mut Value, update: &Value) {
    match (target, update) {
        (Value::Object(target), Value::Object(update)) => {
            for (key, value) in update {
                match target.get_mut(key) {
                    Some(old) => merge(old, value),
                    None => {
                        target.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (Value::Array(target), Value::Array(update)) => {
            target.extend(update.iter().cloned())
        }
        (target, update) => *target = update.clone(),
    }
}

fn remove(document: &mut Value, place: &str) {
    let Some((parent, key)) = place.rsplit_once('/') else {
        *document = Value::Object(Map::new());
        return;
    };
    match document.pointer_mut(parent) {
        Some(Value::Object(object)) => {
            object.remove(&key.replace("~1", "/").replace("~0", "~"));
        }
        Some(Value::Array(array)) => {
            if let Some(index) = key.parse().ok().filter(|i| *i < array.len()) {
                array.remove(index);
            }
        }
        _ => {}
    }
}

fn line(line: impl TryInto<usize>) -> usize {
    line.try_into().unwrap_or_default()
}
