//! Go's generated code reads our messages and writes the same bytes, but that it puts members of a
//! `oneof` behind all other fields, and writes empty keys and values in entries of maps.

use std::path::Path;

use fastrand::Rng;
use go_programs::Program;
use prost::Message;
use prost_reflect::MessageDescriptor;

use crate::messages::MESSAGES;
use crate::random::{self, specification};

/// The number of messages of each type that are compared.
const LENGTH: usize = 1_000;

/// Returns true if a message or one in it has a `oneof` or a map.
fn may_differ(message: &MessageDescriptor) -> bool {
    let mut inner = message.fields().map(|field| field.kind());
    message.oneofs().len() > 0
        || message.is_map_entry()
        || inner.any(|kind| kind.as_message().is_some_and(may_differ))
}

#[test]
#[ignore = "needs Go: see docs/testing.md"]
fn messages_are_written_as_by_go() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let program = go_programs::build("tests/e2e/csi", "./cmd/oracle", target);
    let mut program = Program::start(&program);
    let specification = specification();
    let mut rng = Rng::with_seed(37);
    let (mut compared, mut equal) = (0, 0);
    for (name, again) in MESSAGES {
        let full = format!("csi.v1.{name}");
        let descriptor = specification.get_message_by_name(&full).unwrap();
        for _ in 0..LENGTH {
            let message = random::message(descriptor.clone(), &mut rng);
            let ours = again(&message.encode_to_vec()).unwrap();
            program.send(&[full.as_bytes(), &ours]);
            match program.answer() {
                Ok(theirs) if theirs == ours => equal += 1,
                Ok(theirs) => {
                    let shown = format!("{name}: {ours:?}\n{theirs:?}");
                    assert!(may_differ(&descriptor), "{shown}");
                    assert!(again(&theirs).unwrap() == ours, "{shown}");
                }
                Err(error) => panic!("{name}: {error}"),
            }
            compared += 1;
        }
    }
    println!(
        "{compared} messages of {} types, {equal} of the same bytes",
        MESSAGES.len()
    );
}
