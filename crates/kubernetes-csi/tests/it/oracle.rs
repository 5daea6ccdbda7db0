//! Go's generated code reads our messages and writes the same bytes, but that it puts members of a
//! `oneof` behind all other fields, and writes empty keys and values in entries of maps.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use fastrand::Rng;
use prost::Message;
use prost_reflect::MessageDescriptor;

use crate::messages::MESSAGES;
use crate::random::{self, specification};

/// The number of messages of each type that are compared.
const LENGTH: usize = 1_000;

fn add(frames: &mut Vec<u8>, part: &[u8]) {
    frames.extend(u32::try_from(part.len()).unwrap().to_be_bytes());
    frames.extend(part);
}

/// Takes an answer from the front.
fn take<'a>(answers: &mut &'a [u8]) -> Result<&'a [u8], &'a [u8]> {
    let (head, rest) = answers.split_at(5);
    let length = u32::from_be_bytes(head[1..].try_into().unwrap());
    let (part, rest) = rest.split_at(usize::try_from(length).unwrap());
    *answers = rest;
    if head[0] == 0 { Ok(part) } else { Err(part) }
}

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
    let specification = specification();
    let mut rng = Rng::with_seed(37);
    let (mut compared, mut equal) = (0, 0);
    for (name, again) in MESSAGES {
        let full = format!("csi.v1.{name}");
        let descriptor = specification.get_message_by_name(&full).unwrap();
        let mut frames = Vec::new();
        let mut ours = Vec::new();
        for _ in 0..LENGTH {
            let message = random::message(descriptor.clone(), &mut rng);
            let bytes = again(&message.encode_to_vec()).unwrap();
            add(&mut frames, full.as_bytes());
            add(&mut frames, &bytes);
            ours.push(bytes);
        }
        let mut child = Command::new(&program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let writer = thread::spawn(move || input.write_all(&frames));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        assert!(output.status.success());
        let mut answers = &*output.stdout;
        for ours in &ours {
            match take(&mut answers) {
                Ok(theirs) if theirs == ours => equal += 1,
                Ok(theirs) => {
                    let shown = format!("{name}: {ours:?}\n{theirs:?}");
                    assert!(may_differ(&descriptor), "{shown}");
                    assert!(again(theirs).unwrap() == *ours, "{shown}");
                }
                Err(error) => panic!("{name}: {}", String::from_utf8_lossy(error)),
            }
            compared += 1;
        }
        assert!(answers.is_empty());
    }
    println!(
        "{compared} messages of {} types, {equal} of the same bytes",
        MESSAGES.len()
    );
}
