//! The table of keywords that a schema may have: where each is allowed, and what it does.
//!
//! A keyword that only calls a method of `Checker` with the value and constants is a row of
//! [`TABLE`] and that method, and nothing else. The order of the rows is that in which a server
//! checks.

mod table;

use serde_json::{Map, Value};

use crate::diag::Spot;
use crate::load::SCHEMAS;
use crate::model::{ErrorType, ValueForm};
use crate::pointer::Pointer;

pub(crate) use table::TABLE;

/// The combinations of schemas of a value of a custom resource, as the definition has them. Loading
/// puts them there, because they have no form in Rust.
pub(crate) const COMBINED: &str = "x-combined";

/// The names of the keys that a map of a custom resource must have. Loading makes it of `required`,
/// which names properties everywhere else.
pub(crate) const REQUIRED_KEYS: &str = "x-required-keys";

/// The entry of that with the schema of an element that can be `null`.
pub(crate) const ELEMENT: &str = "element";

/// The position of a schema in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// A schema with a name and properties.
    Type,
    /// A schema with a name, of anything else.
    Named,
    /// A property.
    Property,
    /// The elements of a list, or the values of a map.
    Element,
}

/// The kind of the values of a type, which decides the checks that apply to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Text,
    Number,
    Fraction,
    Flag,
    /// A whole number or a text.
    Either,
    List,
    Map,
    Enumeration,
    /// A time, which is a text on the wire and in Rust.
    DateTime,
    /// Bytes, which are a text in base64 on the wire.
    Bytes,
    /// A type of another crate, which may be a quantity.
    External,
    Other,
}

/// A keyword.
#[derive(Debug)]
pub(crate) struct Keyword {
    pub(crate) name: &'static str,
    at: &'static [Position],
    pub(crate) meaning: Meaning,
}

/// The purpose of a keyword.
#[derive(Debug)]
pub(crate) enum Meaning {
    /// It describes the value for all readers, or for others than this generator.
    Schema,
    /// It is a fact or a rule that is read by its name.
    Read,
    /// It calls the checker: the first row that is for values of the sort.
    Calls(Calls),
    /// It changes how another keyword of the same schema is checked.
    Modifies(&'static str, Modification),
}

/// The methods that check a keyword, by the origin of its meaning.
#[derive(Debug)]
pub(crate) struct Calls {
    /// Methods for Kubernetes' own kinds, whose rules are written in Go.
    pub(crate) own: &'static [Method],
    /// Methods for custom resources, whose rules are their schemas.
    pub(crate) custom: &'static [Method],
}

impl Calls {
    /// Returns the methods for a document.
    pub(crate) fn methods(&self, is_custom: bool) -> &'static [Method] {
        if is_custom { self.custom } else { self.own }
    }
}

/// A method of the checker that a keyword calls.
#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) of: ValueKind,
    pub(crate) name: &'static str,
    pub(crate) takes: ValueForm,
    pub(crate) argument: ArgumentForm,
    /// The type of the error, where an overlay may say another.
    pub(crate) error_type: Option<ErrorType>,
    /// True if the keyword's name is an argument, because several share the method.
    pub(crate) named: bool,
    /// True if what follows is checked only where this holds.
    pub(crate) guards: bool,
    /// True if it is checked only where the field is the only one that is set, of a struct of which
    /// one must be set: a server doesn't look into the others.
    pub(crate) alone: bool,
}

/// The form that the value of a keyword must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentForm {
    /// 1: only the presence of anything is checked.
    One,
    /// A whole number.
    Whole,
    /// A length or count.
    Count,
    /// Any number.
    Number,
    /// The values of an enumeration of whole numbers.
    Wholes,
    /// The values of an enumeration of numbers.
    Numbers,
    /// The values of another enumeration.
    Known,
    /// Texts.
    Texts,
    /// The name of a form of names; other formats are types.
    NameFormat,
    /// A regular expression.
    Pattern,
    /// `true`.
    Flag,
}

/// The effect of one keyword on another.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Modification {
    /// Another method is called.
    Method(&'static str),
    /// Later checks are made in any case, by all servers or those of some releases.
    Unguarded,
    /// Later checks are made of new objects only, by all servers or those of some releases.
    OnCreateOnly,
}

/// The keyword of a name.
pub(crate) fn find(name: &str) -> Option<&'static Keyword> {
    TABLE.iter().find(|keyword| keyword.name == name)
}

/// Returns help for a name that isn't known: the one that comes nearest may have been meant.
pub(crate) fn suggest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let all = "spec/overlays/README.md lists the keywords";
    match nearest(name, known) {
        Some(nearest) => format!("did you mean `{nearest}`? {all}"),
        None => format!("correct the name or remove the keyword; {all}"),
    }
}

/// Returns the known name that comes so near to a name that it may have been meant.
pub(crate) fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let known = known
        .into_iter()
        .map(|known| (strsim::osa_distance(name, known), known));
    let (_, nearest) = known.min().filter(|(far, _)| *far <= 2 + name.len() / 4)?;
    Some(nearest)
}

/// Reports the keywords of the schemas with a prefix that aren't known, or are where they have no
/// effect.
pub(crate) fn check(document: &Value, prefix: &str, root: &Spot<'_>) {
    let schemas = document.pointer(SCHEMAS).and_then(Value::as_object);
    for (name, schema) in schemas.into_iter().flatten() {
        if name.starts_with(prefix) {
            let at = match schema.get("properties") {
                Some(_) => Position::Type,
                None => Position::Named,
            };
            check_schema(schema, at, &root.at(Pointer::schema(name)));
        }
    }
}

fn check_schema(schema: &Value, at: Position, spot: &Spot<'_>) {
    let Value::Object(schema) = schema else {
        return;
    };
    for name in schema.keys() {
        check_keyword(name, schema, at, spot);
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        check_schema(
            property,
            Position::Property,
            &spot.child("properties").child(name),
        );
    }
    for name in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(name) {
            check_schema(inner, Position::Element, &spot.child(name));
        }
    }
}

fn check_keyword(name: &str, schema: &Map<String, Value>, at: Position, spot: &Spot<'_>) {
    let shown = name.escape_debug();
    let Some(keyword) = find(name) else {
        let known = TABLE.iter().map(|keyword| keyword.name);
        spot.report(format!("unknown keyword `{shown}`"), suggest(name, known));
        return;
    };
    if !keyword.at.contains(&at) {
        let message = format!("`{shown}` has no effect on {}", described(at));
        let places: Vec<_> = keyword.at.iter().map(|at| described(*at)).collect();
        spot.report(message, format!("it is for {}", places.join(", ")));
    }
    if let Meaning::Modifies(other, _) = keyword.meaning
        && !schema.contains_key(other)
    {
        let message = format!("`{shown}` has no effect without `{other}`");
        spot.report(message, format!("add `{other}`, or remove it"));
    }
}

fn described(at: Position) -> &'static str {
    match at {
        Position::Type => "a schema with properties",
        Position::Named => "a schema without properties",
        Position::Property => "a property",
        Position::Element => "elements",
    }
}
