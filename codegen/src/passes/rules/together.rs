//! `oneOf`, `anyOf` and `not` of `required`, as custom resources have them: which fields are set
//! together.

use serde_json::{Map, Value};

use super::Reader;
use crate::keyword::COMBINED;
use crate::model::{Group, Resolved, Struct, Together, Type};
use crate::pointer::Pointer;

impl Reader<'_> {
    /// Reads the rules about fields of a struct that must be set together, or not, and the other
    /// combinations of schemas that it has.
    pub(super) fn together(
        &mut self,
        ty: &Type<Resolved>,
        object: &Struct<Resolved>,
    ) -> Vec<Together> {
        let mut found = Vec::new();
        if !self.version.is_custom {
            return found;
        }
        let keywords = &object.rule_keywords.keywords;
        found.extend(self.number(keywords, &ty.pointer));
        let all = keywords.get(COMBINED).and_then(Value::as_object);
        for (name, value) in all.into_iter().flatten() {
            match of_set(name, value).filter(|all| are_fields(all, object)) {
                Some(all) => found.extend(all),
                None => {
                    let combination = self.combination(name, value, &ty.pointer);
                    found.extend(combination.map(Together::Combined));
                }
            }
        }
        found
    }

    /// The limits to the number of fields that are set.
    fn number(&mut self, keywords: &Map<String, Value>, pointer: &Pointer) -> Option<Together> {
        let mut limit = |name: &str| {
            let value = keywords.get(name)?;
            let number = value
                .as_u64()
                .and_then(|number| usize::try_from(number).ok());
            number.or_else(|| self.wrong(name, value, "a whole number of at least 0", pointer))
        };
        let (least, most) = (limit("minProperties"), limit("maxProperties"));
        (least.is_some() || most.is_some()).then_some(Together::Number { least, most })
    }
}

/// Returns true if all names in rules are those of fields.
fn are_fields(all: &[Together], object: &Struct<Resolved>) -> bool {
    let mut names = all.iter().flat_map(Together::names);
    names.all(|name| object.field(name).is_some())
}

/// The rules of a keyword, if it asks nothing but which fields are set.
fn of_set(name: &str, value: &Value) -> Option<Vec<Together>> {
    let groups = || {
        let forms = value.as_array()?.iter();
        forms.map(group).collect::<Option<Vec<_>>>()
    };
    Some(match name {
        "allOf" => vec![Together::All(of_all(value)?)],
        "anyOf" => vec![Together::Any(groups()?)],
        "oneOf" => vec![Together::One(groups()?)],
        _ => excluded(value)?.into_iter().map(Together::Not).collect(),
    })
}

/// The rules in an `allOf`.
fn of_all(value: &Value) -> Option<Vec<Together>> {
    let mut all = Vec::new();
    for part in value.as_array()? {
        for (name, value) in part.as_object()? {
            match name.as_str() {
                "required" => all.push(Together::Each(names(Some(value))?)),
                "allOf" | "anyOf" | "oneOf" | "not" => all.extend(of_set(name, value)?),
                _ => return None,
            }
        }
    }
    Some(all)
}

/// The fields that a form has set or not set, if it says nothing else.
fn group(form: &Value) -> Option<Group> {
    let form = form.as_object()?;
    let only = form.iter().all(|(name, value)| match name.as_str() {
        "required" | "not" => true,
        "properties" => asks_nothing(value),
        _ => false,
    });
    let not_set = match form.get("not") {
        Some(not) => excluded(not)?,
        None => Vec::new(),
    };
    let set = match form.get("required") {
        Some(required) => names(Some(required))?,
        None => Vec::new(),
    };
    only.then_some(Group { set, not_set })
}

/// Returns true for properties that can have any value.
fn asks_nothing(properties: &Value) -> bool {
    let properties = properties.as_object();
    let is_empty = |schema: &Value| schema.as_object().is_some_and(Map::is_empty);
    properties.is_some_and(|properties| properties.values().all(is_empty))
}

/// The groups of which none is set as a whole: of `not` with `required`, or with `anyOf` of them.
fn excluded(not: &Value) -> Option<Vec<Vec<String>>> {
    let not = not.as_object()?;
    let mut entries = not.iter();
    match (entries.next()?, entries.next()) {
        ((name, required), None) if name == "required" => {
            names(Some(required)).map(|names| vec![names])
        }
        ((name, Value::Array(forms)), None) if name == "anyOf" => {
            let groups = forms.iter().map(excluded);
            let groups: Option<Vec<_>> = groups.collect();
            groups.map(|groups| groups.concat())
        }
        _ => None,
    }
}

fn names(required: Option<&Value>) -> Option<Vec<String>> {
    let names = required?.as_array()?.iter();
    names.map(|name| name.as_str().map(str::to_owned)).collect()
}
