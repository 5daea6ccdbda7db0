//! Types of expressions.

use std::rc::Rc;

use super::shape::{Shape, Sort};

/// The type of an expression.
#[derive(Clone, Debug)]
pub(super) enum Type<'a> {
    Bool,
    Int,
    Uint,
    Double,
    Text,
    Bytes,
    Duration,
    Time,
    Null,
    /// A type as a value.
    Kind,
    /// Any type, which is known at run time.
    Dynamic,
    /// A type that nothing has said yet, as that of the elements of an empty list.
    Open,
    List(Rc<Type<'a>>),
    Map(Rc<Type<'a>>, Rc<Type<'a>>),
    Object(&'a Shape),
    Optional(Rc<Type<'a>>),
    Named(Named),
}

/// A type of Kubernetes' libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Cidr,
    Format,
    Ip,
    Quantity,
    Semver,
    Url,
}

impl<'a> Type<'a> {
    /// The type of values of a shape.
    pub(super) fn of(shape: &'a Shape) -> Self {
        match &shape.sort {
            Sort::Bool => Self::Bool,
            Sort::Int => Self::Int,
            Sort::Double => Self::Double,
            Sort::Text => Self::Text,
            Sort::Bytes => Self::Bytes,
            Sort::Duration => Self::Duration,
            Sort::Time => Self::Time,
            Sort::Dynamic => Self::Dynamic,
            Sort::List(items) => Self::list(Self::of(items)),
            Sort::Map(values) => Self::map(Self::Text, Self::of(values)),
            Sort::Object(_) => Self::Object(shape),
        }
    }

    pub(super) fn list(items: Self) -> Self {
        Self::List(Rc::new(items))
    }

    pub(super) fn map(keys: Self, values: Self) -> Self {
        Self::Map(Rc::new(keys), Rc::new(values))
    }

    pub(super) fn optional(of: Self) -> Self {
        Self::Optional(Rc::new(of))
    }

    /// Returns true if values of the type may be texts, lists and the like, as `is_it` says.
    pub(super) fn may_be(&self, is_it: fn(&Self) -> bool) -> bool {
        self.is_unknown() || is_it(self)
    }

    /// Returns true if the type is known at run time only.
    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Self::Dynamic | Self::Open)
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::Text)
    }

    pub(super) fn is_bytes(&self) -> bool {
        matches!(self, Self::Bytes)
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self, Self::List(_))
    }

    pub(super) fn is_map(&self) -> bool {
        matches!(self, Self::Map(..))
    }

    /// Returns true if all values of the type are of one size.
    pub(super) fn is_plain(&self) -> bool {
        match self {
            Self::Bool | Self::Double | Self::Int | Self::Uint => true,
            Self::Duration | Self::Time => true,
            Self::Optional(of) => of.is_plain(),
            _ => false,
        }
    }

    /// The type of the elements of a list or the values of a map.
    pub(super) fn inside(&self) -> Option<Self> {
        match self {
            Self::List(inside) | Self::Map(_, inside) => Some((**inside).clone()),
            unknown if unknown.is_unknown() => Some(Self::Dynamic),
            _ => None,
        }
    }

    /// The type of the first of the types that a list, map or optional value is of.
    pub(super) fn parameter(&self) -> Option<&Self> {
        match self {
            Self::List(of) | Self::Map(of, _) | Self::Optional(of) => Some(of),
            _ => None,
        }
    }

    /// The type of a value that is one of two.
    pub(super) fn join(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Open | Self::Null, known) => known.clone(),
            (Self::Dynamic, _) | (_, Self::Dynamic) => Self::Dynamic,
            (Self::List(a), Self::List(b)) => Self::list(a.join(b)),
            (Self::Optional(a), Self::Optional(b)) => Self::optional(a.join(b)),
            (Self::Map(a, b), Self::Map(c, d)) => Self::map(a.join(c), b.join(d)),
            (known, _) => known.clone(),
        }
    }

    /// The type of a list without what is still open.
    pub(super) fn closed(self) -> Self {
        match self {
            Self::Open => Self::Dynamic,
            other => other,
        }
    }
}
