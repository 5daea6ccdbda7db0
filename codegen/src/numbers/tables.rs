//! The tables of types of k8s-openapi, which `kubernetes-kinds` has: a trait of its own can be
//! implemented for them only there.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Numbers, SAME_RELEASE, message_name, without_number};
use crate::config::{Config, NumberedTypes};
use crate::diag::Diagnostics;
use crate::load::{SCHEMAS, references};
use crate::model::SchemaName;
use crate::name::{self, RustPath};
use crate::pointer::Pointer;
use crate::release::Release;
use crate::render::MARK;
use crate::source::Inputs;

/// The schemas of types, and those that they refer to. The document of an earlier release may lack
/// some.
pub(super) fn closure(types: &NumberedTypes, inputs: &Inputs) -> BTreeMap<SchemaName, Value> {
    let input = inputs.documents.get(&types.document);
    let json = input.and_then(|input| serde_json::from_str::<Value>(&input.source.text).ok());
    let mut schemas = json.unwrap_or_default();
    let mut schemas = schemas.pointer_mut(SCHEMAS);
    let mut open = types.types.clone();
    let mut found = BTreeMap::new();
    while let Some(name) = open.pop() {
        if found.contains_key(&name) {
            continue;
        }
        let schema = schemas.as_mut().and_then(|schemas| schemas.get_mut(&name));
        let schema = schema.map(Value::take).unwrap_or_default();
        references(&schema, &mut open);
        found.insert(name, schema);
    }
    found
}

/// The text of the file with the tables.
pub(crate) fn tables(
    config: &Config,
    types: &NumberedTypes,
    inputs: &Inputs,
    diagnostics: &mut Diagnostics,
) -> Option<String> {
    let numbers = Numbers::read(config, inputs, diagnostics)?;
    let file = &inputs.documents.get(&types.document)?.source.name;
    let is_missing = |name: &&String| numbers.of_others.get(*name).is_none_or(Value::is_null);
    for name in types.types.iter().filter(is_missing) {
        diagnostics.in_file(
            "codegen.toml",
            None,
            format!("{file} has no schema `{}`", name.escape_debug()),
            "correct `types` of [protobuf.k8s-openapi]",
        );
    }
    let mut tables = BTreeMap::new();
    for (name, schema) in &numbers.of_others {
        let Some(properties) = schema.get("properties") else {
            // Its type is read by hand: a text, or JSON.
            continue;
        };
        let path = config.external_of(name, |e| e.path.starts_with("k8s_openapi::"));
        let path = path.and_then(|e| RustPath::below(&e.path, name.strip_prefix(&e.prefix)?));
        let properties: Vec<_> = properties.as_object()?.keys().collect();
        let mut required = required(schema);
        // k8s-openapi has the metadata of every kind, though documents don't require it.
        if ["apiVersion", "kind"]
            .iter()
            .all(|name| properties.iter().any(|p| p == name))
        {
            required.insert("metadata");
        }
        let rows = rows(&numbers, name, &properties, &required, file, diagnostics);
        tables.insert(
            path?.to_string(),
            Table {
                schema: name,
                rows: rows?,
            },
        );
    }
    Some(text(&tables, types, file))
}

/// The table of a type.
struct Table<'a> {
    schema: &'a str,
    /// The rows, with the property of each.
    rows: Vec<(String, String)>,
}

/// The names of the properties that a schema requires.
fn required(schema: &Value) -> BTreeSet<&str> {
    let required = schema.get("required").and_then(Value::as_array);
    required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

fn rows(
    numbers: &Numbers,
    schema: &str,
    properties: &[&String],
    required: &BTreeSet<&str>,
    file: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<(String, String)>> {
    let at = |diagnostics: &mut Diagnostics, property: Option<&str>, message: String| {
        let mut pointer = Pointer::schema(schema);
        if let Some(property) = property {
            pointer = pointer.child("properties").child(property);
        }
        diagnostics.at(file, &pointer, message, SAME_RELEASE);
    };
    let Some(message) = numbers.message(schema) else {
        let name = message_name(schema).unwrap_or_default();
        at(
            diagnostics,
            None,
            format!("no `.proto` file has a message `{name}`"),
        );
        return None;
    };
    let names = properties.iter().map(|name| name.as_str()).collect();
    let found = numbers.pair(message, &names);
    let mut rows = Vec::new();
    for property in properties {
        let name = name::field_name(property)?;
        match found.get(property.as_str()) {
            Some(found) => {
                let number = found.number(required.contains(property.as_str()));
                rows.push(((*property).clone(), format!("{number} => {name}")));
            }
            // A body has those of the object around it.
            None if ["apiVersion", "kind"].contains(&property.as_str()) => {}
            None => at(
                diagnostics,
                Some(property),
                without_number(property, message),
            ),
        }
    }
    Some(rows)
}

/// The text of the tables by the paths of their types.
fn text(tables: &BTreeMap<String, Table<'_>>, types: &NumberedTypes, file: &str) -> String {
    let mut text = format!(
        "// {MARK}{file}.\n// Change the document or the `.proto` files and run the command again.\n\n\
         //! Reading and writing of types of `k8s_openapi` as protobuf.\n\n"
    );
    let since = |table: &Table<'_>| types.since.get(table.schema);
    let always = tables.iter().filter(|(_, table)| since(table).is_none());
    let mut modules = BTreeMap::<_, Vec<_>>::new();
    for (module, name) in always.filter_map(|(path, _)| path.rsplit_once("::")) {
        modules.entry(module).or_default().push(name);
    }
    for (module, names) in modules {
        text += &format!("use {module}::{{{}}};\n", names.join(", "));
    }
    text += "\nuse crate::protobuf::message;\n";
    for (path, table) in tables {
        let name = path.rsplit("::").next().unwrap_or(path);
        if let Some(Release { major, minor }) = since(table) {
            let call = indented(&call(name, table.rows.iter()));
            text += &format!(
                "\nk8s_openapi::k8s_if_ge_{major}_{minor}! {{\n    use {path};\n\n{call}}}\n"
            );
            continue;
        }
        let new: BTreeMap<_, _> = table
            .rows
            .iter()
            .filter_map(|(property, _)| {
                let key = format!("{}.{property}", table.schema);
                Some((property, *types.since.get(&key)?))
            })
            .collect();
        let all = call(name, table.rows.iter());
        match new.values().max() {
            None => text += &format!("\n{all}"),
            Some(Release { major, minor }) => {
                let old = table
                    .rows
                    .iter()
                    .filter(|(name, _)| !new.contains_key(name));
                let before = minor.saturating_sub(1);
                let (all, old) = (indented(&all), indented(&call(name, old)));
                text += &format!(
                    "\nk8s_openapi::k8s_if_ge_{major}_{minor}! {{\n{all}}}\n\
                     \nk8s_openapi::k8s_if_le_{major}_{before}! {{\n{old}}}\n"
                );
            }
        }
    }
    text
}

fn call<'a>(name: &str, rows: impl Iterator<Item = &'a (String, String)>) -> String {
    let rows: String = rows.map(|(_, row)| format!("        {row},\n")).collect();
    format!("message! {{\n    {name} {{\n{rows}    }}\n}}\n")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}
