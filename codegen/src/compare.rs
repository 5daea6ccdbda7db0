//! Compares the structure of two documents of one group-version, without their descriptions.

use std::fmt;

use serde_json::Value;

use crate::diag::Diagnostics;
use crate::load;
use crate::pointer::Pointer;
use crate::source::Source;
use crate::structure::{Compare, Step, Structure};

/// The differences between two documents.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The differences, by pointer.
    pub differences: Vec<Difference>,
    /// True if the second document was published by a running server: those carry the server's
    /// version, checked-in ones carry none.
    pub from_server: bool,
}

/// One place where two documents differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// The place.
    pub pointer: Pointer,
    /// The kind of the difference.
    pub change: DifferenceKind,
    /// The values of the first and the second document, shortened to where they differ.
    pub values: (String, String),
}

/// The kind of a difference, from the second document to the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DifferenceKind {
    /// Only the first document has it.
    Added,
    /// Only the second document has it.
    Removed,
    /// Both have it, with other content.
    Changed,
}

impl fmt::Display for DifferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
        })
    }
}

/// Compares our document with upstream's: schemas with all that shapes them, paths, verbs, actions
/// and kinds. If kinds are named, upstream's document is compared without the others.
///
/// # Errors
///
/// When one of them can't be read.
pub fn compare(
    ours: &Source,
    upstream: &Source,
    kinds: &[String],
) -> Result<Comparison, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let a = load::read(ours, None, &mut diagnostics);
    let b = load::read(upstream, None, &mut diagnostics);
    let (Some(a), Some(mut b)) = (a, b) else {
        return Err(diagnostics);
    };
    load::select(&mut b, kinds);
    let version = b
        .pointer("/info/version")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let from_server = version != "unversioned";
    let mut differences: Vec<Difference> = Vec::new();
    let places = [
        (Pointer::schemas(), schemas as fn(&Value) -> Value),
        (Pointer::root().child("paths"), paths),
    ];
    for (pointer, structure) in places {
        let of = |document: &Value| {
            let found = document.pointer(pointer.as_str());
            found
                .filter(|found| found.is_object())
                .map_or(Value::Null, structure)
        };
        let (ours, theirs) = (of(&a), of(&b));
        differences.walk(&pointer, &&ours, &&theirs);
    }
    differences.sort();
    Ok(Comparison {
        differences,
        from_server,
    })
}

/// The members of an object for which `of` returns a value, with that value.
fn members(value: &Value, of: impl Fn(&str, &Value) -> Option<Value>) -> Value {
    let object = value.as_object().into_iter().flatten();
    object
        .filter_map(|(key, value)| Some((key.clone(), of(key, value)?)))
        .collect()
}

/// The schemas without words, and with lists in which the order says nothing sorted.
fn schemas(schemas: &Value) -> Value {
    members(schemas, |_, schema| Some(schema_structure(schema)))
}

fn schema_structure(schema: &Value) -> Value {
    if !schema.is_object() {
        return schema.clone();
    }
    let words = ["description", "title", "example", "externalDocs"];
    members(schema, |keyword, value| {
        (!words.contains(&keyword)).then(|| keyword_structure(keyword, value))
    })
}

fn keyword_structure(keyword: &str, value: &Value) -> Value {
    match (keyword, value) {
        // Below `properties` every key is a name, `description` too.
        ("properties", value @ Value::Object(_)) => schemas(value),
        ("items" | "additionalProperties" | "not", value) => schema_structure(value),
        ("allOf" | "oneOf" | "anyOf", Value::Array(array)) => {
            array.iter().map(schema_structure).collect()
        }
        ("required" | "enum" | "x-kubernetes-group-version-kind", Value::Array(array)) => {
            let mut array = array.clone();
            array.sort_by_cached_key(Value::to_string);
            Value::Array(array)
        }
        (_, value) => value.clone(),
    }
}

/// The verbs of each path with their action and kind.
fn paths(paths: &Value) -> Value {
    let verbs = [
        "get", "put", "post", "delete", "options", "head", "patch", "trace",
    ];
    let operation = |verb: &str, operation: &Value| {
        verbs.contains(&verb).then(|| members(operation, extension))
    };
    members(paths, |_, item| Some(members(item, operation)))
}

fn extension(key: &str, value: &Value) -> Option<Value> {
    key.starts_with("x-kubernetes-").then(|| value.clone())
}

impl<'a> Structure<'a> for &'a Value {
    fn parts(&self) -> Vec<(Step<'a>, Self)> {
        let members = self.as_object().into_iter().flatten();
        members
            .map(|(key, value)| (Step::Field(key), value))
            .collect()
    }
}

/// Every difference of two documents is of interest.
impl<'a> Compare<'a> for Vec<Difference> {
    type Structure = &'a Value;
    type Place = Pointer;

    fn both(&mut self, at: &Pointer, a: &&'a Value, b: &&'a Value) -> bool {
        if a.is_object() && b.is_object() {
            return true;
        }
        if a != b {
            let change = match (a, b) {
                (_, Value::Null) => DifferenceKind::Added,
                (Value::Null, _) => DifferenceKind::Removed,
                _ => DifferenceKind::Changed,
            };
            self.push(Difference {
                pointer: at.clone(),
                change,
                values: short(&a.to_string(), &b.to_string()),
            });
        }
        false
    }

    fn first(&mut self, at: &Pointer, part: &&'a Value) {
        self.both(at, part, &&Value::Null);
    }

    fn second(&mut self, at: &Pointer, part: &&'a Value) {
        self.both(at, &&Value::Null, part);
    }
}

/// The number of characters of two texts that are shown before and after the first difference.
const SHOWN: (usize, usize) = (20, 60);

/// Shortens two texts to where they differ.
fn short(a: &str, b: &str) -> (String, String) {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let start = same.saturating_sub(SHOWN.0);
    let cut = |text: &str| {
        let mut rest = text.chars().skip(start);
        let shown: String = rest.by_ref().take(same - start + SHOWN.1).collect();
        let (before, after) = (start > 0, rest.next().is_some());
        let dots = |is_cut| if is_cut { "…" } else { "" };
        format!("{}{shown}{}", dots(before), dots(after))
    };
    (cut(a), cut(b))
}
