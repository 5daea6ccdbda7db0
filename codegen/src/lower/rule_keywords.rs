//! The keywords of a schema that are rules of its values.

use openapiv3::Schema;
use serde_json::{Map, Value};

use crate::keyword::{self, Meaning};
use crate::model::RuleKeywords;

/// The keywords of a property.
pub(super) fn of(schema: &Schema) -> RuleKeywords {
    match serde_json::to_value(schema) {
        Ok(Value::Object(schema)) => within(schema),
        _ => RuleKeywords::default(),
    }
}

/// The keywords of a type as a whole; its properties have their own.
pub(super) fn of_type(schema: &Schema) -> RuleKeywords {
    RuleKeywords {
        inside: None,
        ..of(schema)
    }
}

fn within(schema: Map<String, Value>) -> RuleKeywords {
    let mut rule_keywords = RuleKeywords::default();
    for (name, value) in schema {
        match (name.as_str(), value) {
            ("items" | "additionalProperties", Value::Object(inner)) => {
                rule_keywords.inside = Some(Box::new(within(inner)));
            }
            (_, value) if is_asked(&name) => {
                rule_keywords.keywords.insert(name, value);
            }
            _ => {}
        }
    }
    rule_keywords
}

fn is_asked(name: &str) -> bool {
    keyword::find(name).is_some_and(|keyword| !matches!(keyword.meaning, Meaning::Schema))
}
