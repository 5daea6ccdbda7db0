//! Whatever a request has, it is accepted or refused in one line that shows no secret.

use fastrand::Rng;
use prost::Message;
use prost_reflect::{DynamicMessage, MapKey, ReflectMessage as _, Value};

use crate::annotations::Annotations;
use crate::example::Example;
use crate::random::{self, specification};
use crate::requests::REQUESTS;

/// The number of requests of each type.
const LENGTH: usize = 1_000;

/// The longest error, in characters: a few values of 64, each with escapes.
const LONGEST: usize = 2_000;

/// Gives a request secrets, among them keys that are invalid and more bytes than are allowed.
fn hide(message: &mut DynamicMessage, rng: &mut Rng) {
    let key = ["sesame", "sesame/", "csi.storage.k8s.io/sesame"][rng.usize(..3)];
    let value = "swordfish".repeat(rng.usize(1..600));
    let secrets = [(MapKey::String(key.to_owned()), Value::String(value))];
    if message.descriptor().get_field_by_name("secrets").is_some() {
        message.set_field_by_name("secrets", Value::Map(secrets.into()));
    }
}

#[test]
fn random_requests_are_answered() {
    let (specification, annotations) = (specification(), Annotations::read());
    let mut rng = Rng::with_seed(38);
    let (mut accepted, mut refused) = (0, 0);
    for (name, check) in REQUESTS {
        let full = format!("csi.v1.{name}");
        let descriptor = specification.get_message_by_name(&full).unwrap();
        for choice in 0..LENGTH {
            let example = Example {
                annotations: &annotations,
                choice,
                is_full: rng.bool(),
            };
            // The fields of the second message replace those of the first, or add to them.
            let mut bytes = example.message(&descriptor).encode_to_vec();
            let mut other = random::message(descriptor.clone(), &mut rng);
            hide(&mut other, &mut rng);
            if rng.bool() {
                bytes.clear();
            }
            bytes.extend(other.encode_to_vec());
            let Err(error) = check(&bytes) else {
                accepted += 1;
                continue;
            };
            refused += 1;
            let text = error.to_string();
            let is_secret = text.contains("swordfish") || text.contains("sesame");
            let is_line = !text.contains(char::is_control) && text.chars().count() < LONGEST;
            assert!(is_line && !is_secret, "{name}: {text}");
        }
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted > LENGTH && refused > LENGTH);
}
