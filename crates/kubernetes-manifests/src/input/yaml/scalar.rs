//! The values of YAML scalars, by the rules of YAML 1.1 as `go.yaml.in/yaml/v2` implements them.

use std::borrow::Cow;

use granit_parser::Tag;
use k8s_openapi::serde_json::Number;

use super::timestamp;
use crate::input::tree::Tree;

/// The prefix of the tags that are written `!!str`.
const NAMESPACE: &str = "tag:yaml.org,2002:";

/// A scalar with its value.
pub(super) enum Scalar<'t> {
    Null,
    Bool(bool),
    Integer(Number),
    Float(f64),
    Text(Cow<'t, str>),
}

impl<'t> Scalar<'t> {
    /// Resolves a scalar by its tag or, if it is plain and has none, by its text.
    ///
    /// # Errors
    ///
    /// When the text isn't a value of the tag.
    pub(super) fn resolve(
        text: Cow<'t, str>,
        is_plain: bool,
        tag: Option<&Tag>,
    ) -> Result<Self, String> {
        let Some(tag) = tag else {
            return Ok(if is_plain {
                Self::plain(text)
            } else {
                Self::Text(text)
            });
        };
        let suffix = tag.suffix_in_namespace(NAMESPACE);
        let suffix = match suffix.as_deref() {
            Some(suffix @ ("null" | "bool" | "int" | "float")) => suffix,
            Some("timestamp") if timestamp::is_timestamp(&text) => return Ok(Self::Text(text)),
            Some("timestamp") => return Err(format!("`{text}` isn't a value of !!timestamp")),
            Some("binary") => {
                return Err("the tag !!binary has no value in JSON; leave it out".to_owned());
            }
            // Text, and unknown tags, which Kubernetes ignores.
            _ => return Ok(Self::Text(text)),
        };
        let error = format!("`{text}` isn't a value of !!{suffix}");
        match (suffix, Self::plain(text)) {
            ("float", Self::Integer(number)) if number.is_i64() => {
                number.as_f64().map(Self::Float).ok_or(error)
            }
            ("null", scalar @ Self::Null)
            | ("bool", scalar @ Self::Bool(_))
            | ("int", scalar @ Self::Integer(_))
            | ("float", scalar @ Self::Float(_)) => Ok(scalar),
            _ => Err(error),
        }
    }

    /// Returns the value of a text that is neither quoted nor tagged.
    fn plain(text: Cow<'t, str>) -> Self {
        match text.as_ref() {
            "" | "~" | "null" | "Null" | "NULL" => return Self::Null,
            "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
                return Self::Bool(true);
            }
            "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off"
            | "OFF" => return Self::Bool(false),
            ".nan" | ".NaN" | ".NAN" => return Self::Float(f64::NAN),
            ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
                return Self::Float(f64::INFINITY);
            }
            "-.inf" | "-.Inf" | "-.INF" => return Self::Float(f64::NEG_INFINITY),
            _ => {}
        }
        let number = match text.bytes().next() {
            Some(b'.') => between_digits(&text)
                .and_then(|text| float(&text))
                .map(Self::Float),
            Some(b'+' | b'-' | b'0'..=b'9') => {
                let plain = text.replace('_', "");
                integer(&plain)
                    .map(Self::Integer)
                    .or_else(|| float(&plain).map(Self::Float))
            }
            _ => None,
        };
        number.unwrap_or(Self::Text(text))
    }

    /// Returns the value.
    ///
    /// # Errors
    ///
    /// When JSON has no such value.
    pub(super) fn tree(self) -> Result<Tree<'t>, String> {
        match self {
            Self::Null => Ok(Tree::Null),
            Self::Bool(value) => Ok(Tree::Bool(value)),
            Self::Integer(number) => Ok(Tree::Number(number)),
            Self::Float(value) => {
                number(value).ok_or_else(|| format!("JSON has no number {value}"))
            }
            Self::Text(text) => Ok(Tree::Text(text)),
        }
    }

    /// Returns the name of the field if the scalar is a key.
    ///
    /// # Errors
    ///
    /// When JSON has no such key.
    pub(super) fn name(self) -> Result<Cow<'t, str>, String> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Bool(value) => Ok(Cow::Borrowed(if value { "true" } else { "false" })),
            Self::Integer(number) if number.is_i64() => Ok(Cow::Owned(number.to_string())),
            Self::Float(value) => Ok(Cow::Owned(shortest(value))),
            Self::Null | Self::Integer(_) => {
                Err("JSON has no such key; write it in quotes".to_owned())
            }
        }
    }
}

/// Returns a float as Go writes it in JSON: `5.0` as `5`, which is an integer.
fn number(value: f64) -> Option<Tree<'static>> {
    let text = match value.abs() {
        0.0 | 1e-6..1e21 => value.to_string(),
        _ => format!("{value:e}"),
    };
    let integer = text.parse::<i64>().map(Number::from);
    let integer = integer.or_else(|_| text.parse::<u64>().map(Number::from));
    match integer {
        Ok(integer) => Some(Tree::Number(integer)),
        Err(_) => Number::from_f64(value).map(|number| Tree::Decimal(number, text.into())),
    }
}

/// Parses an integer as Go does without a given base: `0x1f`, `0o17`, `017` and `0b1` too.
fn integer(text: &str) -> Option<Number> {
    let (is_negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', _, ..] => (16, digits.get(2..)?),
        [b'0', b'b' | b'B', _, ..] => (2, digits.get(2..)?),
        [b'0', b'o' | b'O', _, ..] => (8, digits.get(2..)?),
        [b'0', _, ..] => (8, digits.get(1..)?),
        _ => (10, digits),
    };
    if digits.starts_with(['+', '-']) {
        // The YAML reader of Go removes only the prefix of `0b-1` itself.
        let bits = text.strip_prefix("0b")?;
        return i64::from_str_radix(bits, 2).ok().map(Number::from);
    }
    let magnitude = u64::from_str_radix(digits, radix).ok()?;
    if is_negative {
        return 0_i64.checked_sub_unsigned(magnitude).map(Number::from);
    }
    // A sign before a number that needs 64 bits makes it a float.
    let fits = i64::try_from(magnitude).is_ok() || !text.starts_with('+');
    fits.then(|| magnitude.into())
}

/// Parses a float of decimal digits; one that is too large is text.
fn float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let all_digits = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_mantissa = match mantissa.split_once('.') {
        Some(("", fraction)) => !fraction.is_empty() && all_digits(fraction),
        Some((whole, fraction)) => all_digits(whole) && all_digits(fraction),
        None => !mantissa.is_empty() && all_digits(mantissa),
    };
    let is_exponent = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && all_digits(digits)
    });
    if !is_mantissa || !is_exponent {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Removes underscores, each of which must be between two digits.
fn between_digits(text: &str) -> Option<String> {
    let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let mut underscores = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'_');
    let apart = underscores.all(|(index, _)| {
        digit(index.checked_sub(1).and_then(|before| bytes.get(before)))
            && digit(bytes.get(index + 1))
    });
    apart.then(|| text.replace('_', ""))
}

/// Formats a float as Go writes a key: with as few digits as identify a float of 32 bits.
fn shortest(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "so does Go")]
    let value = value as f32;
    if !value.is_finite() {
        let name = if value.is_nan() { ".nan" } else { ".inf" };
        return if value < 0.0 {
            format!("-{name}")
        } else {
            name.to_owned()
        };
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>().unwrap_or_default() {
        -4..6 => value.to_string(),
        exponent => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
        }
    }
}
