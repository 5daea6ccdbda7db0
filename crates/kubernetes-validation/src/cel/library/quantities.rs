//! Quantities, such as `1Gi`.

use std::cmp::Ordering;

use kubernetes_kinds::quantity::{Amount, Format};

use super::{Failure, Result};

/// The digits after the point that a nano has.
const NANO: i32 = 9;

/// A quantity, and the form in which a server has it.
#[derive(Clone, Debug)]
pub struct Quantity {
    amount: Amount,
    form: Form,
}

/// The form of a value. What isn't short has no whole number, and is a number of another precision
/// as one with a fraction.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// A number of 64 bits times a power of ten.
    Short(i64, i32),
    /// Any number of digits, of which so many are after the point.
    Long(i32),
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.amount == other.amount
    }
}

/// Reads a quantity.
#[inline]
pub fn quantity(text: &str) -> Result<Quantity> {
    let amount = Amount::parse(text).map_err(|_| Failure::Form)?;
    let form = match short(text) {
        Some((value, power)) => Form::Short(value, power),
        // A large one is cut, to a whole number.
        None if amount.format() == Format::BinarySI && amount.to_i64() == Some(i64::MAX) => {
            Form::Long(0)
        }
        None => Form::Long(NANO),
    };
    Ok(Quantity { amount, form })
}

/// Returns true for what [`quantity`] reads.
#[must_use]
#[inline]
pub fn is_quantity(text: &str) -> bool {
    kubernetes_kinds::quantity::check(text).is_ok()
}

/// The short form of a text, if a server makes one of it.
#[inline]
fn short(text: &str) -> Option<(i64, i32)> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = digits.trim_start_matches('0');
    let is_digit = |c: char| c.is_ascii_digit();
    let suffix = digits.trim_start_matches(is_digit);
    let whole = &digits[..digits.len() - suffix.len()];
    let whole = if whole.is_empty() { "0" } else { whole };
    let (fraction, suffix) = match suffix.strip_prefix('.') {
        Some(rest) => {
            let suffix = rest.trim_start_matches(is_digit);
            (&rest[..rest.len() - suffix.len()], suffix)
        }
        None => ("", suffix),
    };
    let (base, exponent) = power(suffix)?;
    let length = whole.len() + fraction.len();
    let (power, by) = match base {
        2 => {
            let more = usize::try_from(exponent * 3 / 10).ok()? + 1;
            let fits = fraction.is_empty() && length + more <= 15;
            (
                0,
                1_i64
                    .checked_shl(exponent.try_into().ok()?)
                    .filter(|_| fits)?,
            )
        }
        _ => {
            let power = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
            (power, (length <= 18 && power >= -NANO).then_some(1)?)
        }
    };
    let value: i64 = format!("{whole}{fraction}").parse().ok()?;
    let value = value.checked_mul(by)?;
    Some((if text.starts_with('-') { -value } else { value }, power))
}

/// The base and exponent of a suffix.
#[inline]
fn power(suffix: &str) -> Option<(u32, i32)> {
    Some(match suffix {
        "n" => (10, -9),
        "u" => (10, -6),
        "m" => (10, -3),
        "" => (10, 0),
        "k" => (10, 3),
        "M" => (10, 6),
        "G" => (10, 9),
        "T" => (10, 12),
        "P" => (10, 15),
        "E" => (10, 18),
        "Ki" => (2, 10),
        "Mi" => (2, 20),
        "Gi" => (2, 30),
        "Ti" => (2, 40),
        "Pi" => (2, 50),
        "Ei" => (2, 60),
        _ => (10, suffix.strip_prefix(['e', 'E'])?.parse().ok()?),
    })
}

/// The power of ten that Go's tables give, which isn't always the nearest number.
#[inline]
fn power_of_ten(power: i32) -> f64 {
    let exact = |power: i32| format!("1e{power}").parse().unwrap_or(f64::NAN);
    let (steps, rest) = (power / 32 * 32, power % 32);
    match power {
        0..=308 => exact(steps) * exact(rest),
        -323..0 => exact(steps) / exact(-rest),
        309.. => f64::INFINITY,
        _ => 0.0,
    }
}

