//! What the types of crates are like.

use std::error::Error;
use std::fmt::Write;

use codegen::Derive;

/// What the types of crates are like.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct TypeChoices {
    /// Derive this trait as well; may be repeated. `Eq` is for all types, `BoatSpec=Eq` for one,
    /// `@struct=Eq` for structs, and `@enum=Eq` for enumerations. A derive that isn't Rust's own is
    /// a path, as in `typed_builder::TypedBuilder`, and needs a --dependency. Structs have Clone,
    /// Debug, Default, PartialEq, Serialize and Deserialize already, enumerations all but Default,
    /// and Eq, PartialOrd, Ord and Hash beside. Whether a type can have a trait is yours to know:
    /// kinds, which have metadata, and types with numbers or JSON have no Eq. Types for server-side
    /// apply don't get it.
    #[arg(long, value_name = "TRAIT", requires = "crd")]
    derive: Vec<Derive>,

    /// A dependency of the crates, for derives and types of other crates, as a line of Cargo.toml:
    /// `typed-builder = "0.20"`; may be repeated.
    #[arg(long, value_name = "LINE", requires = "crd")]
    dependency: Vec<String>,
}

impl TypeChoices {
    /// The keys of a crate in the configuration.
    pub(crate) fn keys(&self) -> String {
        let derives: Vec<_> = self.derive.iter().map(ToString::to_string).collect();
        match derives.is_empty() {
            true => String::new(),
            false => format!("derives = {derives:?}\n"),
        }
    }

    /// The tables of a crate in the configuration.
    pub(crate) fn tables(&self) -> Result<String, Box<dyn Error>> {
        let mut all = toml::Table::new();
        for line in &self.dependency {
            let table: Result<toml::Table, _> = line.parse();
            let one = table.ok().filter(|table| table.len() == 1);
            let Some(table) = one else {
                return Err(format!(
                    "error: --dependency {}: it is no line of a Cargo.toml\n  help: write it as in \
                     `typed-builder = \"0.20\"`",
                    line.escape_debug()
                )
                .into());
            };
            all.extend(table);
        }
        let mut text = String::new();
        if !all.is_empty() {
            text += "[crate.dependencies]\n";
        }
        for (name, of) in all {
            let _ = writeln!(text, "{} = {of}", toml::Value::from(name));
        }
        Ok(text)
    }
}
