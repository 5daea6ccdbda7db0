//! From the value to the text.

use std::fmt;

use super::{Amount, Format};

/// The suffixes of powers of 1000, from nano on, and those of powers of 1024.
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// Shows an amount as Kubernetes does, even where it then is another one.
pub(super) struct Served<'a>(&'a Amount);

impl fmt::Display for Amount {
    /// The canonical form: a whole number, negative or not, and the largest suffix of the
    /// family that allows for one.
    ///
    /// Binary suffixes are left for decimal ones below 1024 and for fractions. Reading the
    /// text again gives the same value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, |exponent| match usize::try_from(exponent / 3 + 3) {
            Ok(step) if step < DECIMAL.len() => (DECIMAL[step], 0),
            // Above the largest suffix, zeros have to do.
            _ => ("E", exponent - 18),
        })
    }
}

impl fmt::Display for Served<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = |step| DECIMAL.get(usize::try_from(step).ok()?).copied();
        self.0.write(f, |exponent| (suffix(exponent / 3 + 3).unwrap_or_default(), 0))
    }
}

impl Served<'_> {
    /// Whether it is shown as `text`.
    pub(super) fn is(&self, text: &str) -> bool {
        let mut rest = Rest(text);
        fmt::write(&mut rest, format_args!("{self}")).is_ok() && rest.0.is_empty()
    }
}

/// What is left of a text after what is written has been taken off its start.
struct Rest<'a>(&'a str);

impl fmt::Write for Rest<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(text).ok_or(fmt::Error)?;
        Ok(())
    }
}

impl Amount {
    pub(super) fn served(&self) -> Served<'_> {
        Served(self)
    }

    /// `suffix` gives the decimal suffix of an exponent divisible by three, and how many
    /// zeros go before it.
    fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        suffix: impl Fn(i64) -> (&'static str, i64),
    ) -> fmt::Result {
        if self.is_zero() {
            return f.write_str("0");
        }
        if self.negative {
            f.write_str("-")?;
        }
        if let Some(mut number) = self.binary() {
            let mut step = 0;
            while number % 1024 == 0 && step + 1 < BINARY.len() {
                number /= 1024;
                step += 1;
            }
            return write!(f, "{number}{}", BINARY[step]);
        }
        write!(f, "{}", self.digits)?;
        let zeros = self.exponent.rem_euclid(3);
        let exponent = self.exponent - zeros;
        if self.format == Format::DecimalExponent {
            write_zeros(f, zeros)?;
            return if exponent == 0 {
                Ok(())
            } else {
                write!(f, "e{exponent}")
            };
        }
        let (suffix, more) = suffix(exponent);
        write_zeros(f, zeros + more)?;
        f.write_str(suffix)
    }

    /// The number to be written with a binary suffix.
    fn binary(&self) -> Option<u128> {
        let up = u32::try_from(self.exponent).ok()?;
        let number = self.digits.scaled(up)?;
        (self.format == Format::BinarySI && number >= 1024).then_some(number)
    }
}

fn write_zeros(f: &mut fmt::Formatter<'_>, count: i64) -> fmt::Result {
    (0..count).try_for_each(|_| f.write_str("0"))
}
