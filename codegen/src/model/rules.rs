//! The rules of the API server for a value, beyond its type.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::expression::Expression;
use crate::name::{Ident, RulePath};
use crate::release::{Release, Releases};

use super::{
    Analysed, CelRule, Constraint, ErrorType, Known, Lifecycle, NameFormat, Struct, TextFormat,
    Unchecked, terms,
};

/// The rules of the value of a field, or of the elements of a list.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Rules {
    /// The rules, in the order in which the server checks them.
    pub(crate) list: Vec<Rule>,
    /// The place where the server reports errors, if not at the value.
    pub(crate) reported: Reported,
    /// The rules of the elements of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) items: Option<Box<Rules>>,
}

impl Struct<Analysed> {
    /// The rules in CEL of the struct and of its fields.
    pub(crate) fn cel_rules(&self) -> Vec<&CelRule> {
        let mut found: Vec<_> = self.rules.cel.iter().collect();
        for field in &self.fields {
            field.server.rules.all_cel(&mut found);
        }
        found
    }
}

impl Rules {
    /// Returns true if there is nothing to check, neither in the value nor in its elements.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty() && self.items.as_ref().is_none_or(|items| items.is_empty())
    }

    /// The rules that compare a value with the stored one.
    pub(crate) fn immutable(&self) -> impl Iterator<Item = &Immutable> {
        self.list.iter().filter_map(|rule| match &rule.check {
            Check::Immutable(immutable) => Some(immutable),
            _ => None,
        })
    }

    /// The rule that the elements of a list differ, if there is one.
    pub(crate) fn unique(&self) -> Option<&Unique> {
        self.list.iter().find_map(|rule| match &rule.check {
            Check::Unique(unique) => Some(unique),
            _ => None,
        })
    }

    /// The functions that warn.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = &RulePath> {
        self.list.iter().filter_map(|rule| match &rule.check {
            Check::Warning(function) => Some(function),
            _ => None,
        })
    }

    /// The functions that check whether a server can read the value at all.
    pub(crate) fn readings(&self) -> impl Iterator<Item = &RulePath> {
        self.list.iter().filter_map(|rule| match &rule.check {
            Check::Reading(function) => Some(function),
            _ => None,
        })
    }

    /// The rules in CEL that are evaluated where something is stored, or where nothing is.
    pub(crate) fn cel(&self, is_stored: bool) -> impl Iterator<Item = &CelRule> {
        let rules = self.list.iter().filter_map(|rule| match &rule.check {
            Check::Cel(rule) => Some(&**rule),
            _ => None,
        });
        rules.filter(move |rule| rule.is_asked(is_stored))
    }

    /// All rules in CEL, of the value and its elements.
    fn all_cel<'r>(&'r self, found: &mut Vec<&'r CelRule>) {
        found.extend(self.list.iter().filter_map(|rule| match &rule.check {
            Check::Cel(rule) => Some(&**rule),
            _ => None,
        }));
        if let Some(items) = &self.items {
            items.all_cel(found);
        }
    }

    /// The rules in CEL of the values of a map that compare with what is stored.
    pub(crate) fn cel_of_values(&self) -> impl Iterator<Item = &CelRule> {
        self.items.iter().flat_map(|items| items.cel(true))
    }

    /// Returns true if any is in CEL, of the value or its elements.
    pub(crate) fn have_cel(&self) -> bool {
        let has = self
            .list
            .iter()
            .any(|rule| matches!(rule.check, Check::Cel(_)));
        has || self.items.as_ref().is_some_and(|items| items.have_cel())
    }

    /// Returns true if a combination of schemas is checked, of the value or its elements.
    pub(crate) fn have_combinations(&self) -> bool {
        let mut arguments = self.calls().flat_map(|call| &call.arguments);
        let mut items = self.items.iter();
        arguments.any(|argument| matches!(argument, Argument::Combined(_)))
            || items.any(|items| items.have_combinations())
    }

    /// The functions that check.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &RulePath> {
        self.list.iter().filter_map(|rule| match &rule.check {
            Check::Function(function) => Some(function),
            _ => None,
        })
    }

    /// The calls of methods, in their order.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.list.iter().filter_map(|rule| match &rule.check {
            Check::Call(call) => Some(call),
            _ => None,
        })
    }

    /// The calls of methods, for changing.
    pub(crate) fn calls_mut(&mut self) -> impl Iterator<Item = &mut Call> {
        self.list
            .iter_mut()
            .filter_map(|rule| match &mut rule.check {
                Check::Call(call) => Some(call),
                _ => None,
            })
    }

    /// Returns true if the value must be there once defaults are set.
    pub(crate) fn must_be_set(&self) -> bool {
        self.list
            .iter()
            .any(|rule| matches!(rule.check, Check::IsSet))
    }

    /// Returns true if anything is asked of an object that isn't compared with another.
    pub(crate) fn ask_of_creation(&self) -> bool {
        let asks = |check: &Check| match check {
            Check::Immutable(_) | Check::Warning(_) => false,
            Check::Cel(rule) => rule.is_asked(false),
            Check::IsSet
            | Check::Call(_)
            | Check::Unique(_)
            | Check::Function(_)
            | Check::Reading(_) => true,
        };
        self.list.iter().any(|rule| asks(&rule.check))
            || self
                .items
                .as_ref()
                .is_some_and(|items| items.ask_of_creation())
    }
}

