//! Compares the schemas of two documents.

use serde_json::Value;

use super::api::Api;
use super::change::{Severity, What, short};
use super::node::{Node, Topic, topic};
use super::{lifecycle, rules};

use Severity::{Breaking, Info, Warning};

/// Types whose form on the wire never changed, however documents describe it.
const FIXED: [&str; 2] = [
    "io.k8s.apimachinery.pkg.api.resource.Quantity",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
];

/// How deep types of different names are compared.
const MAX_DEPTH: usize = 8;

/// A change at a place of a schema.
#[derive(Clone, Debug)]
pub(super) struct Raw {
    pub(super) schema: String,
    pub(super) path: String,
    pub(super) what: What,
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    pub(super) details: Vec<String>,
    pub(super) release: Option<crate::Release>,
    pub(super) readers: Severity,
    pub(super) writers: Severity,
    /// Whether the field is, or is to be, required.
    pub(super) is_required: bool,
    /// Whether the Rust type stays the same although `what` may change it.
    pub(super) keeps_type: bool,
}

/// A text that has changed.
#[derive(Clone, Debug)]
pub(super) struct RawText {
    pub(super) schema: String,
    pub(super) path: String,
    pub(super) keyword: String,
}

/// Compares the schemas that two documents of one group-version share.
pub(super) struct Comparer<'a> {
    pub(super) from: &'a Api,
    pub(super) to: &'a Api,
    pub(super) found: Vec<Raw>,
    pub(super) texts: Vec<RawText>,
    schema: String,
    is_required: bool,
    depth: usize,
}

impl<'a> Comparer<'a> {
    /// Compares all schemas that both have. What only one has is part of a field or kind that only
    /// one has.
    pub(super) fn run(from: &'a Api, to: &'a Api) -> Self {
        let mut comparer = Self {
            from,
            to,
            found: Vec::new(),
            texts: Vec::new(),
            schema: String::new(),
            is_required: false,
            depth: 0,
        };
        for (name, schema) in
            from.schemas.iter().filter(|(name, _)| !FIXED.contains(&name.as_str()))
        {
            if let Some(other) = to.schema(name) {
                comparer.schema.clone_from(name);
                comparer.compare(schema, other, "");
            }
        }
        comparer
    }

    /// Adds a change.
    pub(super) fn push(
        &mut self,
        path: &str,
        what: What,
        severities: (Severity, Severity),
    ) -> &mut Raw {
        let at = self.found.len();
        self.found.push(Raw {
            schema: self.schema.clone(),
            path: path.to_owned(),
            what,
            from: None,
            to: None,
            details: Vec::new(),
            release: None,
            readers: severities.0,
            writers: severities.1,
            is_required: self.is_required,
            keeps_type: false,
        });
        &mut self.found[at]
    }

    fn compare(&mut self, from: &'a Value, to: &'a Value, path: &str) {
        let a = Node::of(from, self.from.release);
        let b = Node::of(to, self.to.release);
        self.compare_nodes(&a, &b, path);
    }

    fn compare_nodes(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) {
        if a.reference != b.reference {
            self.compare_references(a, b, path);
            return;
        }
        if !self.compare_types(a, b, path) {
            return;
        }
        self.compare_formats(a, b, path);
        self.compare_enums(a, b, path);
        self.compare_defaults(a, b, path);
        self.compare_lists(a, b, path);
        rules::compare(self, a, b, path);
        lifecycle::compare(self, a, b, path);
        self.compare_texts(a, b, path);
        self.compare_properties(a, b, path);
        for (inner, mark) in [((a.items, b.items), "[]"), ((a.values, b.values), "{}")] {
            if let (Some(from), Some(to)) = inner {
                self.compare(from, to, &format!("{path}{mark}"));
            }
        }
    }

