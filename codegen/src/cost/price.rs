//! The prices of calls of functions.

use super::estimate::{Estimator, NEW_LIST};
use super::path::{Path, Step};
use super::size::{Size, scaled};
use super::table::{Kept, NewList, Operand, Price};
use super::ty::Type;
use super::value::Value;

/// The cost of reading a character of a text.
pub(super) const TEXT: f64 = 0.1;

/// The cost of a character of a regular expression for each character that it is compared with.
const PATTERN: f64 = 0.25;

/// The length of a regular expression that isn't known.
const LONG_PATTERN: f64 = 128.0;

/// The target and operands of a call.
pub(super) struct Call<'a, 'v> {
    pub(super) target: Option<&'v Value<'a>>,
    pub(super) args: &'v [Value<'a>],
}

impl<'a, 'v> Call<'a, 'v> {
    fn operand(&self, operand: Operand) -> Option<&'v Value<'a>> {
        match operand {
            Operand::Target => self.target,
            Operand::First => self.args.first(),
        }
    }

    /// The target and the first operand, or the first two operands.
    fn pair(&self) -> Option<(&'v Value<'a>, &'v Value<'a>)> {
        match (self.target, self.args) {
            (Some(target), [arg, ..]) => Some((target, arg)),
            (None, [a, b, ..]) => Some((a, b)),
            _ => None,
        }
    }
}

/// A price, and the size of the result.
type Priced = (u64, Option<Size>);

impl<'a> Estimator<'a> {
    /// The price of a call beside its operands, and the size of the result.
    pub(super) fn price(&mut self, price: Price, call: &Call<'a, '_>) -> Option<Priced> {
        Some(match price {
            Price::Fixed(price) => (price, None),
            Price::Reads(operand, times, kept) => {
                let size = self.size_or_unknown(call.operand(operand)?);
                let price = scaled(size.max, f64::from(times) * TEXT);
                (price, kept_size(kept, size))
            }
            Price::Decodes => self.decoded(call.args.first()?),
            Price::Encodes => self.encoded(call.args.first()?),
            Price::Compares => (self.each(call.target?), None),
            Price::Contains => {
                let (text, part) = call.pair()?;
                (self.read(text).saturating_mul(self.read(part)), None)
            }
            Price::Matches => (self.matched(call)?, None),
            Price::Finds => {
                let found = self.size_or_unknown(call.target?).max;
                (self.matched(call)?, Some(Size::up_to(found)))
            }
            Price::Validates => {
                let read = self.read(call.args.first()?);
                (scaled(read, LONG_PATTERN * PATTERN), None)
            }
            Price::Replaces => self.replaced(call)?,
            Price::Splits => self.split(call)?,
            Price::Joins => self.joined(call)?,
            Price::Addresses(price) => {
                let other = call.args.first()?;
                let text = match other.ty.may_be(Type::is_text) {
                    true => self.read(other),
                    false => 0,
                };
                (price.saturating_add(text), None)
            }
            Price::Lists(made) => self.new_list(made, call)?,
            Price::Sets(times) => {
                let (a, b) = call.pair()?;
                let pairs = self.size_or_unknown(a).times(self.size_or_unknown(b));
                (scaled(pairs.max, f64::from(times)).saturating_add(1), None)
            }
        })
    }

    /// The cost of reading a text.
    fn read(&mut self, text: &Value<'a>) -> u64 {
        scaled(self.size_or_unknown(text).max, TEXT)
    }

    /// A text of a value.
    fn decoded(&mut self, value: &Value<'a>) -> Priced {
        if !value.ty.may_be(Type::is_bytes) {
            return (1, None);
        }
        let size = self.size_or_unknown(value);
        let made = Size {
            min: size.min / 4,
            max: size.max,
        };
        let least = u64::from(!value.ty.is_bytes());
        (scaled(size.max, TEXT).max(least), Some(made))
    }

    /// Bytes of a value.
    fn encoded(&mut self, value: &Value<'a>) -> Priced {
        if !value.ty.may_be(Type::is_text) {
            return (1, None);
        }
        let size = self.size_or_unknown(value);
        let made = Size {
            min: size.min,
            max: size.max.wrapping_mul(4),
        };
        let least = u64::from(!value.ty.is_text());
        (scaled(size.max, TEXT).max(least), Some(made))
    }

    /// The cost of comparing each element of a list, or each character of a text.
    fn each(&mut self, target: &Value<'a>) -> u64 {
        let count = self.size_or_unknown(target).max;
        let Some(element) = target.ty.parameter() else {
            return scaled(count, TEXT);
        };
        let length = match element.is_text() || element.is_bytes() {
            true => scaled(self.element_size(&target.path).max, TEXT),
            false => 0,
        };
        count.saturating_mul(length.saturating_add(1))
    }

