//! The numbers of fields in protobuf.

use std::fmt;

use serde::Serialize;

/// The number of a field in protobuf.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Number {
    /// The number, and before it those of the objects that Go has inlined, so that JSON has their
    /// fields in the object around them.
    pub(crate) path: Vec<u32>,
    pub(crate) form: NumberForm,
}

/// The form of a field in protobuf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NumberForm {
    /// That of its type.
    Plain,
    /// It is written even where JSON omits it: Go holds it without a pointer.
    Always,
    /// It is written even where it is `None`, and a zero one is in JSON: Go holds it without a
    /// pointer, though documents don't require it.
    Kept,
    /// A map of lists, each of them a message of its own.
    Items,
}

/// As in the tables of generated code: `2/22 always`.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path: Vec<_> = self.path.iter().map(ToString::to_string).collect();
        f.write_str(&path.join("/"))?;
        f.write_str(match self.form {
            NumberForm::Plain => "",
            NumberForm::Always => " always",
            NumberForm::Kept => " kept",
            NumberForm::Items => " items",
        })
    }
}
