//! Schemas that are not generated, and the types of other crates for them.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::config::Config;
use crate::diag::Spot;
use crate::load::{Document, SCHEMAS, schema_name};
use crate::model::External;
use crate::name::RustPath;

/// The home of a schema that is not generated.
pub(super) fn of(
    name: &str,
    document: &Document,
    at: &Spot<'_>,
    config: &Config,
) -> Option<External> {
    let Some(external) = config.external(name) else {
        return at.refuse(
            format!("no crate is known to have `{name}`"),
            "say in codegen.toml where it lives: an [[extern]] with its `prefix` and the \
             Rust `path`",
        );
    };
    let rest = name.strip_prefix(&external.prefix)?;
    let Some(path) = RustPath::below(&external.path, rest) else {
        return at.refuse(
            format!("`{rest}` can't be a type below `{}`", external.path),
            "give it an [[extern]] with a longer prefix in codegen.toml",
        );
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
    let schema = |name: &str| document.json.pointer(SCHEMAS)?.get(name);
    let mut seen = BTreeSet::new();
    let mut open: Vec<_> = schema(name).into_iter().collect();
    while let Some(value) = open.pop() {
        let required = value.get("required").and_then(Value::as_array);
        if required.is_some_and(|required| !required.is_empty()) {
            return true;
        }
        match value {
            Value::Object(object) => open.extend(object.values()),
            Value::Array(array) => open.extend(array),
            Value::String(text) => {
                let name = schema_name(text).filter(|name| seen.insert(*name));
                open.extend(name.and_then(schema));
            }
            _ => {}
        }
    }
    false
}
