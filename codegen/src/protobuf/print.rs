//! Packages as text.

use std::fmt::{self, Write};

use super::{Label, Message, Package, ProtoField, ProtoType};

/// Returns the text of a package, after lines of comment.
pub(super) fn print(name: &str, package: &Package, comment: &str) -> String {
    let mut text = String::new();
    // Writing into a text doesn't fail.
    let _ = write(&mut text, name, package, comment);
    text
}

fn write(out: &mut String, name: &str, package: &Package, comment: &str) -> fmt::Result {
    for line in comment.lines() {
        writeln!(out, "{}", format!("// {line}").trim_end())?;
    }
    if !comment.is_empty() {
        writeln!(out)?;
    }
    writeln!(out, "syntax = \"proto2\";\n\npackage {name};")?;
    if !package.imports.is_empty() {
        writeln!(out)?;
    }
    for path in &package.imports {
        // A path has one of the two only, as it ends with the one that it starts with.
        let quote = if path.contains('"') { '\'' } else { '"' };
        writeln!(out, "import {quote}{path}{quote};")?;
    }
    for message in &package.messages {
        writeln!(out)?;
        write_message(out, name, message)?;
    }
    Ok(())
}

fn write_message(out: &mut String, package: &str, message: &Message) -> fmt::Result {
    let name = inside(&message.name, package).unwrap_or(&message.name);
    if message.fields.is_empty() {
        return writeln!(out, "message {name} {{}}");
    }
    writeln!(out, "message {name} {{")?;
    for field in &message.fields {
        let ProtoField {
            name,
            number,
            label,
            ty,
            json,
            keeps_zero,
            ..
        } = field;
        let default = ty.zero().filter(|_| *keeps_zero);
        let default = default.map(|zero| format!("default = {zero}"));
        let json = json.as_ref().map(|json| format!("json_name = \"{json}\""));
        let options: Vec<_> = default.into_iter().chain(json).collect();
        let ty = written(ty, package);
        match label {
            Label::Required => write!(out, "  required {ty}")?,
            Label::Optional => write!(out, "  optional {ty}")?,
            Label::Repeated => write!(out, "  repeated {ty}")?,
            Label::Map => write!(out, "  map<string, {ty}>")?,
        }
        write!(out, " {name} = {number}")?;
        if !options.is_empty() {
            write!(out, " [{}]", options.join(", "))?;
        }
        writeln!(out, ";")?;
    }
    writeln!(out, "}}")
}

/// A type as a file of a package refers to it.
fn written(ty: &ProtoType, package: &str) -> String {
    match ty {
        ProtoType::Message(full) => match inside(full, package) {
            Some(name) => name.to_owned(),
            None => format!(".{full}"),
        },
        scalar => scalar.name().to_owned(),
    }
}

/// The name of a message in its package, if it is of this one.
fn inside<'a>(full: &'a str, package: &str) -> Option<&'a str> {
    let name = full.strip_prefix(package)?.strip_prefix('.')?;
    (!name.contains('.')).then_some(name)
}