/// One rule.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Rule {
    /// The keyword that it comes from.
    pub(crate) keyword: &'static str,
    #[serde(flatten)]
    pub(crate) check: Check,
}

/// The check of a rule.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Check {
    /// The value is there once defaults are set.
    IsSet,
    /// A method of the checker accepts the value.
    Call(Call),
    /// The elements of a list differ.
    Unique(Unique),
    /// An update doesn't change the value.
    Immutable(Immutable),
    /// A rule in CEL holds.
    Cel(Box<CelRule>),
    /// A hand-written function accepts the value.
    Function(RulePath),
    /// A hand-written function, which checks what a server can't even read. It looks into all
    /// fields of a struct of which only one may be set.
    Reading(RulePath),
    /// A hand-written function that warns.
    Warning(RulePath),
}

/// A call of a method of the checker, with the path, the value and constants.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Call {
    pub(crate) method: &'static str,
    pub(crate) takes: ValueForm,
    pub(crate) arguments: Vec<Argument>,
    /// The condition for the checks after this one.
    #[serde(skip_serializing_if = "Following::is_always")]
    pub(crate) following: Following,
    /// True if it is checked only where the field is the only one that is set, of a struct of
    /// which one must be set.
    pub(crate) alone: bool,
}

impl Call {
    /// A call on which nothing else depends.
    pub(crate) fn new(method: &'static str, takes: ValueForm, arguments: Vec<Argument>) -> Self {
        Self {
            method,
            takes,
            arguments,
            following: Following::Always,
            alone: false,
        }
    }
}

/// The condition for the checks after a call.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Following {
    /// No condition.
    Always,
    /// An object is created; on updates, only servers of other releases make them.
    OnCreate(Releases),
    /// The value passes this check.
    IfPassed {
        /// The servers that make them in any case.
        #[serde(skip_serializing_if = "Option::is_none")]
        or: Option<Releases>,
        /// The servers that make them on creation only.
        #[serde(skip_serializing_if = "Option::is_none")]
        on_create: Option<Releases>,
    },
}

impl Following {
    fn is_always(&self) -> bool {
        matches!(self, Self::Always)
    }
}

/// The form in which a method takes the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ValueForm {
    /// A string slice, of a text.
    Text,
    /// A string slice, of a value of an enumeration.
    AsStr,
    /// A whole number.
    Number,
    /// A whole number without sign, as one of 64 bits with a sign.
    Unsigned,
    /// A number with a fraction, of 64 bits.
    Fraction,
    /// The text of a number or text; the method isn't called of a number.
    TextOf,
    /// The number of a number or text; the method isn't called of a text.
    WholeOf,
    /// A reference to its type.
    Reference,
    /// The number of its entries; 0 if it is absent.
    Count,
    /// A reference to the list or map, if it is present.
    Entries,
    /// The number of its entries, if it is present.
    Length,
}

/// A constant argument.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Argument {
    Int(i64),
    Number(f64),
    Wholes(Vec<i64>),
    Numbers(Vec<f64>),
    Known(Vec<Known>),
    Text(String),
    Texts(Vec<String>),
    #[serde(serialize_with = "terms::serialize")]
    ErrorType(ErrorType),
    /// A type of error, and the keyword whose rule is broken.
    Problem(
        #[serde(serialize_with = "terms::serialize")] ErrorType,
        &'static str,
    ),
    #[serde(serialize_with = "terms::serialize")]
    NameFormat(NameFormat),
    #[serde(serialize_with = "terms::serialize")]
    TextFormat(TextFormat),
    Pattern(Expression),
    Combined(Constraint),
    /// The values of an enumeration of the crate.
    ValuesOf(Ident),
}

