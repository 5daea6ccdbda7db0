use std::cmp::Ordering;
use std::fmt;

/// The most digits that are held in a number.
const SMALL: u32 = 38;

/// The significant digits of a value.
///
/// The number of digits decides the variant, so equal values have equal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Digits {
    /// Up to 38 digits.
    Small(u128),
    /// More than 38 digits, each from 0 to 9, the highest first.
    Large(Box<[u8]>),
}

impl Digits {
    pub(super) const ZERO: Self = Self::Small(0);

    /// A number of up to 38 digits.
    pub(super) fn small(number: u128) -> Option<Self> {
        (number < 10_u128.pow(SMALL)).then_some(Self::Small(number))
    }

    /// The `count` digits that come, of which the first is not 0, and 1 more in the last
    /// place if `up`.
    pub(super) fn collect(digits: impl Iterator<Item = u8>, count: usize, up: bool) -> Self {
        let digits = digits.take(count);
        if count <= SMALL as usize {
            let number = digits.fold(0, |number, digit| number * 10 + u128::from(digit));
            // At most 10³⁸ now, whose zeros are removed next.
            return Self::Small(number + u128::from(up));
        }
        let mut digits: Vec<u8> = digits.collect();
        if up {
            let nines = digits.iter().rev().take_while(|digit| **digit == 9).count();
            let rest = digits.len() - nines;
            digits[rest..].fill(0);
            match digits[..rest].last_mut() {
                Some(digit) => *digit += 1,
                None => digits.insert(0, 1),
            }
        }
        Self::Large(digits.into())
    }

    /// Removes zeros at the end and returns their number.
    pub(super) fn strip_zeros(&mut self) -> u32 {
        let mut zeros = 0;
        if let Self::Large(digits) = self {
            let end = digits
                .iter()
                .rposition(|digit| *digit != 0)
                .map_or(0, |i| i + 1);
            zeros = u32::try_from(digits.len() - end).unwrap_or(u32::MAX);
            *self = if end <= SMALL as usize {
                Self::collect(digits.iter().copied(), end, false)
            } else {
                Self::Large(digits[..end].into())
            };
        }
        if let Self::Small(number) = self {
            while *number > u64::MAX.into() && *number % 10 == 0 {
                *number /= 10;
                zeros += 1;
            }
            // Most numbers are so small, and dividing them is several times faster.
            if let Ok(mut short) = u64::try_from(*number) {
                while short != 0 && short % 10 == 0 {
                    short /= 10;
                    zeros += 1;
                }
                *number = short.into();
            }
        }
        zeros
    }

    fn count(&self) -> i64 {
        match self {
            Self::Small(number) => number.checked_ilog10().map_or(0, |log| i64::from(log) + 1),
            Self::Large(digits) => i64::try_from(digits.len()).unwrap_or(i64::MAX),
        }
    }

    /// The number times a power of ten, where that has up to 38 digits.
    pub(super) fn scaled(&self, exponent: u32) -> Option<u128> {
        let Self::Small(number) = self else {
            return None;
        };
        let number = number.checked_mul(10_u128.checked_pow(exponent)?)?;
        (number < 10_u128.pow(SMALL)).then_some(number)
    }

    /// The number times a power of ten, rounded up, where that fits.
    pub(super) fn whole(&self, exponent: i64) -> Option<u128> {
        if *self == Self::ZERO {
            return Some(0);
        }
        if let Ok(up) = u32::try_from(exponent) {
            return self.scaled(up);
        }
        let divisor = u32::try_from(-exponent)
            .ok()
            .and_then(|down| 10_u128.checked_pow(down));
        match (self, divisor) {
            (Self::Small(number), Some(divisor)) => Some(number.div_ceil(divisor)),
            (Self::Small(_), None) => Some(1),
            // Nothing is finer than a nano, so at least 30 digits are before the point.
            (Self::Large(_), _) => None,
        }
    }

    /// The lowest 64 bits of the number times a power of ten, rounded up.
    pub(super) fn wrapping(&self, exponent: i64) -> u64 {
        if let Some(whole) = self.whole(exponent) {
            return whole as u64;
        }
        let mut space = [0; SMALL as usize];
        let digits = self.bytes(&mut space);
        let down = usize::try_from(-exponent).unwrap_or(0);
        let kept = digits.len().saturating_sub(down);
        let number = digits[..kept].iter().fold(0_u64, |number, digit| {
            number.wrapping_mul(10).wrapping_add((*digit).into())
        });
        // The last digit isn't 0, so that something is lost where digits are.
        let number = number.wrapping_add(u64::from(kept < digits.len()));
        match u32::try_from(exponent) {
            Ok(up @ ..64) => number.wrapping_mul(10_u64.wrapping_pow(up)),
            // A power of ten with 64 factors of 2.
            _ if exponent > 0 => 0,
            _ => number,
        }
    }

    /// Compares `self · 10^exponent` with `other · 10^other_exponent`; neither is zero, and
    /// both are without zeros at the end.
    pub(super) fn cmp_scaled(&self, exponent: i64, other: &Self, other_exponent: i64) -> Ordering {
        let size = (self.count() + exponent).cmp(&(other.count() + other_exponent));
        size.then_with(|| match (self, other) {
            // Of the same size, so both have at most 38 digits at the lower exponent.
            (Self::Small(one), Self::Small(two)) => {
                let up = |by: i64| 10_u128.pow(u32::try_from(by).unwrap_or(0));
                let (one_up, two_up) = (exponent - other_exponent, other_exponent - exponent);
                (one * up(one_up)).cmp(&(two * up(two_up)))
            }
            _ => {
                let (mut one, mut two) = ([0; SMALL as usize], [0; SMALL as usize]);
                self.bytes(&mut one).cmp(other.bytes(&mut two))
            }
        })
    }

    /// The digits, each from 0 to 9, the highest first; `space` is for those of a number.
    fn bytes<'a>(&'a self, space: &'a mut [u8; SMALL as usize]) -> &'a [u8] {
        let mut number = match self {
            Self::Small(number) => *number,
            Self::Large(digits) => return digits,
        };
        let mut start = space.len();
        while number != 0 && start > 0 {
            start -= 1;
            space[start] = (number % 10) as u8;
            number /= 10;
        }
        &space[start..]
    }
}

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Small(number) => write!(f, "{number}"),
            Self::Large(digits) => digits.iter().try_for_each(|digit| write!(f, "{digit}")),
        }
    }
}
