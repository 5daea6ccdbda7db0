//! Reads quantities, which a server takes as numbers too.

use std::cell::Cell;
use std::fmt;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::serde::de::{Deserialize, Deserializer, Error, MapAccess, Unexpected, Visitor};

/// The most digits that every float of 64 bits keeps.
const DIGITS: usize = 15;

/// Reads the quantity that follows a key into `slot`; `null` leaves that as it is.
///
/// A server keeps the text of a number, as in `18446744073709551616` and `1e3`. `serde_json` reads
/// numbers of 64 bits: where digits may be lost, the number is refused; `1e3` is read as `1000`,
/// the same amount; `1e309` can't be read. `kubernetes-manifests` keeps the text.
///
/// # Errors
///
/// When the value is neither a text nor a number whose digits are known, or the input is invalid.
pub fn read_quantity<'de, M: MapAccess<'de>, T: From<Quantity>>(
    map: &mut M,
    slot: &mut T,
) -> Result<(), M::Error> {
    if let Some(Measured(quantity)) = map.next_value()? {
        *slot = quantity.into();
    }
    Ok(())
}

/// Reads the quantity of a custom resource that follows a key into `slot`, as [`read_quantity`]
/// does. Its schema takes integers and texts: `1.5` is refused.
///
/// # Errors
///
/// When the value is neither a text nor an integer, or the input is invalid.
pub fn read_custom_quantity<'de, M: MapAccess<'de>, T: From<Quantity>>(
    map: &mut M,
    slot: &mut T,
) -> Result<(), M::Error> {
    if let Some(IntOrText(text)) = map.next_value()? {
        *slot = Quantity(text).into();
    }
    Ok(())
}

struct IntOrText(String);

impl<'de> Deserialize<'de> for IntOrText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = QuantityVisitor { is_whole: true };
        deserializer.deserialize_any(visitor).map(Self)
    }
}

/// A quantity of the input.
pub(super) struct Measured(pub Quantity);

impl<'de> Deserialize<'de> for Measured {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = QuantityVisitor { is_whole: false };
        let text = deserializer.deserialize_newtype_struct("Quantity", visitor)?;
        Ok(Self(Quantity(text)))
    }
}

impl From<Measured> for Quantity {
    fn from(measured: Measured) -> Self {
        measured.0
    }
}

struct QuantityVisitor {
    /// True if a number has to be an integer.
    is_whole: bool,
}

impl<'de> Visitor<'de> for QuantityVisitor {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a quantity")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, other: D) -> Result<String, D::Error> {
        other.deserialize_any(self)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<String, E> {
        if self.is_whole && value.fract() != 0.0 {
            return Err(E::invalid_type(
                Unexpected::Float(value),
                &"an integer or a text",
            ));
        }
        of_float(value).map_err(E::custom)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<String, E> {
        Ok(value.to_owned())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<String, E> {
        Ok(value)
    }
}

thread_local! {
    static HAS_FLOAT: Cell<bool> = const { Cell::new(false) };
}

/// Returns true if this thread has read a quantity from a float, whose text isn't known, since the
/// last call.
pub fn take_float() -> bool {
    HAS_FLOAT.take()
}

/// Returns the quantity that a float was read from.
fn of_float(value: f64) -> Result<String, String> {
    HAS_FLOAT.set(true);
    let text = format!("{value:e}");
    let mantissa = text.split('e').next().unwrap_or_default();
    if mantissa.bytes().filter(u8::is_ascii_digit).count() > DIGITS {
        return Err(format!(
            "{value} is a quantity of more than {DIGITS} digits, which a number may not keep: write \
             it in quotes"
        ));
    }
    Ok(value.to_string())
}
