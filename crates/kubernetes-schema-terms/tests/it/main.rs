//! Each term has names of its own, and is found by them.

#[cfg(feature = "custom-resources")]
mod texts;

use std::collections::BTreeSet;
use std::fmt::Debug;

use kubernetes_schema_terms::{ErrorType, NameFormat, Term};

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
    #[cfg(feature = "custom-resources")]
    check(
        &kubernetes_schema_terms::TextFormat::ALL,
        kubernetes_schema_terms::TextFormat::name,
        kubernetes_schema_terms::TextFormat::parse,
    );
    check(&ErrorType::ALL, ErrorType::reason, ErrorType::parse);
    check(&ErrorType::ALL, Term::variant, ErrorType::parse);
    assert_eq!(ErrorType::TYPE, "ErrorType");
}
