//! Compares the schemas of two documents.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::structure::Compare;

use super::api::Api;
use super::change::{ChangeKind, Severity};
use super::comparer::Comparer;
use super::node::{EITHER, Node, Topic, keywords, resolved};
use super::restrictions::{self, COMBINATIONS};
use super::words::said;
use super::{lifecycle, rules};

use Severity::{Breaking, Info, Warning};

/// Types whose form on the wire never changed, however documents describe it.
const FIXED: [&str; 2] = [
    "io.k8s.apimachinery.pkg.api.resource.Quantity",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
];

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
            seen: BTreeMap::new(),
        };
        for (name, schema) in from
            .schemas
            .iter()
            .filter(|(name, _)| !FIXED.contains(&name.as_str()))
        {
            if let Some(other) = to.schema(name) {
                comparer.schema.clone_from(name);
                let node = |schema, api: &Api| Node::of(schema, api.release);
                comparer.walk(&String::new(), &node(schema, from), &node(other, to));
            }
        }
        comparer
    }

    /// Compares two schemas without their parts. Returns true if these are to be compared.
    fn compare_nodes(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) -> bool {
        self.compare_numbers(a, b, path);
        if a.reference != b.reference {
            self.compare_references(a, b, path);
            return false;
        }
        if !self.compare_types(a, b, path) {
            return false;
        }
        self.compare_formats(a, b, path);
        self.compare_enums(a, b, path);
        self.compare_defaults(a, b, path);
        self.compare_lists(a, b, path);
        rules::compare(self, a, b, path);
        lifecycle::compare(self, a, b, path);
        self.compare_texts(a, b, path);
        true
    }

    /// Types of different names: what they are made of decides.
    fn compare_references(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) {
        let (from, to) = (a.type_text(), b.type_text());
        let at = self.found.len();
        let change = self.push(
            path,
            ChangeKind::TypeRenamed,
            (Severity::None, Severity::None),
        );
        change.from = Some(from);
        change.to = Some(to);
        let name = |node: &Node<'_>| node.reference.map(str::to_owned);
        let pair = name(a).zip(name(b));
        let known = pair.as_ref().and_then(|pair| self.seen.get(pair)).copied();
        let unlike = known.unwrap_or_else(|| {
            self.seen.extend(pair.clone().map(|pair| (pair, None)));
            let unlike = self.compare_resolved(a, b, path);
            self.seen.extend(pair.map(|pair| (pair, unlike)));
            unlike
        });
        if let (Some(severities), Some(renamed)) = (unlike, self.found.get_mut(at)) {
            renamed.what = ChangeKind::TypeChanged;
            (renamed.readers, renamed.writers) = severities;
        }
    }

    /// Compares what types of different names are made of. If they have nothing in common, only the
    /// severity is reported.
    fn compare_resolved(
        &mut self,
        a: &Node<'a>,
        b: &Node<'a>,
        path: &str,
    ) -> Option<(Severity, Severity)> {
        let before = self.found.len();
        let (a, b) = (resolved(a, self.from), resolved(b, self.to));
        if self.compare_nodes(&a, &b, path) {
            self.walk_parts(&path.to_owned(), &a, &b);
        }
        let first = self.found.get(before)?;
        let is_all = first.path == path && first.what == ChangeKind::TypeChanged;
        let severities = is_all.then_some((first.readers, first.writers))?;
        self.found.truncate(before);
        Some(severities)
    }

    /// Compares the types; returns whether there is more to compare.
    fn compare_types(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) -> bool {
        let outer = |node: &Node<'_>| {
            let name = node.keywords.get("type").map(Value::to_string);
            (name, node.items.is_some(), node.values.is_some())
        };
        if outer(a) != outer(b) {
            let (from, to) = (a.type_text(), b.type_text());
            let known = || restrictions::members(a, b).or_else(|| restrictions::types(a, b));
            let known = self.is_custom().then(known).flatten();
            let severities = known.unwrap_or((Breaking, Breaking));
            let change = self.push(path, ChangeKind::TypeChanged, severities);
            change.from = Some(from);
            change.to = Some(to);
            return false;
        }
        for keyword in keywords(a, b, Topic::Type) {
            let (from, to) = (a.keywords.get(keyword), b.keywords.get(keyword));
            let is_rule = self.is_custom() && COMBINATIONS.contains(&keyword);
            if keyword == "type" || is_rule || from == to || is_false(from) && is_false(to) {
                continue;
            }
            let flag = restrictions::flag(keyword, !is_false(to)).filter(|_| self.is_custom());
            let severities = match (keyword, is_false(to), flag) {
                ("nullable", false, _) => (Breaking, Severity::None),
                ("nullable", true, _) => (Severity::None, Breaking),
                (_, _, Some(severities)) => severities,
                (EITHER, true, _) if self.is_custom() => (Breaking, Info),
                (EITHER, false, _) if self.is_custom() => (Info, Breaking),
                _ => (Breaking, Breaking),
            };
            // A field that may be absent is an `Option` anyway; an element isn't.
            let is_option = !self.is_required && !path.ends_with([']', '}']);
            let keeps_type = match keyword {
                "nullable" => is_option,
                "x-kubernetes-embedded-resource" => self.is_custom(),
                // It is a struct in any case.
                _ => flag.is_some() && a.has_fields() && b.has_fields(),
            };
            let change = self.push(path, ChangeKind::TypeChanged, severities);
            change.keeps_type = keeps_type;
            change.from = from.map(|value| said(keyword, value));
            change.to = to.map(|value| said(keyword, value));
        }
        true
    }

    /// Severity of a field that must be there, or need not be any more: a server sets the default
    /// of a custom resource's field before it checks whether it is there, and when it is read.
    fn of_required(&self, field: &Node<'a>) -> Severity {
        let is_set = self.is_custom() && field.keywords.contains_key("default");
        if is_set { Info } else { Breaking }
    }

    fn compare_texts(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) {
        for keyword in keywords(a, b, Topic::Text) {
            if a.keywords.get(keyword) != b.keywords.get(keyword) {
                self.text(path, keyword);
            }
        }
    }
}

