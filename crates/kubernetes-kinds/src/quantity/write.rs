//! Formats quantities.

use std::fmt;

use super::amount::{Amount, Format};

/// The suffixes of powers of 1000, from nano on, and those of powers of 1024.
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// Displays an amount as Kubernetes does, even where that changes the value.
pub(super) struct Served<'a>(&'a Amount);

impl fmt::Display for Amount {
    /// The canonical form: a whole number, negative or not, and the largest suffix of the
    /// family that allows for one.
    ///
    /// Values below 1024 and fractions have decimal instead of binary suffixes, and from 10²¹ on an
    /// exponent replaces a decimal suffix. Parsing the text gives the same value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, false)
    }
}

impl fmt::Display for Served<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, true)
    }
}

impl Served<'_> {
    /// Returns true if the quantity is displayed as `text`.
    pub(super) fn is(&self, text: &str) -> bool {
        let mut rest = Rest(text);
        fmt::write(&mut rest, format_args!("{self}")).is_ok() && rest.0.is_empty()
    }
}

/// The rest of a text, from whose start everything that is written is removed.
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

    /// `as_served` omits the suffix if there is none for the exponent.
    fn write(&self, f: &mut fmt::Formatter<'_>, as_served: bool) -> fmt::Result {
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
        (0..zeros).try_for_each(|_| f.write_str("0"))?;
        let exponent = self.exponent - zeros;
        let step = usize::try_from(exponent / 3 + 3);
        match step.ok().and_then(|step| DECIMAL.get(step)) {
            _ if exponent == 0 => Ok(()),
            Some(suffix) if self.format != Format::DecimalExponent => f.write_str(suffix),
            None if self.format != Format::DecimalExponent && as_served => Ok(()),
            _ => write!(f, "e{exponent}"),
        }
    }

    /// Returns the number to write with a binary suffix.
    fn binary(&self) -> Option<u128> {
        let up = u32::try_from(self.exponent).ok()?;
        let number = self.digits.scaled(up)?;
        (self.format == Format::BinarySI && number >= 1024).then_some(number)
    }
}
