//! CustomResourceDefinitions as their authors have written them, for crates that hold theirs.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::crd;
use crate::model::Definition;
use crate::source::Source;

/// The annotation in which kubectl keeps what it has applied.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Returns the definitions in files, by the schemas of their kinds that have the prefix, or what a
/// server finds wrong in them.
pub(super) fn of<'a>(
    sources: impl Iterator<Item = &'a Source>,
    prefix: &str,
) -> BTreeMap<String, Result<Definition, String>> {
    let written = sources.flat_map(|source| crd::written(source, prefix));
    written
        .map(|(name, definition)| (name, kept(&definition)))
        .collect()
}

/// Returns what is kept of a definition: its name, and its text without what a server
/// adds; or the error that a server makes of it.
fn kept(definition: &Value) -> Result<Definition, String> {
    let mut metadata = Map::new();
    for key in ["name", "labels", "annotations"] {
        let value = definition.get("metadata").and_then(|of| of.get(key));
        let mut value = value.cloned().unwrap_or_default();
        if let Some(annotations) = value.as_object_mut().filter(|_| key == "annotations") {
            annotations.remove(LAST_APPLIED);
        }
        if !value.is_null() && value != json!({}) {
            metadata.insert(key.to_owned(), value);
        }
    }
    let name = metadata.get("name").and_then(Value::as_str);
    let name = name.map(str::to_owned);
    let whole = json!({
        "apiVersion": definition.get("apiVersion"),
        "kind": definition.get("kind"),
        "metadata": metadata,
        "spec": definition.get("spec"),
    });
    if let Some(error) = wrong(&whole, &DEFINITION, String::new()) {
        return Err(error);
    }
    Ok(Definition {
        name: name.ok_or_else(|| "metadata.name is missing".to_owned())?,
        text: whole.to_string(),
    })
}

/// The type of a value in a definition.
enum Form {
    Text,
    Flag,
    /// A whole number of 64 bits.
    Count,
    /// A whole number of 32 bits.
    Small,
    Number,
    List(&'static Form),
    Map(&'static Form),
    /// An object with some members of these types, and with others.
    Object(&'static [(&'static str, Form)]),
    /// A value of the first type or of the second.
    Either(&'static Form, &'static Form),
    /// The schema of a value.
    Schema,
}

use Form::{Count, Either, Flag, List, Number, Object, Schema, Small, Text};

/// A definition, as far as servers read members of it as something else than JSON.
const DEFINITION: Form = Object(&[
    (
        "metadata",
        Object(&[
            ("name", Text),
            ("labels", Form::Map(&Text)),
            ("annotations", Form::Map(&Text)),
        ]),
    ),
    (
        "spec",
        Object(&[
            ("conversion", CONVERSION),
            ("group", Text),
            ("names", NAMES),
            ("preserveUnknownFields", Flag),
            ("scope", Text),
            ("versions", List(&VERSION)),
        ]),
    ),
]);

const NAMES: Form = Object(&[
    ("categories", List(&Text)),
    ("kind", Text),
    ("listKind", Text),
    ("plural", Text),
    ("shortNames", List(&Text)),
    ("singular", Text),
]);

const CONVERSION: Form = Object(&[
    ("strategy", Text),
    (
        "webhook",
        Object(&[
            ("conversionReviewVersions", List(&Text)),
            (
                "clientConfig",
                Object(&[("caBundle", Text), ("service", SERVICE), ("url", Text)]),
            ),
        ]),
    ),
]);

const SERVICE: Form = Object(&[
    ("name", Text),
    ("namespace", Text),
    ("path", Text),
    ("port", Small),
]);

const VERSION: Form = Object(&[
    (
        "additionalPrinterColumns",
        List(&Object(&[
            ("description", Text),
            ("format", Text),
            ("jsonPath", Text),
            ("name", Text),
            ("priority", Small),
            ("type", Text),
        ])),
    ),
    ("deprecated", Flag),
    ("deprecationWarning", Text),
    ("name", Text),
    ("schema", Object(&[("openAPIV3Schema", Schema)])),
    ("selectableFields", List(&Object(&[("jsonPath", Text)]))),
    ("served", Flag),
    ("storage", Flag),
    (
        "subresources",
        Object(&[
            (
                "scale",
                Object(&[
                    ("labelSelectorPath", Text),
                    ("specReplicasPath", Text),
                    ("statusReplicasPath", Text),
                ]),
            ),
            ("status", Object(&[])),
        ]),
    ),
]);

