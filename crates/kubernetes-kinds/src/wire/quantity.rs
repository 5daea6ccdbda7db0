//! Reads quantities, which a server takes as numbers too.

use std::fmt;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// The most digits that every float of 64 bits keeps.
const DIGITS: usize = 15;

/// Reads the quantity that follows a key into `slot`; `null` leaves that as it is.
///
/// A server keeps the digits of a number, as in `18446744073709551616`. One of 64 bits may not:
/// where digits may be lost, it is refused. `kubernetes-manifests` reads it.
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

/// A quantity of the input.
pub(super) struct Measured(pub Quantity);

impl<'de> Deserialize<'de> for Measured {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = deserializer.deserialize_newtype_struct("Quantity", QuantityVisitor)?;
        Ok(Self(Quantity(text)))
    }
}

struct QuantityVisitor;

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
        of_float(value).map_err(E::custom)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<String, E> {
        Ok(value.to_owned())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<String, E> {
        Ok(value)
    }
}

/// Returns the quantity that a float was read from.
fn of_float(value: f64) -> Result<String, String> {
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
