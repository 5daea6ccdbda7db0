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

use crate::config::check_prefix;
use crate::diag::Diagnostics;
use crate::release::Releases;
use crate::source::{DocumentSource, Source};

use super::SCHEMAS;

/// The longest target that is read, and the most brackets in it: parsing nests as they do.
const MAX_TARGET: usize = 1000;
const MAX_BRACKETS: usize = 32;

/// An overlay as it is written. Members that are not known are mistakes; of extensions, only
/// `x-prefix` and `x-releases` mean something here.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Overlay {
    #[serde(skip)]
    file: String,
    #[serde(rename = "overlay")]
    version: String,
    #[serde(rename = "info")]
    _info: Info,
    #[serde(rename = "extends", default)]
    _extends: Option<String>,
    #[serde(rename = "x-prefix", default)]
    prefix: Option<String>,
    actions: Vec<Action>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Info {
    #[serde(rename = "title")]
    _title: String,
    #[serde(rename = "version")]
    _version: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Action {
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
    /// Reads an overlay in YAML or JSON. All faulty actions are reported and left out.
    pub(crate) fn parse(source: &Source, diagnostics: &mut Diagnostics) -> Option<Self> {
        let mut report = |line, message: String, help: &str| {
            diagnostics.in_file(&source.name, line, message, help);
        };
        let mut overlay: Self = match serde_saphyr::from_str(&source.text) {
            Ok(overlay) => overlay,
            Err(error) => {
                let text = error.without_snippet().to_string();
                let message = text.lines().next().unwrap_or_default();
                report(
                    error.location().map(|at| line(at.line())),
                    format!("not an OpenAPI overlay: {message}"),
                    "an overlay has `overlay`, `info` and `actions`, each with a `target` \
                     and either `update` or `remove`",
                );
                return None;
            }
        };
        overlay.file.clone_from(&source.name);
        if !overlay.version.starts_with("1.0") {
            let message = format!("overlay version {}; 1.0 is needed", overlay.version);
            report(None, message, "write `overlay: 1.0.0`");
        }
        overlay.prefix = overlay.prefix.filter(|prefix| {
            check_prefix(prefix, &mut |message, help| report(None, message, help))
        });
        overlay.actions.retain(|action| match action.check() {
            Ok(()) => true,
            Err((message, help)) => {
                report(Some(action.line()), message, help);
                false
            }
        });
        Some(overlay)
    }

    /// The prefix of the schemas that it is written for, if it says one.
    pub(crate) fn prefix(&self) -> Option<&str> {
        self.prefix.as_deref()
    }

    /// Applies the actions that are meant for the release, in order.
    pub(super) fn apply(
        &self,
        document: &mut Value,
        input: &DocumentSource,
        prefix: &str,
        diagnostics: &mut Diagnostics,
    ) {
        self.apply_if(document, input, prefix, diagnostics, |action| {
            action.releases.contain(input.release)
        });
    }

    /// Applies the actions that are meant for the release, and to another version than the overlay
    /// is written for also those that are meant for later releases and match: from when on an
    /// action is meant is the release that brought the field to the version that the overlay is
    /// written for.
    pub(crate) fn apply_to_any_version(
        &self,
        document: &mut Value,
        input: &DocumentSource,
        prefix: &str,
        diagnostics: &mut Diagnostics,
    ) {
        let is_other = self
            .prefix
            .as_deref()
            .is_some_and(|written| written != prefix);
        let is_meant = |action: &Action| action.releases.contain(input.release);
        let is_early = |action: &Action| {
            let is_over = action
                .releases
                .before
                .is_some_and(|end| end <= input.release);
            is_other && !is_over && !is_meant(action)
        };
        self.apply_if(document, input, prefix, diagnostics, is_meant);
        let ignored = &mut Diagnostics::default();
        self.apply_if(document, input, prefix, ignored, is_early);
    }

    fn apply_if(
        &self,
        document: &mut Value,
        DocumentSource { source, release }: &DocumentSource,
        prefix: &str,
        diagnostics: &mut Diagnostics,
        is_meant: impl Fn(&Action) -> bool,
    ) {
        let written_for = self.prefix.as_deref().filter(|written| *written != prefix);
        for action in self.actions.iter().filter(|action| is_meant(action)) {
            let done = match written_for.map(|from| action.translated(from, prefix)) {
                None => action.apply(document),
                // Not every version has every kind.
                Some(action) if action.is_about_a_missing_schema(document) => Ok(()),
                Some(action) => action.apply(document),
            };
            if let Err(message) = done {
                diagnostics.in_file(
                    &self.file,
                    Some(action.line()),
                    format!("{message} in {} (Kubernetes {release})", source.name),
                    "correct the target, or say with `x-releases` (`from`, `before`) which \
                     releases have it",
                );
            }
        }
    }
}

impl Action {
    fn line(&self) -> usize {
        line(self.target.referenced.line())
    }

    fn path(&self) -> Result<JsonPath, String> {
        let target = &self.target.value;
        JsonPath::parse(target).map_err(|error| format!("`{target}` is not a JSONPath: {error}"))
    }

    /// Checks the action; an error is a message and help.
    fn check(&self) -> Result<(), (String, &'static str)> {
        let target = &self.target.value;
        let opening = target.matches(['(', '[']).count();
        if target.len() > MAX_TARGET || opening > MAX_BRACKETS {
            return Err((
                format!("a target of {} bytes and {opening} brackets", target.len()),
                "at most 1000 bytes and 32 opening brackets are read: split the action",
            ));
        }
        let help = "targets are RFC 9535 paths, such as `$.components.schemas['NAME']`";
        self.path().map_err(|message| (message, help))?;
        match (self.remove, &self.update) {
            (true, None) | (false, Some(_)) => Ok(()),
            (true, Some(_)) => Err((
                format!("the action on `{target}` has both `update` and `remove`"),
                "removing comes first and leaves nothing to update: drop one of them",
            )),
            (false, None) => Err((
                format!("the action on `{target}` does nothing"),
                "give it an `update`, or `remove: true`",
            )),
        }
    }

    /// The same action for schemas of another prefix.
    fn translated(&self, from: &str, to: &str) -> Self {
        let mut action = self.clone();
        action.target.value = self.target.value.replace(from, to);
        if let Some(update) = &mut action.update {
            translate(update, from, to);
        }
        action
    }

    fn is_about_a_missing_schema(&self, document: &Value) -> bool {
        let named = self.target.value.strip_prefix("$.components.schemas['");
        let named = named.and_then(|rest| rest.split_once("']"));
        let schemas = document.pointer(SCHEMAS).and_then(Value::as_object);
        named.is_some_and(|(name, _)| schemas.is_none_or(|schemas| !schemas.contains_key(name)))
    }

    fn apply(&self, document: &mut Value) -> Result<(), String> {
        let target = &self.target.value;
        let path = self.path()?;
        let found = path.query_located(document);
        let places: Vec<_> = found.locations().map(|l| l.to_json_pointer()).collect();
        if places.is_empty() {
            return Err(format!("`{target}` matches nothing"));
        }
        // From the back, so that removing from an array leaves the places before it right.
        for place in places.iter().rev() {
            let Some(update) = &self.update else {
                remove(document, place);
                continue;
            };
            match document.pointer_mut(place) {
                Some(Value::Array(array)) => array.push(update.clone()),
                Some(found) if found.is_object() == update.is_object() => {
                    merge(found, update);
                }
                _ => {
                    return Err(format!("`{target}` and its update are of different types"));
                }
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
            array
                .iter_mut()
                .for_each(|value| translate(value, from, to));
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
        (Value::Array(target), Value::Array(update)) => target.extend(update.iter().cloned()),
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
