//! OpenAPI Overlay 1.0: what the documents don't say, applied to them before they are parsed.
//!
//! Two things go beyond the standard's letter. An action that matches nothing is an error,
//! so that an overlay can't rot. And an action may carry `x-releases`, because one overlay
//! serves the documents of many releases, and older ones lack newer fields.

use serde::Deserialize;
use serde_json::{Map, Value};
use serde_json_path::JsonPath;
use serde_saphyr::Spanned;

use crate::diag::Diagnostics;
use crate::release::{Release, Releases};
use crate::source::Source;

/// The longest target that is read, and the most brackets in it: parsing nests as they do.
const MAX_TARGET: usize = 1000;
const MAX_BRACKETS: usize = 32;

/// An overlay document whose targets are known to be well-formed.
#[derive(Debug)]
pub(crate) struct Overlay {
    file: String,
    actions: Vec<Action>,
}

#[derive(Debug)]
struct Action {
    target: String,
    line: usize,
    path: JsonPath,
    change: Change,
    releases: Releases,
}

#[derive(Debug)]
enum Change {
    Remove,
    Update(Value),
}

/// The document as it is written. Members that are not known are mistakes; of extensions,
/// `x-releases` is the only one that means something here.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    overlay: String,
    #[serde(rename = "info")]
    _info: Info,
    #[serde(rename = "extends", default)]
    _extends: Option<String>,
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
            actions,
        })
    }

    /// Applies the actions that are meant for the release, in order.
    pub(super) fn apply(
        &self,
        document: &mut Value,
        release: Release,
        document_file: &str,
        diagnostics: &mut Diagnostics,
    ) {
        for action in self.actions.iter().filter(|a| a.releases.contain(release)) {
            if let Err(message) = action.apply(document) {
                diagnostics.in_file(
                    &self.file,
                    Some(action.line),
                    format!("{message} in {document_file} (Kubernetes {release})"),
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
