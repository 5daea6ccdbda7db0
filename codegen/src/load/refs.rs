//! References: normalises them, and checks that their targets exist.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::diag::{Diagnostics, Pointer};

/// Where the schemas of a document are, as a JSON pointer.
pub(crate) const SCHEMAS: &str = "/components/schemas";

/// Puts a `$ref` with siblings into an `allOf` of its own.
///
/// OpenAPI 3.0 ignores siblings of a `$ref`, and so does the typed parse; Kubernetes'
/// documents up to 1.23 have descriptions and defaults there, later ones write the `allOf`.
pub(super) fn wrap_bare(value: &mut Value) {
    match value {
        Value::Object(object) => {
            let bare =
                object.len() > 1 && object.get("$ref").is_some_and(Value::is_string);
            let reference = if bare { object.remove("$ref") } else { None };
            if let Some(reference) = reference {
                object.insert("allOf".to_owned(), json!([{ "$ref": reference }]));
            }
            object.values_mut().for_each(wrap_bare);
        }
        Value::Array(array) => array.iter_mut().for_each(wrap_bare),
        _ => {}
    }
}

/// Reports every `$ref` that leads out of the document or nowhere.
pub(super) fn check(document: &Value, file: &str, diagnostics: &mut Diagnostics) {
    let mut pointer = Vec::new();
    visit(document, &mut pointer, &mut |object, at| {
        let Some(Value::String(reference)) = object.get("$ref") else {
            return;
        };
        let place = at.iter().fold(Pointer::root(), |p, key| p.child(key)).child("$ref");
        match reference.strip_prefix('#') {
            None => diagnostics.at(
                file,
                &place,
                format!("`{}` leads out of the document", reference.escape_debug()),
                "a document must hold all that it refers to: copy the schema into it and \
                 refer to `#/components/schemas/NAME`",
            ),
            Some(target) if document.pointer(target).is_none() => diagnostics.at(
                file,
                &place,
                format!("`{}` leads nowhere", reference.escape_debug()),
                "check the spelling, or add what it names to the document",
            ),
            Some(target) if in_schemas(at) && !is_schema(target) => diagnostics.at(
                file,
                &place,
                format!("`{}` is not a schema", reference.escape_debug()),
                "refer to `#/components/schemas/NAME`",
            ),
            Some(_) => {}
        }
    });
}

fn in_schemas(at: &[Cow<'_, str>]) -> bool {
    matches!(at, [components, schemas, ..] if components == "components" && schemas == "schemas")
}

fn is_schema(target: &str) -> bool {
    let name = target.strip_prefix(SCHEMAS).and_then(|rest| rest.strip_prefix('/'));
    name.is_some_and(|name| !name.contains('/'))
}

fn visit<'a>(
    value: &'a Value,
    at: &mut Vec<Cow<'a, str>>,
    see: &mut impl FnMut(&Map<String, Value>, &[Cow<'a, str>]),
) {
    match value {
        Value::Object(object) => {
            see(object, at);
            for (key, value) in object {
                at.push(key.as_str().into());
                visit(value, at, see);
                at.pop();
            }
        }
        Value::Array(array) => {
            for (index, value) in array.iter().enumerate() {
                at.push(index.to_string().into());
                visit(value, at, see);
                at.pop();
            }
        }
        _ => {}
    }
}