impl Quantity {
    /// Returns the whole number that it is. As on a server, none is that has a fraction or is
    /// written with one, nor most beyond 18 digits.
    #[inline]
    pub fn as_integer(&self) -> Result<i64> {
        let whole = match self.form {
            Form::Short(value, power) => {
                let power = u32::try_from(power).ok();
                let by = power.and_then(|power| 10_i64.checked_pow(power));
                by.and_then(|by| value.checked_mul(by))
            }
            Form::Long(_) => None,
        };
        whole.ok_or(Failure::Overflow)
    }

    /// Returns true if there is such a number.
    #[must_use]
    #[inline]
    pub fn is_integer(&self) -> bool {
        self.as_integer().is_ok()
    }

    /// Returns it as a number that may have a fraction, nearly.
    #[must_use]
    #[inline]
    pub fn as_approximate_float(&self) -> f64 {
        let (number, power) = match self.form {
            Form::Short(value, power) => (value as f64, power),
            Form::Long(digits) => (self.digits_before(digits), -digits),
        };
        match power {
            0 => number,
            power => number * power_of_ten(power),
        }
    }

    /// The number without its point, of which so many digits are after it.
    #[inline]
    fn digits_before(&self, digits: i32) -> f64 {
        let amount = self.amount.clone().with_format(Format::DecimalExponent);
        let text = amount.to_string();
        let (number, power) = text.split_once('e').unwrap_or((&text, "0"));
        let power = power.parse::<i64>().unwrap_or(0) + i64::from(digits);
        format!("{number}e{power}").parse().unwrap_or(f64::NAN)
    }

    /// The sum with another, which has a form of its own.
    #[inline]
    fn sum(&self, other: &Self, amount: Option<Amount>) -> Result<Self> {
        let amount = amount.ok_or(Failure::Overflow)?;
        let after_point = |form| match form {
            Form::Short(_, power) => -power,
            Form::Long(digits) => digits,
        };
        let form = match (self.form, other.form) {
            (Form::Short(value, power), Form::Short(more, other)) => {
                short_sum((value, power), (more, other))
            }
            _ => None,
        };
        let form = form.unwrap_or(Form::Long(
            after_point(self.form).max(after_point(other.form)),
        ));
        Ok(Self { amount, form })
    }

    /// Returns true if it is more than another.
    #[must_use]
    #[inline]
    pub fn is_greater_than(&self, other: &Self) -> bool {
        self.amount > other.amount
    }

    /// Returns true if it is less than another.
    #[must_use]
    #[inline]
    pub fn is_less_than(&self, other: &Self) -> bool {
        self.amount < other.amount
    }

    /// Returns -1, 0 or 1 for less, as much or more.
    #[must_use]
    #[inline]
    pub fn compare_to(&self, other: &Self) -> i64 {
        match self.amount.cmp(&other.amount) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }
    }

    /// Returns -1, 0 or 1 for less than nothing, nothing or more.
    #[must_use]
    #[inline]
    pub fn sign(&self) -> i64 {
        match (self.amount.is_negative(), self.amount.is_zero()) {
            (true, _) => -1,
            (_, true) => 0,
            _ => 1,
        }
    }

    /// Returns the sum with another.
    #[inline]
    pub fn add(&self, other: &Self) -> Result<Self> {
        self.sum(other, self.amount.checked_add(&other.amount))
    }

    /// Returns the sum with a number.
    #[inline]
    pub fn add_whole(&self, other: i64) -> Result<Self> {
        self.add(&whole(other))
    }

    /// Returns the difference from another.
    #[inline]
    pub fn sub(&self, other: &Self) -> Result<Self> {
        let form = match other.form {
            Form::Short(value, power) => Form::Short(value.wrapping_neg(), power),
            long => long,
        };
        let negative = Self {
            amount: other.amount.clone(),
            form,
        };
        self.sum(&negative, self.amount.checked_sub(&other.amount))
    }

    /// Returns the difference from a number.
    #[inline]
    pub fn sub_whole(&self, other: i64) -> Result<Self> {
        self.sub(&whole(other))
    }
}

/// A whole number as a quantity.
#[inline]
fn whole(number: i64) -> Quantity {
    Quantity {
        amount: number.into(),
        form: Form::Short(number, 0),
    }
}

