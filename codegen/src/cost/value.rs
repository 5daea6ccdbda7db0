//! Expressions whose cost has been estimated.

use std::cell::Cell;

use super::path::Path;
use super::size::Size;
use super::ty::Type;

/// An expression, as far as it is known.
#[derive(Debug)]
pub(super) struct Value<'a> {
    /// The greatest cost of its evaluation.
    pub(super) cost: u64,
    pub(super) ty: Type<'a>,
    /// The place of the value, if it is a part of the object.
    pub(super) path: Path,
    /// The size, once it is known. It is found when it is asked for: ways change meanwhile.
    pub(super) size: Cell<Option<Size>>,
    /// The size of what is written in the rule itself.
    pub(super) written: Option<Size>,
    /// The size that a variable of a macro has if nothing else says it.
    pub(super) of_variable: Option<Size>,
    /// The sizes of the elements, if they are known.
    pub(super) elements: Option<Elements>,
    /// The number, if it is one that the rule has.
    pub(super) number: Option<i64>,
}

/// The sizes of keys and values in a list or map that isn't a part of the object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    pub(super) is_list: bool,
    pub(super) key: Size,
    pub(super) value: Size,
}

impl Elements {
    pub(super) fn union(self, other: Self) -> Self {
        Self {
            is_list: self.is_list,
            key: self.key.union(other.key),
            value: self.value.union(other.value),
        }
    }
}

/// The sizes of the elements of a value that is one of two, or made of both.
pub(super) fn union(a: &Value<'_>, b: &Value<'_>) -> Option<Elements> {
    Some(a.elements?.union(b.elements?))
}

impl<'a> Value<'a> {
    /// A value that is no part of the object.
    pub(super) fn new(ty: Type<'a>, cost: u64) -> Self {
        Self {
            cost,
            ty,
            path: Path::default(),
            size: Cell::new(None),
            written: None,
            of_variable: None,
            elements: None,
            number: None,
        }
    }

    /// The same with a size, if it is known.
    pub(super) fn with_size(self, size: Option<Size>) -> Self {
        if size.is_some() {
            self.size.set(size);
        }
        self
    }

    /// Returns the number that the rule has here, as one without a sign.
    pub(super) fn count(&self) -> Option<u64> {
        self.number.map(|number| u64::try_from(number).unwrap_or(0))
    }
}
