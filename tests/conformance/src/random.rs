//! Random parts of objects.

use serde_json::Value;

use fastrand::Rng;

/// Sets a field in one of two objects.
pub(crate) fn maybe(
    rng: &mut Rng,
    object: &mut Value,
    field: &str,
    value: impl Fn(&mut Rng) -> Value,
) {
    if rng.bool() {
        object[field] = value(rng);
    }
}

pub(crate) fn word(rng: &mut Rng) -> String {
    (0..rng.usize(1..9)).map(|_| rng.lowercase()).collect()
}
