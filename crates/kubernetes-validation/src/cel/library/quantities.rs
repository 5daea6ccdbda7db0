//! Quantities, such as `1Gi`.

use std::cmp::Ordering;

use kubernetes_kinds::quantity::Amount;

use super::{Failure, Result};

/// A quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity(Amount);

/// Reads a quantity.
#[inline]
pub fn quantity(text: &str) -> Result<Quantity> {
    Amount::parse(text).map(Quantity).map_err(|_| Failure::Form)
}

/// Returns true for what [`quantity`] reads.
#[must_use]
#[inline]
pub fn is_quantity(text: &str) -> bool {
    kubernetes_kinds::quantity::check(text).is_ok()
}

impl Quantity {
    /// Returns true if it is more than another.
    #[must_use]
    #[inline]
    pub fn is_greater_than(&self, other: &Self) -> bool {
        self.0 > other.0
    }

    /// Returns true if it is less than another.
    #[must_use]
    #[inline]
    pub fn is_less_than(&self, other: &Self) -> bool {
        self.0 < other.0
    }

    /// Returns -1, 0 or 1 for less, as much or more.
    #[must_use]
    #[inline]
    pub fn compare_to(&self, other: &Self) -> i64 {
        match self.0.cmp(&other.0) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }
    }

    /// Returns -1, 0 or 1 for less than nothing, nothing or more.
    #[must_use]
    #[inline]
    pub fn sign(&self) -> i64 {
        match (self.0.is_negative(), self.0.is_zero()) {
            (true, _) => -1,
            (_, true) => 0,
            _ => 1,
        }
    }

    /// Returns the sum with another.
    #[inline]
    pub fn add(&self, other: &Self) -> Result<Self> {
        self.0
            .checked_add(&other.0)
            .map(Self)
            .ok_or(Failure::Overflow)
    }

    /// Returns the sum with a number.
    #[inline]
    pub fn add_whole(&self, other: i64) -> Result<Self> {
        self.add(&Self(other.into()))
    }

    /// Returns the difference from another.
    #[inline]
    pub fn sub(&self, other: &Self) -> Result<Self> {
        self.0
            .checked_sub(&other.0)
            .map(Self)
            .ok_or(Failure::Overflow)
    }

    /// Returns the difference from a number.
    #[inline]
    pub fn sub_whole(&self, other: i64) -> Result<Self> {
        self.sub(&Self(other.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities() {
        let read = |text| quantity(text).unwrap_or(Quantity(7_i64.into()));
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
}