    /// Types of different names: what they are made of decides.
    fn compare_references(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) {
        let (from, to) = (a.type_text(self.from.release), b.type_text(self.to.release));
        let change =
            self.push(path, What::TypeRenamed, (Severity::None, Severity::None));
        change.from = Some(from);
        change.to = Some(to);
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            let (a, b) = (resolved(a, self.from), resolved(b, self.to));
            let before = self.found.len();
            self.compare_nodes(&a, &b, path);
            self.depth -= 1;
            // If the types have nothing in common, that says it all.
            if let Some(change) = self
                .found
                .get(before)
                .filter(|c| c.path == path && c.what == What::TypeChanged)
            {
                let severities = (change.readers, change.writers);
                self.found.truncate(before);
                if let Some(renamed) = self.found.last_mut() {
                    renamed.what = What::TypeChanged;
                    (renamed.readers, renamed.writers) = severities;
                }
            }
        }
    }

    /// Compares the types; returns whether there is more to compare.
    fn compare_types(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) -> bool {
        let outer = |node: &Node<'_>| {
            let name = node.keywords.get("type").map(Value::to_string);
            (name, node.items.is_some(), node.values.is_some())
        };
        if outer(a) != outer(b) {
            let (from, to) =
                (a.type_text(self.from.release), b.type_text(self.to.release));
            let change = self.push(path, What::TypeChanged, (Breaking, Breaking));
            change.from = Some(from);
            change.to = Some(to);
            return false;
        }
        for keyword in keywords(a, b, Topic::Type) {
            let (from, to) = (a.keywords.get(keyword), b.keywords.get(keyword));
            if keyword == "type" || from == to || is_false(from) && is_false(to) {
                continue;
            }
            let severities = match (keyword, is_false(to)) {
                ("nullable", false) => (Breaking, Severity::None),
                ("nullable", true) => (Severity::None, Breaking),
                _ => (Breaking, Breaking),
            };
            let is_required = self.is_required;
            let change = self.push(path, What::TypeChanged, severities);
            change.keeps_type = keyword == "nullable" && !is_required;
            change.from = from.map(|value| said(keyword, value));
            change.to = to.map(|value| said(keyword, value));
        }
        true
    }

    fn compare_formats(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) {
        let (from, to) = (a.text("format"), b.text("format"));
        if from == to || [from, to].into_iter().flatten().any(rules::is_name_format) {
            return;
        }
        let rank = |format: Option<&str>| match format {
            Some("int32") => Some(1),
            Some("int64") => Some(2),
            Some("float") => Some(3),
            Some("double") => Some(4),
            _ => None,
        };
        let severities = match (rank(from), rank(to)) {
            (Some(from), Some(to)) if from < to => (Breaking, Info),
            (Some(_), Some(_)) => (Severity::None, Breaking),
            // A number of no format may be any.
            (Some(_), None) => (Breaking, Info),
            (None, Some(_)) => (Severity::None, Breaking),
            (None, None) => (Breaking, Breaking),
        };
        let has_type = |format: Option<&str>| {
            let forms = ["byte", "date-time", "int-or-string"];
            rank(format).is_some()
                || format.is_some_and(|format| forms.contains(&format))
        };
        let keeps_type = !has_type(from) && !has_type(to);
        let severities = if keeps_type {
            (Info, Warning)
        } else {
            severities
        };
        let change = self.push(path, What::FormatChanged, severities);
        change.keeps_type = keeps_type;
        change.from = from.map(str::to_owned);
        change.to = to.map(str::to_owned);
    }

    fn compare_enums(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) {
        let values = |node: &Node<'_>| {
            node.keywords
                .get("enum")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default()
        };
        let (from, to) = (values(a), values(b));
        let text = |values: &[Value]| {
            let mut texts: Vec<_> = values.iter().map(plain).collect();
            texts.sort();
            (!texts.is_empty()).then(|| texts.join(", "))
        };
        let is_mixed = self.from.from_server != self.to.from_server;
        match (from.is_empty(), to.is_empty()) {
            (true, true) => {}
            // Checked-in documents leave out what servers publish.
            (true, false) | (false, true) if is_mixed => {}
            (true, false) => {
                self.push(path, What::EnumIntroduced, (Severity::None, Warning)).to =
                    text(&to);
            }
            (false, true) => {
                self.push(path, What::EnumDropped, (Warning, Info)).from = text(&from);
            }
            (false, false) => {
                let only = |these: &[Value], those: &[Value]| {
                    let mut only = these.to_vec();
                    only.retain(|value| !those.contains(value));
                    text(&only)
                };
                if let Some(gone) = only(&from, &to) {
                    let severities = (Severity::None, Breaking);
                    self.push(path, What::EnumValuesRemoved, severities).from =
                        Some(gone);
                }
                if let Some(new) = only(&to, &from) {
                    self.push(path, What::EnumValuesAdded, (Warning, Info)).to =
                        Some(new);
                }
            }
        }
    }

    fn compare_defaults(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) {
        for keyword in keywords(a, b, Topic::Default) {
            let (from, to) = (a.keywords.get(keyword), b.keywords.get(keyword));
            if from == to {
                continue;
            }
            // An absent field means the zero value anyway.
            let has_effect = ![from, to].into_iter().flatten().all(is_zero);
            let what = match (from, to) {
                (None, _) => What::DefaultAdded,
                (_, None) => What::DefaultRemoved,
                _ => What::DefaultChanged,
            };
            let severities = match what {
                _ if !has_effect => (Severity::None, Severity::None),
                What::DefaultAdded => (Info, Warning),
                _ => (Warning, Warning),
            };
            let change = self.push(path, what, severities);
            change.from = from.map(plain);
            change.to = to.map(plain);
            if !has_effect {
                change
                    .details
                    .push("the zero value, which absence means anyway".to_owned());
            }
        }
    }

    fn compare_lists(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) {
        let mut has_effect = false;
        let mut said_before = Vec::new();
        let mut said_now = Vec::new();
        for keyword in keywords(a, b, Topic::ListSemantics) {
            let (from, to) = (a.keywords.get(keyword), b.keywords.get(keyword));
            if from != to {
                has_effect |= changes_merging(keyword, (from, to), (a, b));
                said_before.extend(from.map(|value| said(keyword, value)));
                said_now.extend(to.map(|value| said(keyword, value)));
            }
        }
        if said_before.is_empty() && said_now.is_empty() {
            return;
        }
        // Nobody applies the lists that requests return.
        let is_list = path == "items" && self.schema.ends_with("List");
        let has_effect = has_effect && !is_list;
        let writers = if has_effect { Warning } else { Severity::None };
        let text = |said: Vec<String>| (!said.is_empty()).then(|| said.join(", "));
        let change =
            self.push(path, What::ListSemanticsChanged, (Severity::None, writers));
        change.from = text(said_before);
        change.to = text(said_now);
        if !has_effect {
            change.details.push("objects are merged as before".to_owned());
        }
    }

    fn compare_texts(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) {
        for keyword in keywords(a, b, Topic::Text) {
            if a.keywords.get(keyword) != b.keywords.get(keyword) {
                self.text(path, keyword);
            }
        }
    }

    /// Adds a change of a text.
    pub(super) fn text(&mut self, path: &str, keyword: &str) {
        self.texts.push(RawText {
            schema: self.schema.clone(),
            path: path.to_owned(),
            keyword: keyword.to_owned(),
        });
    }

    fn compare_properties(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) {
        let child = |name: &str| {
            if path.is_empty() {
                name.to_owned()
            } else {
                format!("{path}.{name}")
            }
        };
        for (name, property) in &a.properties {
            let was_required = a.required.contains(name);
            self.is_required = was_required;
            let Some(other) = b.properties.get(name) else {
                let readers = if was_required { Breaking } else { Warning };
                let details = rules::described(property, self.from, was_required);
                self.push(&child(name), What::FieldRemoved, (readers, Breaking))
                    .details = details;
                continue;
            };
            let is_required = b.required.contains(name);
            match (was_required, is_required) {
                (false, true) => {
                    self.push(
                        &child(name),
                        What::BecameRequired,
                        (Severity::None, Breaking),
                    );
                }
                (true, false) => {
                    self.push(&child(name), What::BecameOptional, (Breaking, Info));
                }
                _ => {}
            }
            self.compare(property, other, &child(name));
        }
        for (name, property) in &b.properties {
            if a.properties.contains_key(name) {
                continue;
            }
            self.is_required = b.required.contains(name);
            let writers = if self.is_required { Breaking } else { Info };
            let details = rules::described(property, self.to, self.is_required);
            let release = lifecycle::introduced(property, self.from, self.to);
            let change = self.push(&child(name), What::FieldAdded, (Info, writers));
            change.details = details;
            change.release = release;
        }
        self.is_required = false;
    }
}

