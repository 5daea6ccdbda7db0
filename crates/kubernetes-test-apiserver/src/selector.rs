//! Label and field selectors.

use kubernetes_kinds::names::NameFormat;
use serde_json::Value;

use crate::metadata;

/// The label and field selectors of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selector {
    labels: Vec<Requirement>,
    fields: Vec<Field>,
}

/// One requirement of a label selector.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: Operator,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operator {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
}

/// One requirement of a field selector.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Field {
    /// A field of the metadata.
    name: &'static str,
    equals: bool,
    value: String,
}

impl Selector {
    /// Parses selectors as they are in a URL; the error is the server's message.
    pub(crate) fn parse(labels: &str, fields: &str) -> Result<Self, String> {
        let labels: Result<_, _> = split(labels).into_iter().map(requirement).collect();
        let fields: Result<_, _> = split(fields).into_iter().map(field).collect();
        Ok(Self {
            labels: labels?,
            fields: fields?,
        })
    }

    /// Returns true if all objects match.
    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    pub(crate) fn matches(&self, object: &Value) -> bool {
        self.labels
            .iter()
            .all(|requirement| requirement.matches(object))
            && self
                .fields
                .iter()
                .all(|field| (metadata::text(object, field.name) == field.value) == field.equals)
    }
}

impl Requirement {
    fn matches(&self, object: &Value) -> bool {
        let labels = object.pointer("/metadata/labels");
        let label = labels.and_then(|labels| labels.get(&self.key)?.as_str());
        let is_one_of =
            |values: &[String]| label.is_some_and(|one| values.iter().any(|v| v == one));
        match &self.operator {
            Operator::In(values) => is_one_of(values),
            Operator::NotIn(values) => !is_one_of(values),
            Operator::Exists => label.is_some(),
            Operator::DoesNotExist => label.is_none(),
        }
    }
}

/// Splits at commas that are not in parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    let is_end = |character: char| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    };
    let parts: Vec<&str> = text.split(is_end).map(str::trim).collect();
    if parts == [""] { Vec::new() } else { parts }
}

fn requirement(text: &str) -> Result<Requirement, String> {
    let one = |value: &str| vec![value.trim().to_owned()];
    let (key, operator) = if let Some(key) = text.strip_prefix('!') {
        (key, Operator::DoesNotExist)
    } else if let Some((key, value)) = text.split_once("!=") {
        (key, Operator::NotIn(one(value)))
    } else if let Some((key, value)) = text.split_once("==") {
        (key, Operator::In(one(value)))
    } else if let Some((key, value)) = text.split_once('=') {
        (key, Operator::In(one(value)))
    } else if let Some((key, values)) = set(text, " notin ") {
        (key, Operator::NotIn(values))
    } else if let Some((key, values)) = set(text, " in ") {
        (key, Operator::In(values))
    } else {
        (text, Operator::Exists)
    };
    let key = key.trim().to_owned();
    let values = match &operator {
        Operator::In(values) | Operator::NotIn(values) => values.as_slice(),
        Operator::Exists | Operator::DoesNotExist => &[],
    };
    let is_value = |value: &String| NameFormat::LabelValue.matches(value);
    if !NameFormat::QualifiedName.matches(&key) || !values.iter().all(is_value) {
        return Err(format!("unable to parse requirement: {text}"));
    }
    Ok(Requirement { key, operator })
}

fn set<'a>(text: &'a str, operator: &str) -> Option<(&'a str, Vec<String>)> {
    let (key, values) = text.split_once(operator)?;
    let values = values.trim().strip_prefix('(')?.strip_suffix(')')?;
    Some((
        key,
        values
            .split(',')
            .map(|value| value.trim().to_owned())
            .collect(),
    ))
}

fn field(text: &str) -> Result<Field, String> {
    let (name, equals, value) = if let Some((name, value)) = text.split_once("!=") {
        (name, false, value)
    } else if let Some((name, value)) = text.split_once("==") {
        (name, true, value)
    } else if let Some((name, value)) = text.split_once('=') {
        (name, true, value)
    } else {
        return Err(format!(
            "invalid selector: '{text}'; can't understand '{text}'"
        ));
    };
    let name = match name {
        "metadata.name" => "name",
        "metadata.namespace" => "namespace",
        name => return Err(format!("field label not supported: {name}")),
    };
    Ok(Field {
        name,
        equals,
        value: value.to_owned(),
    })
}