/// The short form of a sum of two, unless it has too many digits.
#[inline]
fn short_sum(a: (i64, i32), b: (i64, i32)) -> Option<Form> {
    let ((a, of_a), (b, of_b)) = match (a.0, b.0) {
        (_, 0) => (a, (0, a.1)),
        (0, _) => (b, (0, b.1)),
        _ => (a, b),
    };
    let power = of_a.min(of_b);
    let scaled = |value: i64, of: i32| {
        let by = 10_i64.checked_pow(u32::try_from(of - power).ok()?)?;
        value.checked_mul(by)
    };
    let sum = scaled(a, of_a)?.checked_add(scaled(b, of_b)?)?;
    Some(Form::Short(sum, power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities() {
        let read = |text| quantity(text).unwrap_or(whole(7));
        let (small, large) = (read("500m"), read("1Gi"));
        assert!(small.is_less_than(&large) && !small.is_greater_than(&large));
        assert_eq!(
            (large.compare_to(&small), small.compare_to(&read("0.5"))),
            (1, 0)
        );
        assert_eq!(
            (read("-1").sign(), read("0").sign(), small.sign()),
            (-1, 0, 1)
        );
        assert_eq!(small.add(&small), Ok(read("1")));
        assert_eq!(
            (small.add_whole(1), small.sub_whole(1)),
            (quantity("1.5"), quantity("-500m"))
        );
        assert_eq!(large.sub(&large).map(|none| none.sign()), Ok(0));
        assert_eq!(quantity("1x"), Err(Failure::Form));
        assert!(is_quantity("1k") && !is_quantity(""));
    }

    #[test]
    fn whole_numbers() {
        for (text, number) in [
            ("0", 0),
            ("-07", -7),
            ("+5k", 5_000),
            ("1e3", 1_000),
            ("1E+2", 100),
            ("3E", 3_000_000_000_000_000_000),
            ("9E9", 9_000_000_000),
            ("1.", 1),
            ("1Ki", 1_024),
            ("10000Gi", 10_737_418_240_000),
            ("999999999999999999", 999_999_999_999_999_999),
        ] {
            let found = quantity(text).and_then(|quantity| quantity.as_integer());
            assert_eq!(found, Ok(number), "{text}");
        }
        for text in [
            "1.0",
            "0m",
            "1000m",
            "1.5",
            "1e-1",
            "10E",
            "100000Gi",
            "1.0Ki",
            "1Ei",
            "1e400",
            "1000000000000000000",
            "-0.0",
        ] {
            let found = quantity(text).and_then(|quantity| quantity.as_integer());
            assert_eq!(found, Err(Failure::Overflow), "{text}");
            assert!(
                quantity(text).is_ok_and(|quantity| !quantity.is_integer()),
                "{text}"
            );
        }
    }

    #[test]
    fn whole_numbers_of_sums() {
        let read = |text| quantity(text).unwrap_or(whole(7));
        for (a, b, sum) in [
            ("1k", "1", Some(1_001)),
            ("1.5", "0.5", None),
            ("0.0", "1", Some(1)),
            ("1", "0.0", Some(1)),
            ("1Ki", "1Mi", Some(1_049_600)),
            ("999999999999999999", "1", Some(1_000_000_000_000_000_000)),
            ("9E", "1E", None),
            ("1000000000000000000", "1", None),
        ] {
            let found = read(a).add(&read(b)).and_then(|sum| sum.as_integer());
            assert_eq!(found.ok(), sum, "{a} {b}");
        }
        let difference = read("1Ki").sub_whole(24).and_then(|left| left.as_integer());
        assert_eq!(difference, Ok(1_000));
    }

    #[test]
    fn numbers_with_fractions() {
        for (text, number) in [
            ("0.5", 0.5),
            ("100n", 1.000_000_000_000_000_1e-7),
            ("1.5Ki", 1_536.0),
            ("1e40", 1e40),
            ("12345678901234567890", 1.234_567_890_123_457e19),
            ("9Ei", 9_223_372_036_854_775_807.0),
            ("0", 0.0),
            ("3e-7", 3e-7),
            ("1e-12", 1e-9),
            ("-2k", -2_000.0),
        ] {
            let found = quantity(text).map(|quantity| quantity.as_approximate_float());
            assert_eq!(found, Ok(number), "{text}");
        }
        let sum = quantity("0.1").and_then(|a| a.add(&quantity("1.5Ki")?));
        assert_eq!(
            sum.map(|sum| sum.as_approximate_float()),
            Ok(1_536.1000000000001)
        );
    }
}
