//! The functions of rules, with their prices.

use super::ty::Named;

/// A function.
pub(super) struct Function {
    name: &'static str,
    pub(super) price: Price,
    pub(super) gives: Gives,
}

/// The cost of a call beside that of its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Price {
    /// The same for all values.
    Fixed(u64),
    /// A text is read so many times.
    Reads(Operand, u32, Kept),
    /// A text is made of bytes, or of something else.
    Decodes,
    /// Bytes are made of a text.
    Encodes,
    /// Each element of a list is compared, or each character of a text.
    Compares,
    /// One text is looked for in another.
    Contains,
    Matches,
    /// As many results as characters.
    Finds,
    /// A regular expression that isn't known.
    Validates,
    Replaces,
    Splits,
    Joins,
    /// Two addresses of at most 16 bytes are compared, and a text is read if it is one.
    Addresses(u64),
    Lists(NewList),
    /// Each element of a list is compared with each of another, so many times.
    Sets(u32),
}

/// A list that a function makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NewList {
    /// Each element is compared with each other.
    Distinct,
    Flat,
    Range,
    Reversed,
    Slice,
    /// Each element is compared with each other.
    Sorted,
    /// The same with the keys by which it is sorted.
    SortedBy,
}

/// The operand that a price depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    Target,
    First,
}

/// The size of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// As that of all values of the type, if they have one.
    Nothing,
    /// As that of the operand.
    Size,
    /// The operand in quotes, in which characters can be escaped.
    Quoted,
}

/// The type of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    Bool,
    Int,
    Uint,
    Double,
    Text,
    Bytes,
    Duration,
    Time,
    /// A type.
    Kind,
    Texts,
    Ints,
    /// Lists of texts by key.
    TextsByKey,
    Named(Named),
    /// A format, if there is one of the name.
    MaybeFormat,
    /// Texts, if there are any.
    MaybeTexts,
    /// The type of the target.
    Same,
    /// The same, or that of the operand.
    Either,
    /// The type of the elements of the target.
    Element,
    /// The same, if there is one.
    MaybeElement,
    /// A list without the lists in it.
    Flat,
    /// An optional value of the type of the operand.
    Maybe,
    /// No value.
    Nothing,
    /// The value of an optional one.
    Held,
    /// The values that there are in a list of optional ones: that of the target, or the operand.
    AllHeld,
}

use Gives::{Bool, Double, Int, Text};
use Operand::{First, Target};
use Price::{Fixed, Lists, Reads};

const ONE: Price = Fixed(1);

const fn new(name: &'static str, price: Price, gives: Gives) -> Function {
    Function { name, price, gives }
}

/// Finds a function without a target, by its name with that of the namespace.
pub(super) fn global(name: &str) -> Option<&'static Function> {
    GLOBAL.iter().find(|function| function.name == name)
}

/// Finds a function with a target.
pub(super) fn member(name: &str) -> Option<&'static Function> {
    MEMBERS.iter().find(|function| function.name == name)
}

const FORMAT: Gives = Gives::Named(Named::Format);
const QUANTITY: Gives = Gives::Named(Named::Quantity);

const GLOBAL: &[Function] = &[
    new("bool", ONE, Bool),
    new("bytes", Price::Encodes, Gives::Bytes),
    new("double", ONE, Double),
    new("duration", ONE, Gives::Duration),
    new("int", ONE, Int),
    new("size", ONE, Int),
    new("string", Price::Decodes, Text),
    new("timestamp", ONE, Gives::Time),
    new("type", ONE, Gives::Kind),
    new("uint", ONE, Gives::Uint),
    new("matches", Price::Matches, Bool),
    new("strings.quote", Reads(First, 1, Kept::Quoted), Text),
    new("sets.contains", Price::Sets(1), Bool),
    new("sets.equivalent", Price::Sets(2), Bool),
    new("sets.intersects", Price::Sets(1), Bool),
    new("lists.range", Lists(NewList::Range), Gives::Ints),
    new("optional.of", ONE, Gives::Maybe),
    new("optional.ofNonZeroValue", ONE, Gives::Maybe),
    new("optional.none", ONE, Gives::Nothing),
    new("optional.unwrap", ONE, Gives::AllHeld),
    new(
        "cidr",
        Reads(First, 1, Kept::Nothing),
        Gives::Named(Named::Cidr),
    ),
    new("isCIDR", Reads(First, 1, Kept::Nothing), Bool),
    new(
        "ip",
        Reads(First, 1, Kept::Nothing),
        Gives::Named(Named::Ip),
    ),
    new("isIP", Reads(First, 1, Kept::Nothing), Bool),
    new("ip.isCanonical", Reads(First, 2, Kept::Nothing), Bool),
    new("url", Reads(First, 1, Kept::Size), Gives::Named(Named::Url)),
    new("isURL", ONE, Bool),
    new("quantity", Reads(First, 1, Kept::Nothing), QUANTITY),
    new("isQuantity", Reads(First, 1, Kept::Nothing), Bool),
    new("sign", ONE, Int),
    new(
        "semver",
        Reads(First, 1, Kept::Nothing),
        Gives::Named(Named::Semver),
    ),
    new("isSemver", Reads(First, 1, Kept::Nothing), Bool),
    new("format.named", ONE, Gives::MaybeFormat),
    new("format.dns1123Label", ONE, FORMAT),
    new("format.dns1123LabelPrefix", ONE, FORMAT),
    new("format.dns1123Subdomain", ONE, FORMAT),
    new("format.dns1123SubdomainPrefix", ONE, FORMAT),
    new("format.dns1035Label", ONE, FORMAT),
    new("format.dns1035LabelPrefix", ONE, FORMAT),
    new("format.qualifiedName", ONE, FORMAT),
    new("format.labelValue", ONE, FORMAT),
    new("format.uri", ONE, FORMAT),
    new("format.uuid", ONE, FORMAT),
    new("format.byte", ONE, FORMAT),
    new("format.date", ONE, FORMAT),
    new("format.datetime", ONE, FORMAT),
];