/// A type with what the schema that it refers to says, below what is said at the place.
fn resolved<'a>(node: &Node<'a>, api: &'a Api) -> Node<'a> {
    let Some(schema) = node.reference.and_then(|name| api.schema(name)) else {
        return node.clone();
    };
    let mut resolved = Node::of(schema, api.release);
    resolved
        .keywords
        .extend(node.keywords.iter().map(|(key, value)| (*key, value.clone())));
    resolved
}

/// The keywords of a topic that at least one of two schemas has, sorted.
pub(super) fn keywords<'a>(a: &Node<'a>, b: &Node<'a>, about: Topic) -> Vec<&'a str> {
    let all = a.keywords.keys().chain(b.keywords.keys()).copied();
    let mut found: Vec<_> = all.filter(|keyword| topic(keyword) == about).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether objects are merged in another way because of a keyword.
fn changes_merging(
    keyword: &str,
    (from, to): (Option<&Value>, Option<&Value>),
    (a, b): (&Node<'_>, &Node<'_>),
) -> bool {
    let is = |value: Option<&Value>, text: &str| value.is_none_or(|value| value == text);
    let can_merge = |node: &Node<'_>| {
        let has_parts =
            node.items.is_some() || node.values.is_some() || node.has_fields();
        has_parts || node.reference.is_some()
    };
    match keyword {
        // Without a type a list is atomic, a map or struct granular.
        "x-kubernetes-list-type" => !(is(from, "atomic") && is(to, "atomic")),
        "x-kubernetes-map-type" => !(is(from, "granular") && is(to, "granular")),
        _ => can_merge(a) && can_merge(b),
    }
}

fn is_false(value: Option<&Value>) -> bool {
    value.is_none_or(|value| *value == Value::Bool(false))
}

/// Whether a default is what an absent field means anyway.
pub(super) fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(true) => false,
    }
}

/// A value as it is written in a report, shortened.
pub(super) fn plain(value: &Value) -> String {
    const SHOWN: usize = 80;
    let text = match value {
        Value::String(text) if !text.is_empty() => text.clone(),
        other => other.to_string(),
    };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A keyword with its value: `list-type: map`.
pub(super) fn said(keyword: &str, value: &Value) -> String {
    let keyword = keyword.trim_start_matches("x-kubernetes-").trim_start_matches("x-");
    let value = match value {
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::String(text) => short_reference(text).to_owned(),
        other => plain(other),
    };
    format!("{keyword}: {value}")
}

fn short_reference(text: &str) -> &str {
    crate::load::schema_name(text).map_or(text, short)
}
