//! Each term has names of its own, and is found by them.

use std::collections::BTreeSet;
use std::fmt::Debug;

use kubernetes_schema_terms::{ErrorType, NameFormat, Term, TextFormat};

/// Checks that the names of variants are those in Rust, and that each name is found again.
fn check<T: Term + Debug + PartialEq>(
    all: &[T],
    name: impl Fn(T) -> &'static str,
    parse: impl Fn(&str) -> Option<T>,
) {
    for term in all {
        assert_eq!(term.variant(), format!("{term:?}"));
        assert_eq!(parse(name(*term)), Some(*term), "{}", name(*term));
    }
    let names: BTreeSet<_> = all.iter().map(|term| name(*term)).collect();
    assert_eq!(names.len(), all.len());
    assert_eq!(parse("another"), None);
}

#[test]
fn names_are_unique_and_found() {
    check(&NameFormat::ALL, NameFormat::name, NameFormat::parse);
    check(&TextFormat::ALL, TextFormat::name, TextFormat::parse);
    check(&ErrorType::ALL, ErrorType::reason, ErrorType::parse);
    check(&ErrorType::ALL, Term::variant, ErrorType::parse);
    assert_eq!(ErrorType::TYPE, "ErrorType");
    assert_eq!(
        TextFormat::parse("bson-object-id"),
        Some(TextFormat::BsonObjectId)
    );
}

#[test]
fn dates_are_those_of_the_calendar() {
    let days = [
        ("2023-02-28", true),
        ("2023-02-29", false),
        ("2024-02-29", true),
        ("1900-02-29", false),
        ("2000-02-29", true),
        ("0000-02-29", true),
        ("9999-12-31", true),
        ("2024-04-30", true),
        ("2024-04-31", false),
        ("2024-00-01", false),
        ("2024-13-01", false),
        ("2024-01-00", false),
        ("2024-1-01", false),
        ("2024-01-01 ", false),
        ("2024/01/01", false),
        ("+024-01-01", false),
        ("2024-01-0é", false),
    ];
    for (text, is_day) in days {
        assert_eq!(TextFormat::Date.matches(text), is_day, "{text}");
    }
}
