//! Labels from what Go's encoder writes.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::Diagnostics;
use crate::source::Source;

use super::{Label, Message, ProtoField, Protos};

/// The help about a field that only one side has.
const SAME_RELEASE: &str = "the .proto files and Go's modules must be of one release";

/// A field of Go.
struct Written<'a> {
    number: &'a str,
    is_always: bool,
    keeps_zero: bool,
    /// The name in JSON, if it has one.
    json: Option<&'a str>,
    line: usize,
}

/// The fields of Go, by the full name of the message and by field.
type Fields<'a> = BTreeMap<String, BTreeMap<&'a str, Written<'a>>>;

/// Labels the singular fields of some packages.
pub(super) fn label(
    protos: &mut Protos,
    presence: &Source,
    packages: &BTreeSet<String>,
    diagnostics: &mut Diagnostics,
) {
    let mut known = read(presence, diagnostics);
    for name in packages {
        let Some(package) = protos.packages.get_mut(name) else {
            continue;
        };
        for message in &mut package.messages {
            let fields = known.remove(&message.name).unwrap_or_default();
            label_message(message, fields, presence, diagnostics);
        }
    }
    for (message, fields) in known {
        let package = message.rsplit_once('.').map(|(package, _)| package);
        let package = package.filter(|package| packages.contains(*package));
        let Some(found) = package.and_then(|package| protos.packages.get(package)) else {
            continue;
        };
        diagnostics.in_file(
            &presence.name,
            fields.values().map(|field| field.line).min(),
            format!("Go has the message `{message}`, which {} lacks", found.file),
            SAME_RELEASE,
        );
    }
}

/// Labels the fields of a message, and reports those that only one side has.
fn label_message(
    message: &mut Message,
    mut known: BTreeMap<&str, Written<'_>>,
    presence: &Source,
    diagnostics: &mut Diagnostics,
) {
    let Message {
        name,
        place,
        fields,
    } = message;
    for field in fields {
        let go = known.remove(field.name.as_str());
        let Err(problem) = label_field(field, go.as_ref()) else {
            continue;
        };
        let other = match &go {
            Some(go) => format!("{}:{}", presence.name, go.line),
            None => presence.name.clone(),
        };
        diagnostics.in_file(
            &place.file,
            Some(field.line),
            format!("the field `{}` of `{name}` {problem} ({other})", field.name),
            SAME_RELEASE,
        );
    }
    for (field, go) in known {
        diagnostics.in_file(
            &presence.name,
            Some(go.line),
            format!(
                "Go has the field `{field}` of `{name}`, which {}:{} lacks",
                place.file, place.line
            ),
            SAME_RELEASE,
        );
    }
}

/// Labels one field, or says how Go's differs.
fn label_field(field: &mut ProtoField, go: Option<&Written<'_>>) -> Result<(), String> {
    let Some(go) = go else {
        return Err("isn't in Go".to_owned());
    };
    if field.number.to_string() != go.number {
        return Err(format!(
            "has the number {} here, and {} in Go",
            field.number, go.number
        ));
    }
    let json = go.json.filter(|json| *json != field.name);
    field.json = json.map(str::to_owned);
    // Which messages JSON omits is a matter of their type, and they have no default.
    field.keeps_zero = go.keeps_zero && field.ty.zero().is_some();
    field.label = match field.label {
        Label::Required | Label::Optional if go.is_always => Label::Required,
        Label::Required | Label::Optional => Label::Optional,
        label if go.is_always => {
            return Err(match label {
                Label::Map => "is a map, but Go writes one value always".to_owned(),
                _ => "is a list, but Go writes one value always".to_owned(),
            });
        }
        label => label,
    };
    Ok(())
}

/// Reads the lines about Go.
fn read<'a>(presence: &'a Source, diagnostics: &mut Diagnostics) -> Fields<'a> {
    let mut known = Fields::new();
    for (text, line) in presence.text.lines().zip(1..) {
        let words: Vec<_> = text.split_whitespace().collect();
        let mut problem = |message: String| {
            diagnostics.in_file(
                &presence.name,
                Some(line),
                message,
                "each line is PACKAGE MESSAGE FIELD NUMBER PRESENCE JSON, where PRESENCE is `kept`, \
                 `value` or `pointer`, and JSON a name or `-`",
            );
        };
        let [package, message, field, number, presence, json] = words[..] else {
            problem(format!("a line of {} words, not 6", words.len()));
            continue;
        };
        let (is_always, keeps_zero) = match presence {
            "kept" => (true, true),
            "value" => (true, false),
            "pointer" => (false, false),
            other => {
                problem(format!("`{other}` is not `kept`, `value` or `pointer`"));
                continue;
            }
        };
        let written = Written {
            number,
            is_always,
            keeps_zero,
            json: (json != "-").then_some(json),
            line,
        };
        let fields = known.entry(format!("{package}.{message}")).or_default();
        if fields.insert(field, written).is_some() {
            problem(format!("a second line about `{package}.{message}.{field}`"));
        }
    }
    known
}
