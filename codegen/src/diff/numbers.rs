//! The numbers of fields in protobuf, as a keyword of properties.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::load::SCHEMAS;
use crate::numbers::{message_name, pair};
use crate::protobuf::Protos;

use super::change::{ChangeKind, Severity};
use super::comparer::Comparer;
use super::node::{NUMBER, Node};

/// Adds the numbers of the properties of a document.
pub(super) fn annotate(document: &mut Value, protos: &Protos) {
    let schemas = document.pointer_mut(SCHEMAS).and_then(Value::as_object_mut);
    for (name, schema) in schemas.into_iter().flatten() {
        let message = message_name(name).and_then(|name| protos.message(&name));
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        let (Some(message), Some(properties)) = (message, properties) else {
            continue;
        };
        let names: BTreeSet<String> = properties.keys().cloned().collect();
        let names = names.iter().map(String::as_str).collect();
        for (property, found) in pair(protos, message, &names) {
            if let Some(Value::Object(keywords)) = properties.get_mut(property) {
                keywords.insert(NUMBER.to_owned(), found.text().into());
            }
        }
    }
}

impl<'a> Comparer<'a> {
    /// Compares numbers, where both releases have one: Kubernetes never changes one.
    pub(super) fn compare_numbers(&mut self, a: &Node<'a>, b: &Node<'a>, path: &str) {
        if let (Some(from), Some(to)) = (a.text(NUMBER), b.text(NUMBER))
            && from != to
        {
            let (from, to) = (from.to_owned(), to.to_owned());
            let severities = (Severity::Breaking, Severity::Breaking);
            let change = self.push(path, ChangeKind::NumberChanged, severities);
            change.from = Some(from);
            change.to = Some(to);
        }
    }
}
