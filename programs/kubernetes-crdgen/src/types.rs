//! What the types and the manifests of crates are like.

use std::error::Error;
use std::fmt::Write;

use codegen::Derive;

/// What the types and the manifests of crates are like.
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

    /// A type of another crate for an object inside a kind; may be repeated. It names the place of
    /// the object or the type that would be generated for it: `Boat.spec.owner=other::Person` or
    /// `BoatSpecOwner=other::Person`; with --single-file also `crate::Person`. The type has serde's
    /// traits, Clone, Debug and PartialEq, and a crate other than k8s_openapi needs a --dependency.
    /// Rules of the object are left to a server.
    #[arg(long = "extern", value_name = "OBJECT=PATH", requires = "crd", value_parser = pair)]
    externs: Vec<(String, String)>,

    /// Use `Condition` and `ObjectReference` of k8s-openapi for objects that have the same fields.
    /// Rules of these objects are left to a server, and their times are written in UTC and in whole
    /// seconds.
    #[arg(long, requires = "crd")]
    known_types: bool,

    /// A dependency of the crates, for derives and types of other crates, as a line of Cargo.toml:
    /// `typed-builder = "0.20"`; may be repeated.
    #[arg(long, value_name = "LINE", requires = "crd")]
    dependency: Vec<String>,

    /// A key of `[package]` in the manifests of the crates, as a line of Cargo.toml:
    /// `license = "MIT"`, `repository = "…"` or `version = "0.2.0"`; may be repeated.
    #[arg(long, value_name = "LINE", requires = "crd")]
    package: Vec<String>,
}

impl TypeChoices {
    /// The keys of a crate in the configuration.
    pub(crate) fn keys(&self) -> String {
        let derives: Vec<_> = self.derive.iter().map(ToString::to_string).collect();
        let mut text = format!("known-types = {}\n", self.known_types);
        if !derives.is_empty() {
            let _ = writeln!(text, "derives = {derives:?}");
        }
        text
    }

    /// The version of the crates, and further keys of their packages.
    pub(crate) fn package(&self) -> Result<(toml::Value, String), Box<dyn Error>> {
        let mut keys = lines("--package", &self.package, "license = \"MIT\"")?;
        let version = keys.remove("version");
        let version = version.unwrap_or_else(|| "0.1.0".into());
        Ok((version, table("standalone.package", keys)))
    }

    /// The tables of a crate in the configuration.
    pub(crate) fn tables(&self) -> Result<String, Box<dyn Error>> {
        let example = "typed-builder = \"0.20\"";
        let dependencies = lines("--dependency", &self.dependency, example)?;
        let mut types = toml::Table::new();
        for (of, path) in &self.externs {
            if types.insert(of.clone(), path.as_str().into()).is_some() {
                return Err(format!(
                    "error: --extern {of}: it has two types\n  help: leave one of them out"
                )
                .into());
            }
        }
        Ok(table("dependencies", dependencies) + &table("types", types))
    }
}

/// Lines of a Cargo.toml as a table.
fn lines(option: &str, lines: &[String], example: &str) -> Result<toml::Table, Box<dyn Error>> {
    let mut all = toml::Table::new();
    for line in lines {
        let table: Result<toml::Table, _> = line.parse();
        let Some(table) = table.ok().filter(|table| table.len() == 1) else {
            return Err(format!(
                "error: {option} {}: it is no line of a Cargo.toml\n  help: write it as in \
                 `{example}`",
                line.escape_debug()
            )
            .into());
        };
        all.extend(table);
    }
    Ok(all)
}

/// A table of a crate in the configuration; nothing if it is empty.
fn table(name: &str, entries: toml::Table) -> String {
    let mut text = String::new();
    if !entries.is_empty() {
        let _ = writeln!(text, "[crate.{name}]");
    }
    for (key, value) in entries {
        let _ = writeln!(text, "{} = {value}", toml::Value::from(key));
    }
    text
}

/// The two sides of `OBJECT=PATH`.
fn pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=');
    let pair = pair.map(|(of, path)| (of.trim().to_owned(), path.trim().to_owned()));
    pair.ok_or_else(|| "it is no `OBJECT=PATH`, as in `Boat.spec.owner=other::Person`".to_owned())
}