/// The rules of a struct as a whole.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct TypeRules {
    /// Exactly one of its fields must be set.
    pub(crate) exactly_one: bool,
    /// Fields that may only be set if another, a list, has elements; on the wire.
    pub(crate) depends: BTreeMap<String, String>,
    /// A function that warns, with the fields it looks at.
    pub(crate) warning: Option<(RulePath, Vec<String>)>,
    /// True if an update without a resource version overwrites whatever is stored.
    pub(crate) unconditional_update: bool,
    /// True if an update leaves `generateName` unchecked.
    pub(crate) names_on_create_only: bool,
    /// True if it is an object with metadata inside another.
    pub(crate) embedded: bool,
    /// The rules about fields that must be set together, or not.
    pub(crate) together: Vec<Together>,
    /// Rules in CEL.
    pub(crate) cel: Vec<CelRule>,
    /// The functions that check an object of a kind as a whole.
    pub(crate) functions: Vec<RulePath>,
    /// A function that makes an object of a kind what a server stores.
    pub(crate) preparation: Option<RulePath>,
    /// A function that does so where its status is written.
    pub(crate) status_preparation: Option<RulePath>,
    /// True if a write of the status validates metadata and status only.
    pub(crate) status_alone: bool,
    /// True if a write of the status changes metadata too.
    pub(crate) status_with_metadata: bool,
    /// The rules of its schema that aren't checked.
    pub(crate) unchecked: Vec<Unchecked>,
}

/// A rule about fields of a struct that must be set together, or not; by their names on the wire.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Together {
    /// At least one of the groups: `anyOf`.
    Any(Vec<Group>),
    /// Exactly one of the groups: `oneOf`.
    One(Vec<Group>),
    /// Not all of them: `not`.
    Not(Vec<String>),
    /// All of them: `required`.
    Each(Vec<String>),
    /// All that is in it holds: `allOf`.
    All(Vec<Together>),
    /// So many fields are set: `minProperties` and `maxProperties`.
    Number {
        least: Option<usize>,
        most: Option<usize>,
    },
    /// Any other combination of schemas.
    Combined(Constraint),
}

impl Together {
    /// All names of fields.
    pub(crate) fn names(&self) -> Vec<&String> {
        match self {
            Self::Any(groups) | Self::One(groups) => groups.iter().flat_map(Group::names).collect(),
            Self::Not(names) | Self::Each(names) => names.iter().collect(),
            Self::All(all) => all.iter().flat_map(Self::names).collect(),
            Self::Number { .. } | Self::Combined(_) => Vec::new(),
        }
    }
}

/// Fields of which all are set, beside groups of which each lacks one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Group {
    pub(crate) set: Vec<String>,
    pub(crate) not_set: Vec<Vec<String>>,
}

impl Group {
    /// All names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.set.iter().chain(self.not_set.iter().flatten())
    }
}

/// The place where the server reports an error, if that isn't where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Reported {
    /// The number of steps further up.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) above: u64,
    /// The name that the field goes by.
    pub(crate) name: Option<String>,
}

fn is_zero(steps: &u64) -> bool {
    *steps == 0
}

/// The key by which the elements of a list must differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Unique {
    /// The whole element.
    Whole,
    /// These fields. The rest of an element that repeats is checked or left.
    Keys {
        keys: Vec<String>,
        leaves_repeats: bool,
        /// True if a repeat is reported at the element, though it has one key.
        at_element: bool,
    },
}

/// A rule that an update must not change a value.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Immutable {
    #[serde(serialize_with = "terms::serialize")]
    pub(crate) error_type: ErrorType,
    /// The message of the error, where the rule has one.
    pub(crate) message: Option<String>,
    pub(crate) releases: Releases,
    /// The feature that allows the change.
    pub(crate) unless: Option<Lifecycle>,
    /// The name of that feature's constant.
    pub(crate) feature: Option<Ident>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) above: u64,
    /// The differences of earlier servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) earlier: Option<Earlier>,
}

/// The same rule on servers before a release.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Earlier {
    pub(crate) release: Release,
    #[serde(serialize_with = "terms::serialize")]
    pub(crate) error_type: ErrorType,
    /// The path that they report, if it isn't one of the object.
    pub(crate) reported_at: Option<String>,
    /// True if an absent and an empty value differ.
    pub(crate) exact: bool,
}
