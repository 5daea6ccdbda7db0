//! `oneOf`, `anyOf` and `not` of `required`, as custom resources have them: which fields are set
//! together.

use serde_json::{Map, Value};

use super::Reader;
use crate::model::{Group, Resolved, Struct, Together, Type};
use crate::pointer::Pointer;

impl Reader<'_> {
    /// Reads the rules about fields of a struct that must be set together, or not.
    pub(super) fn together(
        &mut self,
        ty: &Type<Resolved>,
        object: &Struct<Resolved>,
    ) -> Vec<Together> {
        let mut found = Vec::new();
        if self.version.is_custom {
            let keywords = &object.rule_keywords.keywords;
            found.extend(self.number(keywords, &ty.pointer));
            self.forms(keywords, &ty.pointer, &mut found);
        }
        found.retain(|together| {
            let mut names = together.names().into_iter();
            let unknown = names.find(|name| object.field(name).is_none());
            if let Some(name) = unknown {
                let message = format!("`{}` is not a property", name.escape_debug());
                let help = "what is required in `oneOf`, `anyOf` and `not` is a property";
                let rule = format!("required: [{name:?}]");
                let reason = "the schema has no such property";
                self.cannot(&ty.pointer, (rule, reason), message, help);
            }
            unknown.is_none()
        });
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

    fn forms(&mut self, schema: &Map<String, Value>, pointer: &Pointer, found: &mut Vec<Together>) {
        let all = schema.get("allOf").and_then(Value::as_array);
        let mut of_all = Vec::new();
        for (index, part) in all.into_iter().flatten().enumerate() {
            let pointer = pointer.child("allOf").child(index);
            match part {
                // The type that it refers to has its own rules.
                Value::Object(part) if part.contains_key("$ref") => {}
                Value::Object(part) if part.keys().all(|name| is_form(name)) => {
                    of_all.extend(names(part.get("required")).map(Together::Each));
                    self.forms(part, &pointer, &mut of_all);
                }
                _ => self.unread("allOf", part, &pointer),
            }
        }
        if !of_all.is_empty() {
            found.push(Together::All(of_all));
        }
        for name in ["anyOf", "oneOf"] {
            let Some(Value::Array(forms)) = schema.get(name) else {
                continue;
            };
            let pointer = pointer.child(name);
            let groups: Option<Vec<_>> = forms.iter().map(group).collect();
            match groups {
                Some(groups) if name == "anyOf" => found.push(Together::Any(groups)),
                Some(groups) => found.push(Together::One(groups)),
                None => self.unread(name, &forms.clone().into(), &pointer),
            }
        }
        if let Some(not) = schema.get("not") {
            match excluded(not) {
                Some(groups) => found.extend(groups.into_iter().map(Together::Not)),
                None => self.unread("not", not, &pointer.child("not")),
            }
        }
    }

    fn unread(&mut self, name: &str, value: &Value, pointer: &Pointer) {
        let message = "a combination of schemas that can't be checked".to_owned();
        let reason = "of an object, `required` and `not` with `required` is what can be checked";
        let help = format!("{reason}; take the rest out with an overlay");
        self.keyword(name, value, reason, (pointer, message, &help));
    }
}

fn is_form(keyword: &str) -> bool {
    ["allOf", "anyOf", "oneOf", "not", "required"].contains(&keyword)
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
