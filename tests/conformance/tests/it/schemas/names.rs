//! The patterns of names say what `NameFormat` says.

use std::sync::LazyLock;

use kubernetes_kinds::names::NameFormat;
use kubernetes_kinds::schema;
use proptest::prelude::*;
use regex_lite::Regex;

const PATTERNS: [(&str, NameFormat, bool, usize); 7] = [
    (schema::DNS_SUBDOMAIN, NameFormat::DnsSubdomain, false, 253),
    (
        schema::DNS_SUBDOMAIN_ANY_CASE,
        NameFormat::DnsSubdomain,
        true,
        253,
    ),
    (schema::DNS_LABEL, NameFormat::DnsLabel, false, 63),
    (schema::DNS_LABEL_ANY_CASE, NameFormat::DnsLabel, true, 63),
    (
        schema::QUALIFIED_NAME,
        NameFormat::QualifiedName,
        false,
        317,
    ),
    (
        schema::QUALIFIED_NAME_ANY_CASE,
        NameFormat::QualifiedName,
        true,
        317,
    ),
    (schema::LABEL_VALUE, NameFormat::LabelValue, false, 63),
];

fn check(name: &str) -> Result<(), TestCaseError> {
    static COMPILED: LazyLock<[Regex; 7]> =
        LazyLock::new(|| PATTERNS.map(|(pattern, ..)| Regex::new(pattern).unwrap()));
    for ((_, format, any_case, longest), pattern) in PATTERNS.iter().zip(&*COMPILED) {
        let matches = match any_case {
            true => format.matches_lowered(name),
            false => format.matches(name),
        };
        let accepted = pattern.is_match(name) && name.len() <= *longest;
        // Of a prefix that is too long, a pattern doesn't know.
        let is_long = name
            .split('/')
            .next()
            .is_some_and(|prefix| prefix.len() > 253);
        prop_assert!(
            accepted == matches || *format == NameFormat::QualifiedName && is_long && accepted,
            "{name:?} {format:?} {any_case}"
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn patterns_match_names(name in "[aA0./_ ä\n-]{0,12}", length in 55_usize..70) {
        check(&name)?;
        let label = "a".repeat(length);
        check(&format!("{label}{name}"))?;
        check(&format!("{name}{label}"))?;
        check(&format!("{label}.{label}.{label}.{label}{name}"))?;
        check(&format!("{label}.{label}.{label}.{label}/{name}"))?;
    }
}
