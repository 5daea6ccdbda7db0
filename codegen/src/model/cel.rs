//! Rules in CEL, as typed expressions that can be written as Rust.

use serde::Serialize;

use super::{ErrorType, Ty, terms};
use crate::name::Ident;

/// A rule in CEL, of `x-kubernetes-validations`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CelRule {
    /// The text of the rule, as in the document.
    pub(crate) text: String,
    /// The message of the error, where the rule has one.
    pub(crate) message: Option<String>,
    #[serde(serialize_with = "terms::serialize")]
    pub(crate) error_type: ErrorType,
    /// The fields below the value at which the error is reported.
    pub(crate) below: Vec<String>,
    /// True if it compares an update with what is stored.
    pub(crate) compares: bool,
    #[serde(skip)]
    pub(crate) holds: Node,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// The value that is checked.
    New,
    /// The stored value.
    Old,
    /// A variable of a macro.
    Variable(Ident),
    /// A field of a struct.
    Field(CelField),
    /// A value of a map.
    Entry(Box<Node>, Box<Node>),
    /// An element of a list.
    Element(Box<Node>, Box<Node>),
    /// The value in a place.
    Read(Box<Node>, ReadAs),
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
    /// True if an optional field is set.
    IsSet(CelField),
    HasKey(Box<Node>, Box<Node>),
    Not(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    If(Box<Node>, Box<Node>, Box<Node>),
    /// An operator of Rust that means the same.
    Operator(&'static str, Box<Node>, Box<Node>),
    /// A function of `kubernetes_validation::cel` that can fail.
    Function(&'static str, Vec<Node>),
    /// A function of `kubernetes_validation::cel` that always has a result.
    Sure(&'static str, Vec<Node>),
    /// A method of Rust's texts.
    Method(Box<Node>, &'static str, Vec<Node>),
    /// The same, where it makes a new text.
    Made(Box<Node>, &'static str, Vec<Node>),
    /// Texts, one after the other.
    Joined(Vec<Node>),
    /// The texts of a list, with another between them.
    Join(Box<Node>, Box<Node>),
    /// A list of values, which it has to own if they are texts.
    List(Vec<Node>, CelType),
    /// A list in a place, as a slice.
    Slice(Box<Node>),
    /// A slice without elements.
    NoElements,
    /// A map without entries.
    NoEntries,
    Matches(Box<Node>, String),
    /// The number of characters of a text.
    Characters(Box<Node>),
    /// The number of elements of a list or map.
    Length(Box<Node>),
    /// True if a value is one of these.
    Among(Box<Node>, Vec<Node>),
    /// A macro over elements.
    Loop(Macro, Box<Node>, Ident, Box<Node>),
    /// The elements of a list in a place, or the keys of a map.
    Items(Box<Node>, Iterable),
    /// An optional value: the field of a struct.
    Optional(CelField),
    /// An optional value: a field of an optional value.
    OptionalBelow(Box<Node>, CelField),
    HasValue(Box<Node>),
    /// An optional value, or another value in its place.
    OrValue(Box<Node>, ReadAs, Box<Node>),
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub(crate) struct CelField {
    pub(crate) of: Box<Node>,
    pub(crate) name: Ident,
    /// The name on the wire.
    pub(crate) json: String,
    pub(crate) is_optional: bool,
}

/// The form in which the value in a place is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadAs {
    /// The value as it is.
    Copied,
    /// A whole number of 64 bits.
    Whole,
    /// The same, of a number without sign.
    Unsigned,
    /// A number with a fraction, of 64 bits.
    Fraction,
    /// A string slice.
    Text,
    /// A reference.
    Borrowed,
}

/// The collection that is iterated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Iterable {
    Elements,
    Keys,
    /// The result of another macro.
    Made,
}

/// A macro of CEL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Macro {
    All,
    Exists,
    ExistsOne,
    Filter,
    /// The same of values.
    Select,
    Map,
    /// The same, of texts, which it has to own.
    MapToTexts,
}

/// The type of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CelType {
    Bool,
    Int,
    Double,
    /// A number of nanoseconds.
    Duration,
    Url,
    Text,
    /// A place with a value of the type, which is none of the above.
    Place(Ty),
    /// Elements of the type, of which each is in a place.
    Kept(Ty),
    /// Values.
    Made(Box<CelType>),
    /// A place that there may be.
    Optional(Ty),
}

impl Node {
    /// `!of`, without constants.
    pub(crate) fn not(of: Self) -> Self {
        match of {
            Self::Bool(flag) => Self::Bool(!flag),
            Self::Not(of) => *of,
            of => Self::Not(Box::new(of)),
        }
    }

    /// `a && b`, without constants.
    pub(crate) fn and(a: Self, b: Self) -> Self {
        match (a, b) {
            (Self::Bool(false), _) | (_, Self::Bool(false)) => Self::Bool(false),
            (Self::Bool(true), other) | (other, Self::Bool(true)) => other,
            (a, b) => Self::And(Box::new(a), Box::new(b)),
        }
    }

    /// `a || b`, without constants.
    pub(crate) fn or(a: Self, b: Self) -> Self {
        match (a, b) {
            (Self::Bool(true), _) | (_, Self::Bool(true)) => Self::Bool(true),
            (Self::Bool(false), other) | (other, Self::Bool(false)) => other,
            (a, b) => Self::Or(Box::new(a), Box::new(b)),
        }
    }

    /// `condition ? then : otherwise`, without constants.
    pub(crate) fn choice(condition: Self, then: Self, otherwise: Self) -> Self {
        match (condition, then, otherwise) {
            (Self::Bool(true), chosen, _) | (Self::Bool(false), _, chosen) => chosen,
            (condition, Self::Bool(true), Self::Bool(false)) => condition,
            (condition, Self::Bool(false), Self::Bool(true)) => Self::not(condition),
            (condition, then, otherwise) => {
                Self::If(Box::new(condition), Box::new(then), Box::new(otherwise))
            }
        }
    }

    /// Returns true if it can have no result.
    pub(crate) fn fails(&self) -> bool {
        let any = |nodes: &[Self]| nodes.iter().any(Self::fails);
        match self {
            Self::New
            | Self::Old
            | Self::Variable(_)
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Double(_)
            | Self::Text(_)
            | Self::NoElements
            | Self::NoEntries => false,
            Self::Field(field) => field.is_optional || field.of.fails(),
            Self::IsSet(field) | Self::Optional(field) => field.of.fails(),
            Self::Entry(..) | Self::Element(..) | Self::Function(..) => true,
            Self::Read(of, _)
            | Self::Not(of)
            | Self::Matches(of, _)
            | Self::Characters(of)
            | Self::Length(of)
            | Self::Items(of, _)
            | Self::OptionalBelow(of, _)
            | Self::HasValue(of)
            | Self::Slice(of) => of.fails(),
            Self::HasKey(a, b)
            | Self::And(a, b)
            | Self::Or(a, b)
            | Self::Operator(_, a, b)
            | Self::Join(a, b)
            | Self::OrValue(a, _, b) => a.fails() || b.fails(),
            Self::If(a, b, c) => a.fails() || b.fails() || c.fails(),
            Self::Method(on, _, with) | Self::Made(on, _, with) => on.fails() || any(with),
            Self::Among(value, list) => value.fails() || any(list),
            Self::Joined(parts) | Self::Sure(_, parts) | Self::List(parts, _) => any(parts),
            Self::Loop(how, items, _, body) => {
                let is_plain = matches!(how, Macro::All | Macro::Exists);
                !is_plain || items.fails() || body.fails()
            }
        }
    }

    /// Returns true if it or what is in it is so.
    pub(crate) fn any(&self, is: &mut dyn FnMut(&Self) -> bool) -> bool {
        if is(self) {
            return true;
        }
        match self {
            Self::New
            | Self::Old
            | Self::Variable(_)
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Double(_)
            | Self::Text(_)
            | Self::NoElements
            | Self::NoEntries => false,
            Self::Field(field) | Self::IsSet(field) | Self::Optional(field) => field.of.any(is),
            Self::Read(of, _)
            | Self::Not(of)
            | Self::Matches(of, _)
            | Self::Characters(of)
            | Self::Length(of)
            | Self::Items(of, _)
            | Self::OptionalBelow(of, _)
            | Self::HasValue(of)
            | Self::Slice(of) => of.any(is),
            Self::Entry(a, b)
            | Self::Element(a, b)
            | Self::HasKey(a, b)
            | Self::And(a, b)
            | Self::Or(a, b)
            | Self::Operator(_, a, b)
            | Self::Join(a, b)
            | Self::Loop(_, a, _, b)
            | Self::OrValue(a, _, b) => a.any(is) || b.any(is),
            Self::If(a, b, c) => a.any(is) || b.any(is) || c.any(is),
            Self::Function(_, with)
            | Self::Sure(_, with)
            | Self::Joined(with)
            | Self::List(with, _) => with.iter().any(|node| node.any(is)),
            Self::Method(on, _, with) | Self::Made(on, _, with) | Self::Among(on, with) => {
                on.any(is) || with.iter().any(|node| node.any(is))
            }
        }
    }

    /// Returns true if it reads what is stored.
    pub(crate) fn compares(&self) -> bool {
        self.any(&mut |node| matches!(node, Self::Old))
    }

    /// Returns true if it has a regular expression.
    pub(crate) fn has_pattern(&self) -> bool {
        self.any(&mut |node| matches!(node, Self::Matches(..)))
    }
}
