//! Random messages, made from the specification.

use std::path::Path;

use fastrand::Rng;
use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, Value,
};

/// The most messages that are in each other.
const DEPTH: u32 = 6;

/// Reads the specification that the crate is generated from.
pub(crate) fn specification() -> DescriptorPool {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/csi/v1.13");
    let mut compiler = protox::Compiler::new([folder]).unwrap();
    compiler.open_file("csi.proto").unwrap();
    compiler.descriptor_pool()
}

/// Returns a message with random fields, about half of them set.
pub(crate) fn message(descriptor: MessageDescriptor, rng: &mut Rng) -> DynamicMessage {
    filled(descriptor, rng, DEPTH)
}

fn filled(descriptor: MessageDescriptor, rng: &mut Rng, depth: u32) -> DynamicMessage {
    let mut message = DynamicMessage::new(descriptor.clone());
    for field in descriptor.fields() {
        let is_deep = depth == 0 && matches!(field.kind(), Kind::Message(_));
        if is_deep || rng.bool() {
            continue;
        }
        message.set_field(&field, value(&field, rng, depth));
    }
    message
}

fn value(field: &FieldDescriptor, rng: &mut Rng, depth: u32) -> Value {
    let mut several = |make: &mut dyn FnMut(&mut Rng)| {
        for _ in 0..rng.usize(1..4) {
            make(rng);
        }
    };
    if field.is_map() {
        let mut entries = std::collections::HashMap::new();
        several(&mut |rng| {
            entries.insert(MapKey::String(text(rng)), Value::String(text(rng)));
        });
        return Value::Map(entries);
    }
    if field.is_list() {
        let mut list = Vec::new();
        several(&mut |rng| list.push(single(field.kind(), rng, depth)));
        return Value::List(list);
    }
    single(field.kind(), rng, depth)
}

fn single(kind: Kind, rng: &mut Rng, depth: u32) -> Value {
    match kind {
        Kind::Bool => Value::Bool(rng.bool()),
        Kind::Int32 => Value::I32(rng.i32(..)),
        Kind::Int64 => Value::I64(rng.i64(..)),
        Kind::String => Value::String(text(rng)),
        // Values that the specification has, and others.
        Kind::Enum(_) => Value::EnumNumber(rng.i32(-1..20)),
        Kind::Message(inner) => Value::Message(filled(inner, rng, depth.saturating_sub(1))),
        other => panic!("CSI has no fields of {other:?}"),
    }
}

fn text(rng: &mut Rng) -> String {
    let length = rng.usize(0..40);
    std::iter::repeat_with(|| rng.char(..))
        .take(length)
        .collect()
}
