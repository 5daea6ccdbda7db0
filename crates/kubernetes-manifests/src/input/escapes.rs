//! Escapes of JSON that stand for no character.

/// Returns the text with the escape of U+FFFD for each half of a pair without the other half, such
/// as `\ud800`, if there is one: so Go reads it.
pub(super) fn mended(text: &str) -> Option<String> {
    let halves = halves(text.as_bytes());
    if halves.is_empty() {
        return None;
    }
    let mut bytes = text.as_bytes().to_vec();
    for place in halves {
        // Of the same length, so that all other places stay.
        bytes[place..place + 6].copy_from_slice(b"\\ufffd");
    }
    String::from_utf8(bytes).ok()
}

/// Returns the places of halves without the other half.
fn halves(text: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut place = 0;
    if !text.contains(&b'\\') {
        return found;
    }
    while place < text.len() {
        if text[place] != b'\\' {
            place += 1;
            continue;
        }
        place += match (unit(text, place), unit(text, place + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                found.push(place);
                6
            }
            // A quote or another backslash may follow.
            _ => 2,
        };
    }
    found
}

/// Returns the number of an escape `\uXXXX`.
fn unit(text: &[u8], place: usize) -> Option<u32> {
    let escape = text.get(place..place + 6)?;
    if !escape.starts_with(b"\\u") {
        return None;
    }
    let mut number = 0;
    for digit in &escape[2..] {
        number = number * 16 + char::from(*digit).to_digit(16)?;
    }
    Some(number)
}
