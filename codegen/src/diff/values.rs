//! Compares what schemas say of values: formats, enumerations, defaults, and how objects are
//! merged.

use std::collections::BTreeSet;

use serde_json::Value;

use super::change::{ChangeKind, Severity};
use super::comparer::Comparer;
use super::node::{Node, Topic, keywords, resolved};
use super::words::{is_zero, plain, said};
use super::{restrictions, rules};

use Severity::{Breaking, Info, Warning};

impl<'a> Comparer<'a> {
    pub(super) fn compare_formats(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) {
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
        let keeps_type = rust_form(a) == rust_form(b);
        let is_text = a.text("type") == Some("string");
        let severities = match (self.is_custom(), is_text, rank(from).or(rank(to))) {
            (true, true, _) => restrictions::format(from, to),
            (_, _, None) if keeps_type => (Info, Warning),
            _ => severities,
        };
        let change = self.push(path, ChangeKind::FormatChanged, severities);
        change.keeps_type = keeps_type;
        change.from = from.map(str::to_owned);
        change.to = to.map(str::to_owned);
    }

    pub(super) fn compare_enums(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) {
        let values = |node: &Node<'_>| {
            node.keywords
                .get("enum")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default()
        };
        let (mut from, mut to) = (values(a), values(b));
        let is_mixed = self.from.from_server != self.to.from_server;
        if from.is_empty() != to.is_empty() && !is_mixed {
            // Values beside a reference replace those of the type.
            let of_type = |node, api| values(&resolved(node, api));
            from = if from.is_empty() {
                of_type(a, self.from)
            } else {
                from
            };
            to = if to.is_empty() {
                of_type(b, self.to)
            } else {
                to
            };
        }
        let text = |values: &[Value]| {
            let mut texts: Vec<_> = values.iter().map(plain).collect();
            texts.sort();
            (!texts.is_empty()).then(|| texts.join(", "))
        };
        // Only texts become enums.
        let is_text = |node: &Node<'_>, api| resolved(node, api).text("type") == Some("string");
        let keeps_type = !is_text(a, self.from) && !is_text(b, self.to);
        match (from.is_empty(), to.is_empty()) {
            (true, true) => {}
            // Checked-in documents leave out what servers publish.
            (true, false) | (false, true) if is_mixed => {}
            (true, false) => {
                let writers = if self.is_custom() { Breaking } else { Warning };
                let change = self.push(path, ChangeKind::EnumIntroduced, (Severity::None, writers));
                change.to = text(&to);
                change.keeps_type = keeps_type;
            }
            (false, true) => {
                let change = self.push(path, ChangeKind::EnumDropped, (Warning, Info));
                change.from = text(&from);
                change.keeps_type = keeps_type;
            }
            (false, false) => {
                let only = |these: &[Value], those: &[Value]| {
                    let mut only = these.to_vec();
                    only.retain(|value| !those.contains(value));
                    text(&only)
                };
                if let Some(gone) = only(&from, &to) {
                    let severities = (Severity::None, Breaking);
                    let change = self.push(path, ChangeKind::EnumValuesRemoved, severities);
                    change.from = Some(gone);
                    change.keeps_type = keeps_type;
                }
                if let Some(new) = only(&to, &from) {
                    let change = self.push(path, ChangeKind::EnumValuesAdded, (Warning, Info));
                    change.to = Some(new);
                    change.keeps_type = keeps_type;
                }
            }
        }
    }

    pub(super) fn compare_defaults(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) {
        for keyword in keywords(a, b, Topic::Default) {
            let (from, to) = (a.keywords.get(keyword), b.keywords.get(keyword));
            if from == to {
                continue;
            }
            // An absent field means the zero value anyway.
            let has_effect = ![from, to].into_iter().flatten().all(is_zero);
            if !has_effect && path.ends_with([']', '}']) {
                // An element isn't absent; releases differ in whether they say it.
                continue;
            }
            let what = match (from, to) {
                (None, _) => ChangeKind::DefaultAdded,
                (_, None) => ChangeKind::DefaultRemoved,
                _ => ChangeKind::DefaultChanged,
            };
            // Without a default, a server refuses objects that lack the field.
            let is_missed = self.is_custom() && a.is_required && b.is_required;
            let severities = match what {
                ChangeKind::DefaultRemoved if is_missed => (Warning, Breaking),
                _ if !has_effect => (Severity::None, Severity::None),
                ChangeKind::DefaultAdded => (Info, Warning),
                _ => (Warning, Warning),
            };
            let change = self.push(path, what, severities);
            change.from = from.map(plain);
            change.to = to.map(plain);
            if what == ChangeKind::DefaultRemoved && is_missed {
                change.details.push("required".to_owned());
            } else if !has_effect {
                change
                    .details
                    .push("the zero value, which absence means anyway".to_owned());
            }
        }
    }

    pub(super) fn compare_lists(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) {
        let mut has_effect = false;
        let mut said_before = Vec::new();
        let mut said_now = Vec::new();
        for keyword in keywords(a, b, Topic::ListSemantics) {
            let (from, to) = (a.keywords.get(keyword), b.keywords.get(keyword));
            if set(from) != set(to) {
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
        let merging = if has_effect { Warning } else { Severity::None };
        let unique = restrictions::uniqueness(a, b).filter(|_| self.is_custom() && !is_list);
        let (readers, writers) = match unique {
            Some((ChangeKind::RuleAdded, _)) => (Severity::None, Breaking),
            Some(_) => (Info, merging),
            None => (Severity::None, merging),
        };
        let text = |said: Vec<String>| (!said.is_empty()).then(|| said.join(", "));
        let change = self.push(path, ChangeKind::ListSemanticsChanged, (readers, writers));
        change.from = text(said_before);
        change.to = text(said_now);
        change
            .details
            .extend(unique.map(|(_, words)| words.to_owned()));
        if !has_effect {
            change
                .details
                .push("objects are merged as before".to_owned());
        }
    }
}

/// The members of a list of keys, or the value of another keyword, in an order of their own.
fn set(value: Option<&Value>) -> BTreeSet<String> {
    let members = value.into_iter().flat_map(|value| match value {
        Value::Array(members) => members.as_slice(),
        other => std::slice::from_ref(other),
    });
    members.map(Value::to_string).collect()
}

/// The format, if the Rust type of a number or text depends on it.
fn rust_form<'a>(node: &'a Node<'_>) -> &'a str {
    const FORMS: [&str; 10] = [
        "byte",
        "date-time",
        "float",
        "int-or-string",
        "int32",
        "uint",
        "uint16",
        "uint32",
        "uint64",
        "uint8",
    ];
    // Without one of these an integer has 64 bits, a number is a double, and a text a text.
    let format = node.text("format").filter(|format| FORMS.contains(format));
    format.unwrap_or_default()
}

/// Returns true if objects are merged in another way because of a keyword.
fn changes_merging(
    keyword: &str,
    (from, to): (Option<&Value>, Option<&Value>),
    (a, b): (&Node<'_>, &Node<'_>),
) -> bool {
    let is = |value: Option<&Value>, text: &str| value.is_none_or(|value| value == text);
    let can_merge = |node: &Node<'_>| {
        let has_parts = node.items.is_some() || node.values.is_some() || node.has_fields();
        has_parts || node.reference.is_some()
    };
    match keyword {
        // Without a type a list is atomic, a map or struct granular.
        "x-kubernetes-list-type" => !(is(from, "atomic") && is(to, "atomic")),
        "x-kubernetes-map-type" => !(is(from, "granular") && is(to, "granular")),
        _ => can_merge(a) && can_merge(b),
    }
}
