//! The words of the tables that the macros of `kubernetes-kinds` take.

use crate::model::{Role, Struct};

/// The columns of a line, as rustfmt has them.
pub(crate) const WIDTH: usize = 100;

/// The macro that takes the table of a struct: parts have neither `apiVersion` nor `kind`.
pub(super) fn table_macro(object: &Struct) -> &'static str {
    match object.role {
        Role::Part => "object",
        Role::Kind(_) | Role::Apply(_) | Role::List { .. } => "kind",
    }
}

/// The word that begins the row of a field in a table.
pub(super) fn presence(required: bool) -> &'static str {
    if required { "required" } else { "optional" }
}

/// Returns the line of a row, or two if it has a value that doesn't fit on one.
pub(crate) fn row(indent: &str, row: &str) -> String {
    match row.split_once(" => ") {
        Some((key, value)) if indent.len() + row.len() > WIDTH => {
            format!("{indent}{key} =>\n{indent}    {value}\n")
        }
        _ => format!("{indent}{row}\n"),
    }
}
