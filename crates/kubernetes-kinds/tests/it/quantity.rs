//! Quantities against a table of what Kubernetes 1.36 does, and against exact arithmetic.

use std::borrow::Cow;
use std::collections::HashSet;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kubernetes_kinds::quantity::{
    Amount, Format, QuantityError, canonical, check, wrapping_milli_value, wrapping_value,
};
use num_rational::BigRational;
use proptest::prelude::*;

fn amount(text: &str) -> Amount {
    Amount::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// A text, the server's form of it, and the canonical form where that differs.
const SERVED: [(&str, &str, &str); 49] = [
    ("0", "0", "0"),
    ("-0", "0", "0"),
    ("0Ki", "0", "0"),
    ("1024Mi", "1Gi", "1Gi"),
    ("1.5Gi", "1536Mi", "1536Mi"),
    ("100Gi", "100Gi", "100Gi"),
    ("8Gi", "8Gi", "8Gi"),
    ("-1024Ki", "-1Mi", "-1Mi"),
    ("1024Ti", "1Pi", "1Pi"),
    ("0.5", "500m", "500m"),
    ("1.5", "1500m", "1500m"),
    (".5", "500m", "500m"),
    ("5.", "5.", "5"),
    ("1000", "1k", "1k"),
    ("1500", "1500", "1500"),
    ("10000", "10k", "10k"),
    ("1000k", "1M", "1M"),
    ("1000n", "1u", "1u"),
    ("1e3", "1e3", "1e3"),
    ("1E4", "10e3", "10e3"),
    ("1e-1", "100e-3", "100e-3"),
    ("1e0", "1e0", "1"),
    ("12E", "12E", "12E"),
    // Close enough to be kept.
    ("+1Gi", "+1Gi", "1Gi"),
    ("01Ki", "01Ki", "1Ki"),
    ("1.500", "1.500", "1500m"),
    ("1e+3", "1e+3", "1e3"),
    // The same, but read with large numbers.
    ("+1Pi", "1Pi", "1Pi"),
    ("1.0000000000", "1", "1"),
    (
        "1234567890123456789.",
        "1234567890123456789",
        "1234567890123456789",
    ),
    // No finer than a nano, away from zero.
    ("0.1n", "1n", "1n"),
    ("-0.1n", "-1n", "-1n"),
    ("1.0000000001", "1000000001n", "1000000001n"),
    ("9.9999999999", "10", "10"),
    ("1e-100", "1e-9", "1e-9"),
    // Binary suffixes that don't fit become decimal ones.
    ("0.1Ki", "102400m", "102400m"),
    ("0.0001Ki", "102400u", "102400u"),
    ("1.0001Ki", "1024102400u", "1024102400u"),
    ("1025Ki", "1025Ki", "1025Ki"),
    // Binary ends, decimal doesn't.
    ("8Ei", "9223372036854775807", "9223372036854775807"),
    ("-9Ei", "-9223372036854775807", "-9223372036854775807"),
    (
        "7.99999999999999999999Ei",
        "9223372036854775807",
        "9223372036854775807",
    ),
    (
        "9223372036854775808",
        "9223372036854775808",
        "9223372036854775808",
    ),
    ("1e100", "10e99", "10e99"),
    ("1500E", "1500E", "1500E"),
    // The suffix is lost from 10²¹ on.
    ("1000E", "1", "1e21"),
    ("20000E", "20", "20e21"),
    // Only 32 bits of an exponent count.
    ("1e4294967299", "1e4294967299", "1e3"),
    ("m", "0", "0"),
];

#[test]
fn texts_are_written_back_as_by_a_server() {
    for (text, served, shown) in SERVED {
        assert_eq!(canonical(text).unwrap(), served, "{text}");
        assert_eq!(amount(text).to_string(), shown, "{text}");
        assert_eq!(amount(shown), amount(text), "{text}");
        let stays = matches!(canonical(text), Ok(Cow::Borrowed(_)));
        assert_eq!(stays, text == served, "{text}");
        let spaced = format!(" {text}\t");
        assert_eq!(canonical(&spaced).unwrap(), served, "{text}");
        assert_eq!(
            Amount::try_from(&Quantity(spaced)),
            Ok(amount(text)),
            "{text}"
        );
    }
}

#[test]
fn what_is_no_quantity_is_refused_as_by_a_server() {
    use QuantityError::{Format, Number, Suffix};
    let zeros = [
        "+", "-", ".", "-.", "00", "e5", ".Ki", "Ti", "k", "0e-10", "0Pi",
    ];
    for text in zeros {
        assert!(amount(text).is_zero(), "{text}");
    }
    for (text, error) in [
        ("", Format),
        (" 1", Format),
        ("1 Gi", Format),
        ("1.2.3", Format),
        ("--1", Suffix),
        ("1Gi ", Format),
        ("1e5k", Format),
        ("1,5", Format),
        ("1_000", Format),
        ("\u{661}", Format),
        ("0x1", Format),
        ("1B", Format),
        ("1KB", Format),
        ("1ki", Suffix),
        ("1K", Suffix),
        ("1Gi5", Suffix),
        ("1+5", Suffix),
        ("1e", Suffix),
        ("1e+", Suffix),
        ("1ee5", Suffix),
        ("1Mn", Suffix),
        ("1e9223372036854775808", Suffix),
        ("Pi", Number),
        (".Ei", Number),
        ("e-10", Number),
        ("+.e-10", Number),
    ] {
        assert_eq!(Amount::parse(text), Err(error), "{text}");
        assert_eq!(check(text), Err(error), "{text}");
        assert_eq!(
            canonical(text).err(),
            (text.trim() == text).then_some(error),
            "{text}"
        );
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn equal_amounts_are_one() {
    let large = "123456789012345678901234567890123456789012345";
    for (one, two) in [
        ("1Gi", "1024Mi"),
        ("1k", "1000"),
        ("0.5", "500m"),
        ("1e3", "1k"),
        ("-0", "0Ei"),
        ("8Ei", "9223372036854775807"),
        ("1e50", &format!("1{}", "0".repeat(50))),
        (&format!("{large}000E"), &format!("{large}e21")),
        (&"9".repeat(60), &format!("{}.0", "9".repeat(60))),
    ] {
        assert_eq!(amount(one), amount(two));
        let both: HashSet<_> = [amount(one), amount(two)].into();
        assert_eq!(both.len(), 1, "{one} {two}");
    }
    let ordered = [
        "-1e2147483647",
        "-1Gi",
        "-1",
        "-1n",
        "0",
        "1n",
        "999u",
        "1m",
        "1023",
        "1Ki",
        "1.1Ki",
        "1M",
        "1Mi",
        "8Ei",
        "9223372036854775808",
        "1e37",
        "1e38",
        "1e39",
        large,
        "1e2147483647",
    ];
    for (one, two) in ordered.iter().zip(&ordered[1..]) {
        assert!(amount(one) < amount(two), "{one} {two}");
        assert!(amount(two) > amount(one), "{one} {two}");
    }
}

/// As Go's `Value` and `MilliValue` of v0.37.2 printed them after `RoundUp(Milli)`.
#[test]
fn values_wrap_as_in_go() {
    for (text, value, milli) in [
        ("0", 0, 0),
        ("-1.5", -2, -1500),
        ("1u", 1, 1),
        ("1.5Gi", 1_610_612_736, 1_610_612_736_000),
        (" 8E ", 8_000_000_000_000_000_000, 0),
        ("10E", 0, 0),
        ("1e2147483647", 0, 1),
        ("0e2147483647", 0, 0),
        (
            "9300000000000000k",
            -9_146_744_073_709_551_616,
            2_840_986_850_385_985_536,
        ),
        ("9223372036854775807", i64::MAX, -1000),
        ("9223372036854775807.5", i64::MIN, -500),
        ("9223372036854775808", i64::MIN, 0),
        ("-9223372036854775808", 0, 0),
        ("-9223372036854775809.5", 0, -1500),
        ("18446744073709551617", 1, 1000),
        (
            "99999999999999999999",
            7_766_279_631_452_241_919,
            200_376_420_520_688_664,
        ),
        (
            "-20000000000000000000.5",
            -3_729_424_098_846_047,
            -3_729_424_098_846_048_756,
        ),
        ("9Ei", i64::MAX, -1000),
        ("-9Ei", 1, 1000),
    ] {
        assert_eq!(wrapping_value(text), Ok(value), "{text}");
        assert_eq!(wrapping_milli_value(text), Ok(milli), "{text}");
    }
    assert_eq!(wrapping_value("1kk"), Err(QuantityError::Suffix));
}

#[test]
fn whole_numbers_are_checked() {
    for (text, signed, unsigned) in [
        ("0", Some(0), Some(0)),
        ("1n", Some(1), Some(1)),
        ("1.5Gi", Some(1_610_612_736), Some(1_610_612_736)),
        ("1000.0001", Some(1001), Some(1001)),
        ("-1.5", Some(-2), None),
        ("-9223372036854775808", Some(i64::MIN), None),
        ("9223372036854775808", None, Some(1 << 63)),
        ("18446744073709551615", None, Some(u64::MAX)),
        ("18446744073709551615.1", None, None),
        ("1e2147483647", None, None),
        ("12345678901234567890123456789012345678901.5", None, None),
        (&format!("1{}n", "0".repeat(40)), None, None),
    ] {
        assert_eq!(amount(text).to_i64(), signed, "{text}");
        assert_eq!(amount(text).to_u64(), unsigned, "{text}");
    }
    assert_eq!(Amount::from(1_u64 << 30).to_string(), "1Gi");
    assert_eq!(Amount::from(i64::MIN).to_i64(), Some(i64::MIN));
    assert_eq!(
        Quantity::from(&Amount::from(-2048_i64)),
        Quantity("-2Ki".to_owned())
    );
    let huge = amount("1e2147483647");
    assert_eq!(
        huge.clone().with_format(Format::DecimalSI).to_string(),
        "10e2147483646"
    );
    assert_eq!(
        huge.with_format(Format::BinarySI).to_string(),
        "10e2147483646"
    );
    assert_eq!(Amount::from(0_u64).format(), Format::BinarySI);
}

#[test]
fn sums_keep_to_their_format() {
    let sum = |one, two| {
        amount(one)
            .checked_add(&amount(two))
            .map(|sum| sum.to_string())
    };
    let difference = |one, two| amount(one).checked_sub(&amount(two)).map(|d| d.to_string());
    assert_eq!(sum("1Gi", "1G").as_deref(), Some("2073741824"));
    assert_eq!(sum("1G", "1Gi").as_deref(), Some("2073741824"));
    assert_eq!(sum("0", "1Gi").as_deref(), Some("1Gi"));
    assert_eq!(sum("1Gi", "0").as_deref(), Some("1Gi"));
    assert_eq!(sum("7Ei", "7Ei").as_deref(), Some("14Ei"));
    assert_eq!(difference("1Gi", "1Mi").as_deref(), Some("1023Mi"));
    assert_eq!(difference("1Gi", "1024Mi").as_deref(), Some("0"));
    assert_eq!(difference("0", "0.5").as_deref(), Some("-500m"));
    assert_eq!(
        sum("1e37", "1").as_deref(),
        Some("10000000000000000000000000000000000001")
    );
    assert_eq!(sum("1e38", "1"), None);
    assert_eq!(sum("1e2147483647", "1"), None);
}

/// A quantity in parts: sign, digits before and after the point, suffix.
fn parts() -> impl Strategy<Value = (String, String, String, String)> {
    let suffix = prop_oneof![
        3 => "[KMGTPE]i",
        3 => "[numkMGTPE]?",
        1 => (-60..60).prop_map(|exponent| format!("e{exponent}")),
    ];
    (
        "[+-]?",
        "[0-9]{1,45}|[09]{1,45}|[0-9]{1,6}",
        "[0-9]{0,20}|[09]{0,15}|",
        suffix,
    )
}

fn text((sign, whole, fraction, suffix): &(String, String, String, String)) -> String {
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}{suffix}")
}

fn power(base: i32, exponent: i32) -> BigRational {
    BigRational::from_integer(base.into()).pow(exponent)
}

/// The suffixes of the powers of 1000, from 1000⁻³ on.
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];

/// The value that Kubernetes documents, in exact arithmetic.
fn exactly((sign, whole, fraction, suffix): &(String, String, String, String)) -> BigRational {
    let digits: BigRational = format!("{whole}{fraction}").parse().unwrap();
    let scale = match suffix.as_str() {
        "Ki" => power(2, 10),
        "Mi" => power(2, 20),
        "Gi" => power(2, 30),
        "Ti" => power(2, 40),
        "Pi" => power(2, 50),
        "Ei" => power(2, 60),
        other => match other.strip_prefix('e') {
            Some(exponent) => power(10, exponent.parse().unwrap()),
            None => power(
                1000,
                DECIMAL.iter().position(|s| *s == other).unwrap() as i32 - 3,
            ),
        },
    };
    let fraction = power(10, i32::try_from(fraction.len()).unwrap());
    let mut value = (digits * scale / fraction * power(10, 9)).ceil() / power(10, 9);
    if suffix.ends_with('i') {
        value = value.min(power(2, 63) - power(1, 1));
    }
    if sign == "-" { -value } else { value }
}

/// The value of an amount, from its text.
fn value(amount: &Amount) -> BigRational {
    let text = amount
        .clone()
        .with_format(Format::DecimalExponent)
        .to_string();
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    digits.parse::<BigRational>().unwrap() * power(10, exponent.parse().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn values_are_exact(one in parts(), two in parts()) {
        let (a, b) = (amount(&text(&one)), amount(&text(&two)));
        let (exact, other) = (exactly(&one), exactly(&two));
        prop_assert_eq!(value(&a), exact.clone());
        prop_assert_eq!(a.cmp(&b), exact.cmp(&other));
        prop_assert_eq!(a == b, exact == other);
        if let Some(sum) = a.checked_add(&b) {
            prop_assert_eq!(value(&sum), &exact + &other);
        }
        if let Some(difference) = a.checked_sub(&b) {
            prop_assert_eq!(value(&difference), &exact - &other);
        }
        let whole = if a.is_negative() { exact.floor() } else { exact.ceil() };
        let signed: Option<i64> = whole.to_string().parse().ok();
        prop_assert_eq!(a.to_i64(), signed);
        let unsigned: Option<u64> = whole.to_string().parse().ok();
        prop_assert_eq!(a.to_u64(), unsigned);
    }

    #[test]
    fn the_canonical_form_is_stable(parts in parts()) {
        let text = text(&parts);
        let amount = amount(&text);
        let shown = amount.to_string();
        prop_assert_eq!(&Amount::parse(&shown).unwrap(), &amount);
        prop_assert_eq!(Amount::parse(&shown).unwrap().to_string(), shown.clone());
        let served = canonical(&text).unwrap();
        prop_assert_eq!(canonical(&served).unwrap(), served.clone());
        // But for the suffix that is lost.
        let lost = amount.format() == Format::DecimalSI && shown.contains('e');
        prop_assert!(lost || Amount::parse(&served).unwrap() == amount);
    }

    #[test]
    fn no_text_is_a_panic(text in "[+-]?[0-9]{0,3}[.]?[0-9eEinumkKMGTP+-]{0,30}|.*") {
        let parsed = Amount::parse(&text);
        prop_assert_eq!(check(&text), parsed.as_ref().map(drop).map_err(|error| *error));
        prop_assert_eq!(parsed.is_ok(), text.trim() == text && canonical(&text).is_ok());
        if let Ok(amount) = parsed {
            prop_assert_eq!(amount.cmp(&amount), std::cmp::Ordering::Equal);
            let _ = (amount.to_i64(), amount.to_u64());
            let _ = amount.checked_add(&Amount::from(1_u64));
        }
    }
}
