//! Rules in CEL, as typed expressions that can be written as Rust.

use serde::Serialize;

use super::{ErrorType, Sameness, Ty, terms};
use crate::expression::Expression;
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
    /// The use that it makes of what is stored.
    pub(crate) stored: Stored,
    #[serde(skip)]
    pub(crate) holds: Node,
}

/// The use that a rule makes of the stored value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Stored {
    /// It reads the value only.
    Unused,
    /// It compares a value with the stored one, where there is one.
    Needed,
    /// It is evaluated in any case: `optionalOldSelf`.
    Optional,
}

impl CelRule {
    /// Returns true if it is evaluated where nothing is stored, or where something is.
    pub(crate) fn is_asked(&self, is_stored: bool) -> bool {
        match self.stored {
            Stored::Unused => !is_stored,
            Stored::Needed => is_stored,
            Stored::Optional => true,
        }
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// The value that is checked.
    New,
    /// The stored value.
    Old,
    /// The same as an optional value.
    OptionalOld,
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
    Unsigned(u64),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
    /// True if an optional field is set.
    IsSet(CelField),
    HasKey(Box<Node>, Box<Node>),
    Not(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    If(Box<Node>, Box<Node>, Box<Node>),
    /// An operator of Rust that means the same.
    Operator(&'static str, Box<Node>, Box<Node>),
    /// True if two values are equal for a server.
    Same(Box<Node>, Box<Node>, Sameness),
    /// A function of `kubernetes_validation::cel` that can fail.
    Function(&'static str, Vec<Node>),
    /// A function of `kubernetes_validation::cel` that always has a result.
    Sure(&'static str, Vec<Node>),
    /// A method of Rust's texts.
    Method(Box<Node>, &'static str, Vec<Node>),
    /// A method that can fail.
    Tried(Box<Node>, &'static str, Vec<Node>),
    /// A text that has just been made, as a slice.
    Made(Box<Node>),
    /// A text as one of its own.
    Owned(Box<Node>),
    /// A reference to what has just been made.
    Ref(Box<Node>),
    /// Texts, one after the other.
    Joined(Vec<Node>),
    /// The texts of a list, with another between them.
    Join(Box<Node>, Box<Node>),
    /// A list of values, which it has to own if they are texts.
    List(Vec<Node>, CelType),
    /// A map of values, of which some keys and values are optional.
    Map(Vec<(Node, Node)>, Box<CelType>, Box<CelType>),
    /// A list in a place, as a slice.
    Slice(Box<Node>),
    /// A slice without elements.
    NoElements,
    /// A map without entries.
    NoEntries,
    /// An optional value with a value.
    Some(Box<Node>),
    /// An optional value without a value.
    NoValue,
    /// A method of a regular expression, with a text.
    Pattern(&'static str, Box<Node>, Expression),
    /// A key and its value.
    Pair(Box<Node>, Box<Node>),
    /// The number of characters of a text.
    Characters(Box<Node>),
    /// The number of elements of a list or map.
    Length(Box<Node>),
    /// True if a value is one of these.
    Among(Box<Node>, Vec<Node>),
    /// A macro over elements.
    Loop(Macro, Box<Node>, Variables, Box<Node>),
    /// The elements of a list in a place, or the keys of a map.
    Items(Box<Node>, Iterable),
    /// An optional value: the field of a struct.
    Optional(CelField),
    /// An optional value: a field of an optional value.
    OptionalBelow(Box<Node>, CelField),
    HasValue(Box<Node>),
    /// The result for an optional value, or another value in its place.
    OrValue(Box<Node>, Ident, Box<Node>, Box<Node>),
    /// An optional value that is made of another; true if it is optional itself.
    Mapped(Box<Node>, Ident, Box<Node>, bool),
}

/// The variables of a macro: an element, or a position or key and the value there.
#[derive(Clone, Debug)]
pub(crate) enum Variables {
    One(Ident),
    Two(Ident, Ident),
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
    /// A slice of bytes.
    Bytes,
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
    /// Positions and elements.
    Numbered,
    /// The same of the result of another macro.
    NumberedMade,
    /// The keys of a map that has been made.
    MadeKeys,
    /// Keys and values.
    Entries,
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
    /// The same, of texts and bytes, which it has to own.
    MapToOwned,
    /// The same of those for which a condition holds.
    FilterMap,
    /// A map of them, by the keys of another.
    FilterEntries,
    /// One map of maps, which share no key.
    MergeEntries,
    /// The elements in the order of their keys.
    SortBy,
}

/// The type of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CelType {
    /// Nothing, `null`.
    Null,
    Bool,
    Int,
    /// A whole number without a sign.
    Unsigned,
    Double,
    /// A number of nanoseconds.
    Duration,
    Time,
    Text,
    Bytes,
    /// A type, as its name.
    Type,
    /// A number or a text, of which only the value says what it is.
    Dynamic,
    Object(CelObject),
    /// A place with a value of the type, which is none of the above.
    Place(Ty, CelForm),
    /// Elements of the type, of which each is in a place.
    Kept(Ty, CelForm),
    /// Values.
    Made(Box<CelType>),
    /// Values by key: the types of both.
    Entries(Box<CelType>, Box<CelType>),
    /// A place that there may be.
    Optional(Ty, CelForm),
    /// A value that there may be.
    Maybe(Box<CelType>),
}

/// A type of which values are only made by functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CelObject {
    Cidr,
    /// A format that a rule has looked up.
    Format,
    Ip,
    /// The problems of a text by a format: as a flag, that there is one.
    Problems,
    Quantity,
    Url,
    /// A semantic version.
    Version,
}

/// The facts of a schema about a place that its type in Rust lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CelForm {
    /// The format of a text.
    pub(crate) text: CelText,
    pub(crate) list: ListForm,
    /// The same of the elements of a list or the values of a map.
    pub(crate) inside: Option<Box<CelForm>>,
    /// The type of an element that can be `null`.
    pub(crate) element: Option<CelElement>,
}

/// The type of an element that can be `null`, and isn't.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CelElement {
    /// A flag, a whole number, a text, or one of the last two.
    Plain,
    /// A number that may have a fraction.
    Double,
    /// A list, an object, a time.
    Other,
}

/// The order of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum ListForm {
    #[default]
    Atomic,
    /// It doesn't count.
    Set,
    /// It doesn't count; these properties identify elements.
    Keyed(Vec<String>),
}

/// A format of texts that are values of another type in CEL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CelText {
    #[default]
    Plain,
    Date,
    Duration,
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

    /// Its parts.
    fn parts(&self) -> Vec<&Self> {
        match self {
            Self::New
            | Self::Old
            | Self::OptionalOld
            | Self::Variable(_)
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Unsigned(_)
            | Self::Double(_)
            | Self::Text(_)
            | Self::Bytes(_)
            | Self::NoElements
            | Self::NoValue
            | Self::NoEntries => Vec::new(),
            Self::Field(field) | Self::IsSet(field) | Self::Optional(field) => vec![&field.of],
            Self::Read(of, _)
            | Self::Not(of)
            | Self::Pattern(_, of, _)
            | Self::Characters(of)
            | Self::Length(of)
            | Self::Items(of, _)
            | Self::OptionalBelow(of, _)
            | Self::HasValue(of)
            | Self::Made(of)
            | Self::Owned(of)
            | Self::Some(of)
            | Self::Ref(of)
            | Self::Slice(of) => vec![of],
            Self::Entry(a, b)
            | Self::Element(a, b)
            | Self::HasKey(a, b)
            | Self::Pair(a, b)
            | Self::And(a, b)
            | Self::Or(a, b)
            | Self::Operator(_, a, b)
            | Self::Same(a, b, _)
            | Self::Join(a, b)
            | Self::Loop(_, a, _, b)
            | Self::Mapped(a, _, b, _) => vec![a, b],
            Self::Map(entries, ..) => entries
                .iter()
                .flat_map(|(key, value)| [key, value])
                .collect(),
            Self::If(a, b, c) | Self::OrValue(a, _, b, c) => vec![a, b, c],
            Self::Function(_, with)
            | Self::Sure(_, with)
            | Self::Joined(with)
            | Self::List(with, _) => with.iter().collect(),
            Self::Method(on, _, with) | Self::Tried(on, _, with) | Self::Among(on, with) => {
                [&**on].into_iter().chain(with).collect()
            }
        }
    }

    /// Returns true if it can have no result.
    pub(crate) fn fails(&self) -> bool {
        let by_itself = match self {
            Self::Field(field) => field.is_optional,
            Self::Entry(..) | Self::Element(..) | Self::Function(..) | Self::Tried(..) => true,
            Self::Loop(how, ..) => !matches!(how, Macro::All | Macro::Exists),
            _ => false,
        };
        by_itself || self.parts().into_iter().any(Self::fails)
    }

    /// Returns true if it or what is in it is so.
    pub(crate) fn any(&self, is: &mut dyn FnMut(&Self) -> bool) -> bool {
        is(self) || self.parts().into_iter().any(|part| part.any(is))
    }

    /// The use that it makes of what is stored.
    pub(crate) fn stored(&self) -> Stored {
        let uses = |old: fn(&Self) -> bool| self.any(&mut |node| old(node));
        match uses(|node| matches!(node, Self::OptionalOld)) {
            true => Stored::Optional,
            false if uses(|node| matches!(node, Self::Old)) => Stored::Needed,
            false => Stored::Unused,
        }
    }

    /// Returns true if it has a regular expression.
    pub(crate) fn has_pattern(&self) -> bool {
        self.any(&mut |node| matches!(node, Self::Pattern(..)))
    }
}
