//! Schemas that several documents of a crate have: they become types once.

use std::collections::BTreeSet;

use serde_json::Value;

use super::crd;
use super::document::Document;
use super::read::read;
use super::refs::SCHEMAS;
use crate::diag::Diagnostics;
use crate::pointer::Pointer;
use crate::source::DocumentSource;

/// Takes the schemas out that documents before this one have too, and reports those that aren't the
/// same there. Overlays don't count, as they are of each document.
pub(crate) fn take_out(
    document: &mut Document,
    input: &DocumentSource,
    earlier: &[&DocumentSource],
    prefix: &str,
    diagnostics: &mut Diagnostics,
) {
    let source = &input.source;
    let named = crd::names(source, prefix);
    // Definitions hardly ever have the same, and their schemas take long to read.
    let may_share = |other: &&&DocumentSource| match (&named, crd::names(&other.source, prefix)) {
        (Some(own), Some(others)) => !own.is_disjoint(&others),
        _ => true,
    };
    let earlier: Vec<_> = earlier.iter().filter(may_share).collect();
    if earlier.is_empty() {
        return;
    }
    // Errors of these are reported where they are loaded themselves.
    let Some(own) = read(source, Some(prefix), &mut Diagnostics::default()) else {
        return;
    };
    for other in earlier {
        let Some(value) = read(&other.source, Some(prefix), &mut Diagnostics::default()) else {
            continue;
        };
        for name in both(&own, &value, prefix) {
            let pointer = Pointer::schema(&name);
            document.schemas.remove(&name);
            document.shared.insert(name.clone());
            if own.pointer(pointer.as_str()) == value.pointer(pointer.as_str()) {
                continue;
            }
            diagnostics.at(
                &document.file,
                &pointer,
                format!("`{name}` is another schema than in {}", other.source.name),
                "a crate has one type for it: make the schemas equal, take the one out that is \
                 not the newest, or give one of the documents a `module` or a crate of its own",
            );
        }
    }
}

/// The names of the schemas with the prefix that both documents have.
fn both(one: &Value, other: &Value, prefix: &str) -> BTreeSet<String> {
    let names = |document: &Value| -> BTreeSet<String> {
        let schemas = document.pointer(SCHEMAS).and_then(Value::as_object);
        let names = schemas.into_iter().flat_map(|schemas| schemas.keys());
        names
            .filter(|name| name.starts_with(prefix))
            .cloned()
            .collect()
    };
    names(one).intersection(&names(other)).cloned().collect()
}
