//! Messages are read and written as the specification says, by protobuf's reflection.

use std::collections::BTreeSet;

use fastrand::Rng;
use prost::Message;
use prost_reflect::{DynamicMessage, MessageDescriptor};

use crate::messages::MESSAGES;
use crate::random::{self, specification};

/// The names of all messages, without the entries of maps.
fn names(messages: impl Iterator<Item = MessageDescriptor>) -> BTreeSet<String> {
    messages
        .filter(|message| !message.is_map_entry() && message.package_name() == "csi.v1")
        .map(|message| message.full_name().trim_start_matches("csi.v1.").to_owned())
        .collect()
}

#[test]
fn every_message_is_there() {
    let listed: BTreeSet<_> = MESSAGES
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    assert_eq!(names(specification().all_messages()), listed);
}

#[test]
fn no_field_is_lost() {
    let specification = specification();
    let mut rng = Rng::with_seed(36);
    for (name, again) in MESSAGES {
        let full = format!("csi.v1.{name}");
        let descriptor = specification.get_message_by_name(&full).unwrap();
        for _ in 0..100 {
            let bytes = random::message(descriptor.clone(), &mut rng).encode_to_vec();
            let message = DynamicMessage::decode(descriptor.clone(), &*bytes).unwrap();
            let bytes = again(&bytes).unwrap();
            let read = DynamicMessage::decode(descriptor.clone(), &*bytes).unwrap();
            assert_eq!(read, message, "{name}");
            assert_eq!(again(&bytes).unwrap(), bytes, "{name}");
        }
    }
}
