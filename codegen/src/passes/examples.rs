//! Examples: code that makes an object of a kind, for the top of its page.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::config::{CrateConfig, Part, Parts};
use crate::model::{
    Analysed, ApiVersion, Exact, Field, Resource, Role, SchemaName, Struct, Ty, Type,
};

/// The columns of a line of code in a comment.
const WIDTH: usize = 82;

/// The number of types that may be inside each other.
const DEPTH: usize = 6;

/// Puts an example after the first paragraph of a kind's documentation, and below the rest what
/// else there is to call.
pub(super) fn add(
    version: &ApiVersion<Analysed>,
    config: &CrateConfig,
    (kind, resource): (&SchemaName, &Resource<Analysed>),
    lines: &mut Vec<String>,
) {
    // It calls the builders, by the path of the crate.
    let has_builders = config.parts.has(Part::Builders) && !config.single_file;
    let example = has_builders.then(|| example(version, config, kind));
    let Some(example) = example.flatten() else {
        return;
    };
    let end = lines.iter().position(String::is_empty);
    let end = end.unwrap_or(lines.len());
    lines.splice(end..end, example);
    lines.push(String::new());
    lines.extend(calls(resource, &config.parts));
}

/// Returns the calls that users make of a kind.
fn calls(resource: &Resource<Analysed>, parts: &Parts) -> Vec<String> {
    let namespace = match resource.namespaced {
        true => "namespace, ",
        false => "",
    };
    let mut text = format!(
        "[`WithMetadata`](kubernetes_kinds::WithMetadata) sets {namespace}labels and \
         annotations."
    );
    if parts.has(Part::Validation) {
        text += " With the feature `validation`, `default_and_validate` of \
                 `kubernetes_validation::Validate` says what an API server would make of an object.";
    }
    crate::doc::wrapped(&text)
}

fn example(
    version: &ApiVersion<Analysed>,
    config: &CrateConfig,
    kind: &SchemaName,
) -> Option<Vec<String>> {
    let (ty, object) = (version.types.get(kind)?, version.object(kind)?);
    let mut used = BTreeSet::new();
    let expression = new(version, ty, object, DEPTH, &mut used)?;
    let mut path = config.name.replace('-', "_");
    if let Some(module) = &version.module {
        path = format!("{path}::{module}");
    }
    let names: Vec<_> = used.into_iter().collect();
    let mut lines = vec![String::new(), "```".to_owned()];
    lines.extend(uses(&path, &names));
    lines.push(String::new());
    expression.write("let object = ", 0, ";", &mut lines);
    let name = name_of(object);
    lines.push(format!(
        "assert_eq!(object.metadata.name.as_deref(), Some({name:?}));"
    ));
    lines.push("```".to_owned());
    Some(lines)
}

/// A `use` of several names, in one line or with lines that are filled.
fn uses(path: &str, names: &[String]) -> Vec<String> {
    if let [name] = names {
        return vec![format!("use {path}::{name};")];
    }
    let one = format!("use {path}::{{{}}};", names.join(", "));
    if one.len() <= WIDTH {
        return vec![one];
    }
    let mut lines = vec![format!("use {path}::{{")];
    let mut line = "   ".to_owned();
    for name in names {
        if line.len() + name.len() + 2 > WIDTH {
            lines.push(std::mem::replace(&mut line, "   ".to_owned()));
        }
        line += &format!(" {name},");
    }
    lines.extend([line, "};".to_owned()]);
    lines
}

/// The name of an example object.
fn name_of(object: &Struct<Analysed>) -> String {
    let metadata = object
        .field("metadata")
        .and_then(|m| m.facts.example.as_ref());
    let name = metadata
        .and_then(|metadata| metadata.get("name"))
        .and_then(Value::as_str);
    name.unwrap_or("example").to_owned()
}

/// An expression that may be broken over lines.
enum Expression {
    Plain(String),
    /// Parts, with the text before and after them.
    Of(String, Vec<Expression>, &'static str),
}

impl Expression {
    fn flat(&self) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Of(open, parts, close) => {
                let parts: Vec<_> = parts.iter().map(Self::flat).collect();
                format!("{open}{}{close}", parts.join(", "))
            }
        }
    }

    /// Adds the lines with what is before and after it.
    fn write(&self, before: &str, depth: usize, after: &str, lines: &mut Vec<String>) {
        let indent = "    ".repeat(depth);
        let flat = format!("{indent}{before}{}{after}", self.flat());
        match self {
            Self::Of(open, parts, close) if flat.len() > WIDTH && !parts.is_empty() => {
                lines.push(format!("{indent}{before}{open}"));
                for part in parts {
                    part.write("", depth + 1, ",", lines);
                }
                lines.push(format!("{indent}{close}{after}"));
            }
            _ => lines.push(flat),
        }
    }
}

/// The call that makes a struct, if all that it requires has an example.
fn new(
    version: &ApiVersion<Analysed>,
    ty: &Type<Analysed>,
    object: &Struct<Analysed>,
    depth: usize,
    used: &mut BTreeSet<String>,
) -> Option<Expression> {
    let mut arguments = Vec::new();
    if let Role::Kind(_) = object.role {
        arguments.push(Expression::Plain(format!("{:?}", name_of(object))));
    }
    used.insert(ty.name.to_string());
    let required = object.fields.iter().filter(|field| field.is_asked());
    for field in required {
        arguments.push(value(
            version,
            field,
            &field.ty,
            depth.checked_sub(1)?,
            used,
        )?);
    }
    Some(Expression::Of(format!("{}::new(", ty.name), arguments, ")"))
}

fn value(
    version: &ApiVersion<Analysed>,
    field: &Field<Analysed>,
    ty: &Ty,
    depth: usize,
    used: &mut BTreeSet<String>,
) -> Option<Expression> {
    let plain = |text: &str| Expression::Plain(text.to_owned());
    let list = |item| Expression::Of("[".to_owned(), vec![item], "]");
    Some(match ty {
        Ty::Bool => plain("true"),
        Ty::I32 | Ty::I64 | Ty::Unsigned(_) => plain("1"),
        Ty::F32 | Ty::F64 | Ty::Exact(Exact::Number) => plain("1.0"),
        Ty::String => {
            let given = field.facts.example.as_ref().and_then(Value::as_str);
            Expression::Plain(format!("{:?}", given.unwrap_or("example")))
        }
        // Arguments of builders are long to write for lists and maps inside others.
        Ty::List(inner) | Ty::Map(inner) if matches!(**inner, Ty::List(_) | Ty::Map(_)) => {
            return None;
        }
        Ty::List(item) => list(value(version, field, item, depth, used)?),
        Ty::Map(inner) => {
            let entry = vec![plain("\"key\""), value(version, field, inner, depth, used)?];
            list(Expression::Of("(".to_owned(), entry, ")"))
        }
        Ty::Ref(_) => {
            if let Some((ty, shape)) = version.own_enum(ty) {
                let variant = shape.variants.first()?;
                used.insert(ty.name.to_string());
                return Some(plain(&format!("{}::{}", ty.name, variant.name)));
            }
            let (ty, object) = version.own_struct(ty)?;
            new(version, ty, object, depth, used)?
        }
        Ty::Exact(Exact::IntOrString) => plain("1"),
        Ty::Exact(Exact::IntOrQuantity) => plain("\"1\""),
        Ty::Exact(Exact::DateTime) => plain("\"2026-01-02T03:04:05Z\""),
        Ty::Bytes | Ty::Time | Ty::Json | Ty::Object | Ty::IntOrString | Ty::Values { .. } => {
            return None;
        }
    })
}
