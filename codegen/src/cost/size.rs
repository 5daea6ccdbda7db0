//! Sizes of values, and costs.

/// The least and the greatest number of elements, characters or bytes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) min: u64,
    pub(super) max: u64,
}

impl Size {
    /// The size of a value of which nothing is known.
    pub(super) const UNKNOWN: Self = Self {
        min: 0,
        max: u64::MAX,
    };

    /// The size of no value, for the union with others.
    pub(super) const NONE: Self = Self {
        min: u64::MAX,
        max: 0,
    };

    pub(super) const fn fixed(size: u64) -> Self {
        Self {
            min: size,
            max: size,
        }
    }

    pub(super) const fn up_to(max: u64) -> Self {
        Self { min: 0, max }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_add(other.min),
            max: self.max.saturating_add(other.max),
        }
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_mul(other.min),
            max: self.max.saturating_mul(other.max),
        }
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }
}

/// The cost of reading so many characters or elements, each of which costs a part of a unit.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)]
pub(super) fn scaled(size: u64, factor: f64) -> u64 {
    // A server counts in numbers of this type too. The conversion back ends at the greatest number.
    (size as f64 * factor).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::scaled;

    #[test]
    fn costs_are_rounded_up_and_end_at_the_greatest_number() {
        assert_eq!(scaled(0, 0.1), 0);
        assert_eq!(scaled(11, 0.1), 2);
        assert_eq!(scaled(u64::MAX, 2.0), u64::MAX);
    }
}
