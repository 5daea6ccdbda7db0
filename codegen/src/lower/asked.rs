//! The keywords of a schema that are rules of its values.

use openapiv3::Schema;
use serde_json::{Map, Value};

use crate::keyword::{self, Meaning};
use crate::model::Asked;

/// The keywords of a property.
pub(super) fn of(schema: &Schema) -> Asked {
    match serde_json::to_value(schema) {
        Ok(Value::Object(schema)) => within(schema),
        _ => Asked::default(),
    }
}

/// The keywords of a type as a whole; its properties have their own.
pub(super) fn of_type(schema: &Schema) -> Asked {
    Asked {
        inside: None,
        ..of(schema)
    }
}

fn within(schema: Map<String, Value>) -> Asked {
    let mut asked = Asked::default();
    for (name, value) in schema {
        match (name.as_str(), value) {
            ("items" | "additionalProperties", Value::Object(inner)) => {
                asked.inside = Some(Box::new(within(inner)));
            }
            (_, value) if is_asked(&name) => {
                asked.keywords.insert(name, value);
            }
            _ => {}
        }
    }
    asked
}

fn is_asked(name: &str) -> bool {
    keyword::find(name).is_some_and(|keyword| !matches!(keyword.meaning, Meaning::Schema))
}