/// The keywords of a schema, but for those with JSON of any type.
const KEYWORDS: [(&str, Form); 41] = [
    ("$ref", Text),
    ("$schema", Text),
    ("additionalItems", Either(&Schema, &Flag)),
    ("additionalProperties", Either(&Schema, &Flag)),
    ("allOf", List(&Schema)),
    ("anyOf", List(&Schema)),
    ("definitions", Form::Map(&Schema)),
    ("dependencies", Form::Map(&Either(&Schema, &List(&Text)))),
    ("description", Text),
    ("exclusiveMaximum", Flag),
    ("exclusiveMinimum", Flag),
    (
        "externalDocs",
        Object(&[("description", Text), ("url", Text)]),
    ),
    ("format", Text),
    ("id", Text),
    ("items", Either(&Schema, &List(&Schema))),
    ("maxItems", Count),
    ("maxLength", Count),
    ("maxProperties", Count),
    ("maximum", Number),
    ("minItems", Count),
    ("minLength", Count),
    ("minProperties", Count),
    ("minimum", Number),
    ("multipleOf", Number),
    ("not", Schema),
    ("nullable", Flag),
    ("oneOf", List(&Schema)),
    ("pattern", Text),
    ("patternProperties", Form::Map(&Schema)),
    ("properties", Form::Map(&Schema)),
    ("required", List(&Text)),
    ("title", Text),
    ("type", Text),
    ("uniqueItems", Flag),
    ("x-kubernetes-embedded-resource", Flag),
    ("x-kubernetes-int-or-string", Flag),
    ("x-kubernetes-list-map-keys", List(&Text)),
    ("x-kubernetes-list-type", Text),
    ("x-kubernetes-map-type", Text),
    ("x-kubernetes-preserve-unknown-fields", Flag),
    ("x-kubernetes-validations", List(&RULE)),
];

const RULE: Form = Object(&[
    ("fieldPath", Text),
    ("message", Text),
    ("messageExpression", Text),
    ("optionalOldSelf", Flag),
    ("reason", Text),
    ("rule", Text),
]);

/// Returns the first value of another type than a server reads, if there is one. `null` stands for
/// nothing.
fn wrong(value: &Value, form: &Form, at: String) -> Option<String> {
    let members = |known: &'static [(&'static str, Form)]| {
        let of_known = |(name, form): &'static (&str, Form)| {
            let value = value.get(name).filter(|value| !value.is_null())?;
            wrong(value, form, below(&at, name))
        };
        known.iter().find_map(of_known)
    };
    let not = |what: &str| Some(format!("{} is not {what}", at.trim_start_matches('.')));
    match form {
        Text if !value.is_string() => not("a text"),
        Flag if !value.is_boolean() => not("true or false"),
        Count if !value.is_i64() => not("a whole number"),
        Small if value.as_i64().and_then(|n| i32::try_from(n).ok()).is_none() => {
            not("a whole number of 32 bits")
        }
        Number if !value.is_number() => not("a number"),
        List(of) => match value.as_array() {
            Some(items) => {
                let mut items = items.iter().enumerate();
                items.find_map(|(nth, item)| wrong(item, of, format!("{at}[{nth}]")))
            }
            None => not("a list"),
        },
        Form::Map(of) => match value.as_object() {
            Some(entries) => {
                let mut entries = entries.iter();
                entries.find_map(|(name, entry)| wrong(entry, of, below(&at, name)))
            }
            None => not("an object"),
        },
        Object(_) | Schema if !value.is_object() => not("an object"),
        Object(known) => members(known),
        Schema => members(&KEYWORDS),
        Either(one, _) if value.is_object() => wrong(value, one, at),
        Either(_, other) => wrong(value, other, at),
        Text | Flag | Count | Small | Number => None,
    }
}

fn below(at: &str, name: &str) -> String {
    format!("{at}.{}", name.escape_debug())
}
