//! Further derives of generated types.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use super::{CrateConfig, Report};
use crate::name::RustPath;

/// A derive macro, and the types that it is for: `Eq` for all, `Boat=Eq` for one, `@struct=Eq` and
/// `@enum=Eq` for all of a sort.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Derive {
    pub(crate) of: Derived,
    pub(crate) path: RustPath,
}

/// The types that have a derive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Derived {
    All,
    Structs,
    Enums,
    Type(String),
}

/// The derives that need no path.
const OF_RUST: [&str; 9] = [
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
];

/// The traits that every struct has already, derived or not.
const OF_STRUCTS: [&str; 6] = [
    "Clone",
    "Debug",
    "Default",
    "Deserialize",
    "PartialEq",
    "Serialize",
];

/// The traits that every enumeration has already.
const OF_ENUMS: [&str; 9] = [
    "Clone",
    "Debug",
    "Deserialize",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Serialize",
];

/// The macro whose result would have the names of Rust.
const SCHEMA: &str = "JsonSchema";

impl Derive {
    /// The name of the macro.
    pub(crate) fn name(&self) -> &str {
        self.path.name().as_str()
    }

    /// The crate that has the macro, if it is none of Rust's own.
    fn package(&self) -> Option<&str> {
        self.path.package()
    }

    /// Returns true if a type gets it: one that has it already doesn't.
    pub(crate) fn is_for(&self, name: &str, is_struct: bool) -> bool {
        let is_wanted = match &self.of {
            Derived::All => true,
            Derived::Structs => is_struct,
            Derived::Enums => !is_struct,
            Derived::Type(wanted) => wanted == name,
        };
        is_wanted && !self.is_there(is_struct)
    }

    /// Returns true if all types of a sort have it.
    pub(crate) fn is_there(&self, structs: bool) -> bool {
        let there = match structs {
            true => OF_STRUCTS.as_slice(),
            false => OF_ENUMS.as_slice(),
        };
        there.contains(&self.name())
    }

    /// The mistake in it, with what to do.
    fn fault(&self) -> Option<(String, &'static str)> {
        let name = self.name();
        let on_structs = self.is_there(true).then_some("every struct");
        let on_enums = self.is_there(false).then_some("every enumeration");
        let there = match self.of {
            Derived::All => on_structs.and(on_enums).map(|_| "every type"),
            Derived::Structs => on_structs,
            Derived::Enums => on_enums,
            Derived::Type(_) => None,
        };
        if let Some(there) = there {
            return Some((
                format!("`{name}`: {there} has it already"),
                "leave it out of the derives",
            ));
        }
        if name == SCHEMA {
            return Some((
                format!("`{self}` would describe the names of fields in Rust, not those in JSON"),
                "the part `schemars` implements it with those in JSON",
            ));
        }
        if name == "Default" && !matches!(self.of, Derived::Structs | Derived::Type(_)) {
            return Some((
                format!("`{self}`: every struct has it already, and an enumeration has no default"),
                "leave it out of the derives",
            ));
        }
        None
    }
}

impl fmt::Display for Derive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.of {
            Derived::All => {}
            Derived::Structs => f.write_str("@struct=")?,
            Derived::Enums => f.write_str("@enum=")?,
            Derived::Type(name) => write!(f, "{name}=")?,
        }
        write!(f, "{}", self.path)
    }
}

impl FromStr for Derive {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (of, path) = match text.split_once('=') {
            None => (Derived::All, text),
            Some(("@struct", path)) => (Derived::Structs, path),
            // All enumerations have values without fields.
            Some(("@enum" | "@enum:simple", path)) => (Derived::Enums, path),
            Some((sort, _)) if sort.starts_with('@') => {
                let sort = sort.escape_debug();
                return Err(format!("`{sort}` is neither `@struct` nor `@enum`"));
            }
            Some((name, path)) => (Derived::Type(name.to_owned()), path),
        };
        let shown = path.escape_debug();
        if !path.contains("::") && !OF_RUST.contains(&path) {
            return Err(format!(
                "`{shown}` is no derive of Rust itself: write the path of one of a crate, as in \
                 `typed_builder::TypedBuilder`"
            ));
        }
        let path = RustPath::given(path);
        let path = path.ok_or_else(|| format!("`{shown}` is not the path of a derive macro"))?;
        Ok(Self { of, path })
    }
}

impl TryFrom<String> for Derive {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl CrateConfig {
    /// Checks that the derives add something, and that the crates which have them are known.
    pub(super) fn check_derives(&self, report: Report<'_>) {
        let mut seen = BTreeSet::new();
        for derive in &self.derives {
            if let Some((message, help)) = derive.fault() {
                report(message, help);
            }
            if !seen.insert(derive.to_string()) {
                report(
                    format!("`{derive}` is among the derives twice"),
                    "leave one of them out",
                );
            }
            if let Some(package) = derive.package().filter(|_| !self.single_file)
                && !self.depends_on(package)
            {
                report(
                    format!("`{derive}`: the crate doesn't depend on `{package}`"),
                    "add it to the dependencies, with its version",
                );
            }
        }
    }
}
