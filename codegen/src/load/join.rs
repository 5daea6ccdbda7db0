//! Several files with schemas of one group-version, read as one document.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::read::read;
use super::refs::SCHEMAS;
use crate::diag::Diagnostics;
use crate::pointer::Pointer;
use crate::source::{DocumentSource, Source};

/// The places of what is joined.
const PARTS: [&str; 2] = [SCHEMAS, "/paths"];

/// Adds the schemas and paths of more files to a document. Returns the names of the files of the
/// schemas that it didn't have; `None` if one can't be read.
pub(super) fn add(
    document: &mut Value,
    source: &Source,
    more: &[&DocumentSource],
    prefix: &str,
    diagnostics: &mut Diagnostics,
) -> Option<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    let mut all_read = true;
    for DocumentSource { source: file, .. } in more {
        let Some(mut other) = read(file, Some(prefix), diagnostics) else {
            all_read = false;
            continue;
        };
        for part in PARTS {
            let Some(Value::Object(added)) = other.pointer_mut(part).map(Value::take) else {
                continue;
            };
            if let Some(Value::Object(known)) = document.pointer_mut(part) {
                for (name, pointer) in join(known, added, part, &file.name, &mut files) {
                    let known = files.get(&name).unwrap_or(&source.name);
                    diagnostics.at(
                        &file.name,
                        &pointer,
                        format!("`{name}` is another schema than in {known}"),
                        "a crate has one type for it: take the one out that is not the newest",
                    );
                }
            }
        }
    }
    all_read.then_some(files)
}

/// Adds members to those that are known, and notes the file of schemas. Returns those that are
/// known and differ, with their places.
fn join(
    known: &mut Map<String, Value>,
    added: Map<String, Value>,
    part: &str,
    file: &str,
    files: &mut BTreeMap<String, String>,
) -> Vec<(String, Pointer)> {
    let mut different = Vec::new();
    for (name, value) in added {
        match known.get(&name) {
            Some(same) if *same == value => {}
            Some(_) => {
                let pointer = Pointer::parse(part).unwrap_or_default().child(&name);
                different.push((name, pointer));
            }
            None => {
                if part == SCHEMAS {
                    files.insert(name.clone(), file.to_owned());
                }
                known.insert(name, value);
            }
        }
    }
    different
}
