//! Reads and writes the terms that the generator and the run-time crates share.

use kubernetes_schema_terms::{NameFormat, Term};
use serde::Serializer;

/// Returns true if a format looks like a misspelt one of names. Documents have many other formats.
pub(crate) fn is_misspelt_name_format(name: &str) -> bool {
    let start = |name: &str| {
        name.to_ascii_lowercase()
            .chars()
            .take(3)
            .collect::<String>()
    };
    let mut known = NameFormat::ALL.into_iter().map(NameFormat::name);
    let is_similar = known.any(|known| start(known) == start(name));
    is_similar && NameFormat::parse(name).is_none()
}

/// Writes a term as its name in Rust.
pub(super) fn serialize<T: Term, S: Serializer>(
    term: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(term.variant())
}
