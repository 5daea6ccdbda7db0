//! The names of values, and of what has no letter of a name.

use heck::ToUpperCamelCase;

use super::{Ident, fixed, type_name};

/// The variant that holds what an enumeration doesn't know.
const UNKNOWN: &str = "Unknown";

/// The rule for values that become variants.
pub(crate) const VARIANT_RULE: &str =
    "a value has at least one letter, digit or sign of ASCII, or is empty";

/// The variant of the value whose own name is that of [`UNKNOWN`].
const VALUE_UNKNOWN: &str = "ValueUnknown";

/// Signs of values that tell them apart, as words. Other signs only separate words.
const SIGNS: [(char, &str); 14] = [
    ('!', "Not"),
    ('#', "Hash"),
    ('$', "Dollar"),
    ('%', "Percent"),
    ('&', "And"),
    ('*', "Star"),
    ('+', "Plus"),
    ('<', "Less"),
    ('=', "Equal"),
    ('>', "Greater"),
    ('@', "At"),
    ('^', "Caret"),
    ('|', "Or"),
    ('~', "Tilde"),
];

/// The Rust name of a value of an enumeration: as it is, or its words put together.
pub(crate) fn variant_name(value: &str) -> Option<Ident> {
    match value {
        "" => return type_name("Empty"),
        value => {
            if let Some(name) = type_name(value) {
                return Some(own_variant(name));
            }
        }
    }
    let mut words = String::new();
    let mut rest = value;
    if let Some(number) = value.strip_prefix('-')
        && number.starts_with(|c: char| c.is_ascii_digit())
    {
        words += "Minus ";
        rest = number;
    }
    for c in rest.chars() {
        match SIGNS.iter().find(|(sign, _)| *sign == c) {
            Some((_, word)) => words += &format!(" {word} "),
            None if c.is_ascii_alphanumeric() => words.push(c),
            None => words.push(' '),
        }
    }
    let name = words.to_upper_camel_case();
    type_name(&name)
        .or_else(|| type_name(&format!("Value{name}")).filter(|_| !name.is_empty()))
        .map(own_variant)
}

/// The name of a variant, or another one if it is that of the variant for what isn't known.
fn own_variant(name: Ident) -> Ident {
    match name.as_str() {
        UNKNOWN => fixed(VALUE_UNKNOWN),
        _ => name,
    }
}

/// A text with a word for each character that no name has: its code.
pub(crate) fn spelled(text: &str) -> String {
    let sign = |c: char| SIGNS.iter().find(|(sign, _)| *sign == c);
    let mut words = String::new();
    for c in text.chars() {
        match sign(c) {
            _ if c.is_ascii_alphanumeric() => words.push(c),
            Some((_, word)) => words += &format!(" {word} "),
            None => words += &format!(" U{:x} ", u32::from(c)),
        }
    }
    if words.is_empty() {
        words.push_str("Empty");
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_variants() {
        let table = [
            ("ReadWriteOnceWithFSType", Some("ReadWriteOnceWithFSType")),
            ("in-tree", Some("InTree")),
            ("csi", Some("Csi")),
            ("", Some("Empty")),
            ("cert sign", Some("CertSign")),
            ("SIGRTMIN+1", Some("SigrtminPlus1")),
            ("Unknown", Some("ValueUnknown")),
            ("unknown", Some("ValueUnknown")),
            ("*", Some("Star")),
            ("1.5", Some("Value15")),
            ("-1", Some("Minus1")),
            ("\"#", Some("Hash")),
            ("\u{e9}", None),
            ("--", None),
        ];
        for (value, rust) in table {
            assert_eq!(
                variant_name(value).as_ref().map(Ident::as_str),
                rust,
                "{value}"
            );
        }
    }
}
