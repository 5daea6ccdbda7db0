//! Names of fields in rules. A name that isn't a CEL identifier is escaped.

/// The words that can't be the name of a field by themselves.
const RESERVED: [&str; 22] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
    "",
];

/// The signs that are escaped, with what is written for them.
const SIGNS: [(&str, &str); 4] = [
    ("__underscores__", "__"),
    ("__dot__", "."),
    ("__dash__", "-"),
    ("__slash__", "/"),
];

/// Returns true if rules write the name of a property in another way.
pub(crate) fn is_escaped(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    RESERVED.contains(&name) || name.contains("__") || !name.chars().all(is_plain)
}

/// The name of the property behind an escaped name in a rule.
pub(crate) fn unescape(name: &str) -> String {
    let word = name
        .strip_prefix("__")
        .and_then(|name| name.strip_suffix("__"));
    if let Some(word) = word.filter(|word| !word.is_empty() && RESERVED.contains(word)) {
        return word.to_owned();
    }
    let mut rest = name;
    let mut plain = String::new();
    while let Some(at) = rest.find("__") {
        let (before, from) = rest.split_at(at);
        plain.push_str(before);
        let sign = SIGNS
            .iter()
            .find_map(|(escaped, sign)| Some((from.strip_prefix(escaped)?, *sign)));
        let (after, sign) = sign.unwrap_or((from.get(2..).unwrap_or_default(), "__"));
        plain.push_str(sign);
        rest = after;
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn names() {
        for (escaped, name) in [
            ("plain", "plain"),
            ("__namespace__", "namespace"),
            ("__x__dash__y", "__x-y"),
            ("a__dot__b__slash__c", "a.b/c"),
            ("a__underscores__b", "a__b"),
            ("__dash__", "-"),
        ] {
            assert_eq!(unescape(escaped), name);
        }
    }
}
