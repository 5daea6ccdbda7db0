//! Durations, as Go reads them.

use super::{Failure, Result};

/// Returns the nanoseconds of a duration in the form of Go, such as `1h30m` or `-1.5s`.
#[inline]
pub fn duration(text: &str) -> Result<i64> {
    kubernetes_schema_terms::duration(text).ok_or(Failure::Form)
}

/// Returns the nanoseconds of a text of the format `duration`: a duration of Go, or numbers with
/// names of units between anything, such as `3 days and 2 hours`.
#[inline]
pub fn written_duration(text: &str) -> Result<i64> {
    kubernetes_schema_terms::written_duration(text).ok_or(Failure::Form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_of_go() {
        for (text, nanoseconds) in [
            ("0", 0),
            ("+0", 0),
            ("0s", 0),
            ("1h30m", 5_400_000_000_000),
            ("-1.5s", -1_500_000_000),
            (".5s", 500_000_000),
            ("1.s", 1_000_000_000),
            ("1\u{b5}s1\u{3bc}s1us1ns", 3_001),
            ("1.0000000001s", 1_000_000_000),
            ("0.100000000000000000000h", 360_000_000_000),
            ("9223372036854775807ns", i64::MAX),
            ("-9223372036854775808ns", i64::MIN),
            ("2562047h47m16.854775807s", i64::MAX),
        ] {
            assert_eq!(duration(text), Ok(nanoseconds), "{text}");
        }
    }

    #[test]
    fn durations_of_the_format() {
        for (text, seconds) in [
            ("1h", 3_600),
            ("3 days and 2 hours", 266_400),
            ("1 Week", 604_800),
            ("2wk,1 minutely", 1_209_660),
            ("1 month 1d", 86_400),
        ] {
            assert_eq!(
                written_duration(text),
                Ok(seconds * 1_000_000_000),
                "{text}"
            );
        }
        for text in ["", "1", "one day", "1 month", "9223372036854775808 d"] {
            assert_eq!(written_duration(text), Err(Failure::Form), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_of_go() {
        for text in [
            "",
            "-",
            "+",
            "3",
            ".s",
            "s",
            "1d",
            "1 s",
            " 1s",
            "1s ",
            "--1s",
            "1e3s",
            "1S",
            "0.0",
            "9223372036854775808ns",
            "-9223372036854775809ns",
            "2562048h",
            "1h-1m",
            "\u{661}s",
            "9223372036854775807ns1ns",
        ] {
            assert_eq!(duration(text), Err(Failure::Form), "{text}");
        }
    }
}