const MEMBERS: &[Function] = &[
    new("size", ONE, Int),
    new("contains", Price::Contains, Bool),
    new("endsWith", Reads(First, 1, Kept::Nothing), Bool),
    new("matches", Price::Matches, Bool),
    new("startsWith", Reads(First, 1, Kept::Nothing), Bool),
    new("getDate", ONE, Int),
    new("getDayOfMonth", ONE, Int),
    new("getDayOfWeek", ONE, Int),
    new("getDayOfYear", ONE, Int),
    new("getFullYear", ONE, Int),
    new("getHours", ONE, Int),
    new("getMilliseconds", ONE, Int),
    new("getMinutes", ONE, Int),
    new("getMonth", ONE, Int),
    new("getSeconds", ONE, Int),
    // Texts.
    new("charAt", ONE, Text),
    new("format", Reads(Target, 1, Kept::Nothing), Text),
    new("indexOf", Price::Compares, Int),
    new("lastIndexOf", Price::Compares, Int),
    new("join", Price::Joins, Text),
    new("lowerAscii", Reads(Target, 1, Kept::Size), Text),
    new("replace", Price::Replaces, Text),
    new("split", Price::Splits, Gives::Texts),
    new("substring", Reads(Target, 1, Kept::Size), Text),
    new("trim", Reads(Target, 1, Kept::Size), Text),
    new("upperAscii", Reads(Target, 1, Kept::Size), Text),
    new("find", Price::Finds, Text),
    new("findAll", Price::Finds, Gives::Texts),
    // Lists.
    new("isSorted", Price::Compares, Bool),
    new("max", Price::Compares, Gives::Element),
    new("min", Price::Compares, Gives::Element),
    new("sum", Price::Compares, Gives::Element),
    new("distinct", Lists(NewList::Distinct), Gives::Same),
    new("first", ONE, Gives::MaybeElement),
    new("flatten", Lists(NewList::Flat), Gives::Flat),
    new("last", ONE, Gives::MaybeElement),
    new("reverse", Lists(NewList::Reversed), Gives::Same),
    new("slice", Lists(NewList::Slice), Gives::Same),
    new("sort", Lists(NewList::Sorted), Gives::Same),
    new(
        super::macros::SORT_BY_KEYS,
        Lists(NewList::SortedBy),
        Gives::Same,
    ),
    // Optional values.
    new("hasValue", ONE, Bool),
    new("or", ONE, Gives::Either),
    new("orValue", ONE, Gives::Held),
    new("unwrapOpt", ONE, Gives::AllHeld),
    new("value", ONE, Gives::Held),
    // Kubernetes' types.
    new("containsCIDR", Price::Addresses(7), Bool),
    new("containsIP", Price::Addresses(4), Bool),
    new("ip", ONE, Gives::Named(Named::Ip)),
    new("masked", ONE, Gives::Same),
    new("prefixLength", ONE, Int),
    new("family", ONE, Int),
    new("isGlobalUnicast", ONE, Bool),
    new("isLinkLocalMulticast", ONE, Bool),
    new("isLinkLocalUnicast", ONE, Bool),
    new("isLoopback", ONE, Bool),
    new("isUnspecified", ONE, Bool),
    new("getEscapedPath", ONE, Text),
    new("getHost", ONE, Text),
    new("getHostname", ONE, Text),
    new("getPort", ONE, Text),
    new("getQuery", ONE, Gives::TextsByKey),
    new("getScheme", ONE, Text),
    new("add", ONE, QUANTITY),
    new("asApproximateFloat", ONE, Double),
    new("asInteger", ONE, Int),
    new("compareTo", ONE, Int),
    new("isGreaterThan", ONE, Bool),
    new("isInteger", ONE, Bool),
    new("isLessThan", ONE, Bool),
    new("sign", ONE, Int),
    new("sub", ONE, QUANTITY),
    new("major", ONE, Int),
    new("minor", ONE, Int),
    new("patch", ONE, Int),
    new("validate", Price::Validates, Gives::MaybeTexts),
];