    /// The size of the elements of a list at a place of the object.
    fn element_size(&mut self, list: &Path) -> Size {
        let found = match list.is_empty() {
            true => None,
            false => self.size_at(&list.copy_then(Step::Items)),
        };
        found.unwrap_or(Size::UNKNOWN)
    }

    /// The cost of comparing a text with a regular expression.
    fn matched(&mut self, call: &Call<'a, '_>) -> Option<u64> {
        let (text, pattern) = call.pair()?;
        let text = self.size_or_unknown(text).plus(Size::fixed(1));
        let pattern = scaled(self.size_or_unknown(pattern).max, PATTERN);
        Some(scaled(text.max, TEXT).saturating_mul(pattern))
    }

    fn replaced(&mut self, call: &Call<'a, '_>) -> Option<Priced> {
        let [old, new, ..] = call.args else {
            return None;
        };
        let text = self.size_or_unknown(call.target?);
        let (old, new) = (self.size_or_unknown(old), self.size_or_unknown(new));
        let times = |of: u64, each: u64| of.div_ceil(each);
        let most = match old.min {
            // It is then put before each character and at the end.
            0 => (text.max.saturating_add(1), text.max),
            _ if new.max <= old.min => (0, text.max),
            least => (times(text.max, least), 0),
        };
        let fewest = match old.max {
            0 => (text.min.saturating_add(1), text.min),
            _ if old.max <= new.min => (0, text.min),
            longest => (times(text.min, longest), 0),
        };
        let size = Size {
            min: fewest.0.saturating_mul(new.min).saturating_add(fewest.1),
            max: most.0.saturating_mul(new.max).saturating_add(most.1),
        };
        Some((scaled(text.max, 2.0 * TEXT), Some(size)))
    }

    fn split(&mut self, call: &Call<'a, '_>) -> Option<Priced> {
        let text = self.size_or_unknown(call.target?);
        let limit = call.args.get(1).and_then(|limit| limit.number);
        // A limit below 0 is read as a great number.
        let most = limit.map_or(text.max, i64::cast_unsigned);
        Some((scaled(text.max, 2.0 * TEXT), Some(Size::up_to(most))))
    }

    fn joined(&mut self, call: &Call<'a, '_>) -> Option<Priced> {
        let target = call.target?;
        let count = self.size_or_unknown(target);
        let mut size = match target.ty.parameter() {
            Some(_) => count.times(self.element_size(&target.path)),
            None => Size::fixed(0),
        };
        if let Some(between) = call.args.first() {
            let times = Size {
                min: count.min.saturating_sub(1),
                max: count.max.saturating_sub(1),
            };
            size = size.plus(self.size_or_unknown(between).times(times));
        }
        Some((scaled(size.max, TEXT), Some(size)))
    }

    /// A new list, which costs so much for each of its elements.
    fn new_list(&mut self, made: NewList, call: &Call<'a, '_>) -> Option<Priced> {
        let number = |nth: usize| call.args.get(nth).and_then(Value::count);
        let mut target = || Some(self.size_or_unknown(call.target?));
        let (factor, size) = match made {
            NewList::Distinct => (2.0, target().map(|size| size.times(size))?),
            NewList::Flat => (depth(call), target()?),
            NewList::Range => (1.0, Size::fixed(number(0).unwrap_or(u64::MAX))),
            NewList::Reversed => (1.0, target()?),
            NewList::Slice => {
                let end = number(1).unwrap_or(target()?.max);
                (1.0, Size::fixed(end.wrapping_sub(number(0).unwrap_or(0))))
            }
            NewList::Sorted => self.sorted(call.target?),
            NewList::SortedBy => self.sorted(call.args.first()?),
        };
        let price = scaled(size.max, factor).saturating_add(1 + NEW_LIST);
        Some((price, Some(size)))
    }

    /// The pairs of keys that are compared, and the cost of each.
    fn sorted(&mut self, keys: &Value<'a>) -> (f64, Size) {
        let size = self.size_or_unknown(keys);
        let is_text = |of: &Type<'_>| of.may_be(Type::is_text) || of.may_be(Type::is_bytes);
        let factor = match keys.ty.parameter().is_none_or(is_text) {
            true => 2.0 + TEXT,
            false => 2.0,
        };
        (factor, size.times(size))
    }
}

/// The number of lists in each other that become one.
#[allow(clippy::cast_precision_loss)]
fn depth(call: &Call<'_, '_>) -> f64 {
    match call.args.first() {
        Some(depth) => depth.count().unwrap_or(u64::MAX) as f64,
        None => 1.0,
    }
}

/// The size of the result of a function that reads a text.
fn kept_size(kept: Kept, size: Size) -> Option<Size> {
    match kept {
        Kept::Nothing => None,
        Kept::Size => Some(size),
        // Each character can be escaped. The greatest number goes round, as with a server.
        Kept::Quoted => Some(Size {
            min: size.min.wrapping_add(2),
            max: size.max.wrapping_mul(2).wrapping_add(2),
        }),
    }
}
