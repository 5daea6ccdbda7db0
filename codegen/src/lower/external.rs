//! Schemas that are not generated, and the types of other crates for them.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Context;
use crate::config::Config;
use crate::diag::Pointer;
use crate::load::{Document, SCHEMAS};
use crate::model::External;
use crate::name::RustPath;

/// The home of a schema that is not generated.
pub(super) fn of(
    name: &str,
    document: &Document,
    pointer: &Pointer,
    config: &Config,
    cx: &mut Context<'_>,
) -> Option<External> {
    let Some(external) = config.external(name) else {
        cx.report(
            pointer,
            format!("no crate is known to have `{name}`"),
            "say in codegen.toml where it lives: an [[extern]] with its `prefix` and the \
             Rust `path`",
        );
        return None;
    };
    let rest = name.strip_prefix(&external.prefix)?;
    let Some(path) = RustPath::below(&external.path, rest) else {
        cx.report(
            pointer,
            format!("`{rest}` can't be a type below `{}`", external.path),
            "give it an [[extern]] with a longer prefix in codegen.toml",
        );
        return None;
    };
    let large = external.large.iter().any(|l| l == path.name().as_str());
    Some(External {
        path,
        large,
        required: has_required(name, document),
    })
}

/// Whether a schema, or one that it refers to, has required properties.
fn has_required(name: &str, document: &Document) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![name.to_owned()];
    while let Some(name) = open.pop() {
        let Some(schema) = document.schemas.get(&name) else {
            continue;
        };
        // As JSON, all places of a schema look the same.
        let Ok(schema) = serde_json::to_value(schema) else {
            continue;
        };
        let mut values = vec![&schema];
        while let Some(value) = values.pop() {
            let required = value.get("required").and_then(Value::as_array);
            if required.is_some_and(|required| !required.is_empty()) {
                return true;
            }
            match value {
                Value::Object(object) => values.extend(object.values()),
                Value::Array(array) => values.extend(array),
                Value::String(text) => {
                    let name =
                        text.strip_prefix('#').and_then(|t| t.strip_prefix(SCHEMAS));
                    let name = name.and_then(|name| name.strip_prefix('/'));
                    let name = name.map(str::to_owned);
                    open.extend(name.filter(|name| seen.insert(name.clone())));
                }
                _ => {}
            }
        }
    }
    false
}