impl<'a> Compare<'a> for Comparer<'a> {
    type Structure = Node<'a>;
    type Place = String;

    fn both(&mut self, path: &String, a: &Node<'a>, b: &Node<'a>) -> bool {
        if a.is_unknown() || b.is_unknown() {
            return false;
        }
        self.is_required = a.is_required;
        match (a.is_required, b.is_required) {
            (false, true) => {
                let severities = (Severity::None, self.of_required(b));
                self.push(path, ChangeKind::BecameRequired, severities);
            }
            (true, false) => {
                // Of a field with a default, a server returns a value in any case.
                let readers = self.of_required(b);
                self.push(path, ChangeKind::BecameOptional, (readers, Info));
            }
            _ => {}
        }
        self.compare_nodes(a, b, path)
    }

    fn first(&mut self, path: &String, field: &Node<'a>) {
        self.is_required = field.is_required;
        let readers = if field.is_required { Breaking } else { Warning };
        self.push(path, ChangeKind::FieldRemoved, (readers, Breaking))
            .details = rules::described(field);
    }

    fn second(&mut self, path: &String, field: &Node<'a>) {
        self.is_required = field.is_required;
        let writers = if field.is_required {
            self.of_required(field)
        } else {
            Info
        };
        let release = lifecycle::introduced(field.schema, self.from, self.to);
        let change = self.push(path, ChangeKind::FieldAdded, (Info, writers));
        change.details = rules::described(field);
        change.release = release;
    }
}

fn is_false(value: Option<&Value>) -> bool {
    value.is_none_or(|value| *value == Value::Bool(false))
}
