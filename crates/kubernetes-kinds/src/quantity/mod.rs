//! Quantities by their value, exactly: `1Gi` is `1024Mi` and `0.5` is `500m`.
//!
//! `k8s_openapi`'s `Quantity` is a string. [`Amount`] is its value, as Kubernetes' own code
//! parses it: it accepts the same strings, rounds fractions of a nano away from zero, and limits
//! binary quantities to 2⁶³−1; decimal quantities have no limit. Values of up to 38 digits are
//! parsed and compared without allocation.
//!
//! [`canonical`] returns the string that an API server returns for a quantity.
//!
//! Write quantities as strings. A server also takes numbers, and of JSON keeps all their digits.
//! `k8s_openapi`'s types read one of more than 15 digits as another amount. The generated types
//! refuse it, and read it with `kubernetes-manifests`.
//!
//! ```
//! use kubernetes_kinds::quantity::{Amount, canonical};
//! use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
//!
//! let capacity = Amount::try_from(&Quantity("1.5Gi".to_owned()))?;
//! assert_eq!(capacity, Amount::parse("1536Mi")?);
//! assert!(capacity > Amount::from(1_500_000_000_u64));
//! assert_eq!(capacity.to_u64(), Some(1_610_612_736));
//! assert_eq!(capacity.to_string(), "1536Mi");
//! assert_eq!(canonical("1024Mi")?, "1Gi");
//! # Ok::<(), kubernetes_kinds::quantity::QuantityError>(())
//! ```
//!
//! Facts as of Kubernetes 1.37, `k8s.io/apimachinery/pkg/api/resource`.

mod amount;
mod digits;
mod error;
mod parse;
mod wrapping;
mod write;

use std::borrow::Cow;

pub use amount::{Amount, Format};
pub use error::QuantityError;
use parse::Parts;
pub use wrapping::{wrapping_milli_value, wrapping_value};

/// Checks that a text is a quantity, which costs less than [`Amount::parse`].
///
/// # Errors
///
/// When the text isn't a quantity.
pub fn check(text: &str) -> Result<(), QuantityError> {
    Parts::split(text)?.check()
}

/// Returns the string that an API server returns for a quantity, without white space around it.
///
/// A text that is close to the canonical form stays as it is, such as `1.500` or `+1Gi`; any other
/// text becomes the canonical form, as [`Amount`] displays it. An unchanged text is not allocated.
///
/// From 10²¹ on, Kubernetes 1.37 writes a quantity with a decimal suffix without the suffix:
/// `1000E` becomes `1`. So does this function.
///
/// # Errors
///
/// When the text isn't a quantity.
pub fn canonical(text: &str) -> Result<Cow<'_, str>, QuantityError> {
    let text = text.trim();
    let parts = Parts::split(text)?;
    let amount = parts.amount()?;
    if parts.is_kept() {
        return Ok(Cow::Borrowed(text));
    }
    let served = amount.served();
    Ok(if served.is(text) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(served.to_string())
    })
}
