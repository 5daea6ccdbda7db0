//! The formats of names: DNS subdomains and labels, qualified names, label values.

pub use kubernetes_schema_terms::NameFormat;
// For the crates that compare names as a server does.
#[doc(hidden)]
pub use kubernetes_schema_terms::lowered;

/// Returns true if a character is a letter, mark, number, sign or the plain space, which Go calls
/// printable.
// For the crates that compare or quote names as a server does.
#[doc(hidden)]
#[must_use]
pub fn is_printable(character: char) -> bool {
    if character.is_ascii() {
        return matches!(character, ' '..='~');
    }
    // Rust escapes the others, but marks only at the start of a text.
    let text = format!("a{character}");
    text.escape_debug().to_string() == text
}
