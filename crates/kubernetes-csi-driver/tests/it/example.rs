//! Valid requests, made from the specification.

use std::collections::HashMap;

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, Value};

use crate::annotations::Annotations;

/// Makes valid messages.
pub(crate) struct Example<'a> {
    pub(crate) annotations: &'a Annotations,
    /// The index of the member of each `oneof` that is set.
    pub(crate) choice: usize,
    /// True if fields that aren't required are set.
    pub(crate) is_full: bool,
}

impl Example<'_> {
    pub(crate) fn message(&self, descriptor: &MessageDescriptor) -> DynamicMessage {
        let mut message = DynamicMessage::new(descriptor.clone());
        for field in descriptor.fields() {
            let is_set = match field.containing_oneof() {
                Some(oneof) => {
                    let members: Vec<_> = oneof.fields().collect();
                    members[self.choice % members.len()] == field
                }
                None => {
                    let is_required = self.annotations.has(field.path(), "required");
                    // One of the bounds has to be set.
                    self.is_full || is_required || field.name() == "required_bytes"
                }
            };
            if is_set {
                message.set_field(&field, self.value(&field));
            }
        }
        message
    }

    fn value(&self, field: &FieldDescriptor) -> Value {
        if field.is_map() {
            return map([("key".to_owned(), "value".to_owned())]);
        }
        let value = match field.kind() {
            Kind::Bool => Value::Bool(true),
            Kind::Int32 => Value::I32(1),
            Kind::Int64 => Value::I64(1),
            Kind::Enum(_) => Value::EnumNumber(1),
            Kind::String if self.annotations.has(field.path(), "path") => {
                Value::String("/a/path".to_owned())
            }
            Kind::String => Value::String("text".to_owned()),
            Kind::Message(inner) => Value::Message(self.message(&inner)),
            other => panic!("CSI has no fields of {other:?}"),
        };
        match field.is_list() {
            true => Value::List(vec![value]),
            false => value,
        }
    }
}

pub(crate) fn map(entries: impl IntoIterator<Item = (String, String)>) -> Value {
    let entries = entries.into_iter();
    let entries: HashMap<_, _> = entries
        .map(|(key, value)| (MapKey::String(key), Value::String(value)))
        .collect();
    Value::Map(entries)
}
