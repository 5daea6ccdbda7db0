//! Kubernetes' protobuf messages, from `.proto` files.
//!
//! OpenAPI documents have no field numbers. The files are in the subset of proto2 that Kubernetes
//! uses. Kubernetes' own label every singular field `optional`; the files in `spec/` have
//! `required` for those that Go holds without a pointer: Go writes them always, zero values too.
//! Those of them whose zero value is in Go's JSON have it as their default. [`Protos::label`] adds
//! both.

mod parse;
mod presence;
mod print;
mod resolve;
mod token;

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::Diagnostics;
use crate::source::Source;

use parse::Parsed;

/// The packages of a set of `.proto` files.
#[derive(Clone, Debug, Default)]
pub struct Protos {
    /// By name, such as `k8s.io.api.core.v1`.
    packages: BTreeMap<String, Package>,
}

/// A package, which is one file.
#[derive(Clone, Debug)]
struct Package {
    /// The name of the file, as the caller gave it.
    file: String,
    /// The paths of the files that it imports, in the order of the file.
    imports: Vec<String>,
    /// In the order of the file.
    messages: Vec<Message>,
}

/// A message.
#[derive(Clone, Debug)]
pub struct Message {
    /// The full name, such as `k8s.io.api.core.v1.PersistentVolumeSpec`.
    pub name: String,
    /// The place of the message.
    pub place: Location,
    /// The fields, in the order of the file.
    pub fields: Vec<ProtoField>,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The name of the file, as the caller gave it.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
}

/// A field of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtoField {
    /// The name.
    pub name: String,
    /// The name in JSON, if it is another.
    pub json: Option<String>,
    /// The number, from 1 to 2^29 - 1.
    pub number: u32,
    /// When the field is written.
    pub label: Label,
    /// The type: of one item of a list, and of the values of a map.
    pub ty: ProtoType,
    /// True if Go's JSON has a zero value, too: the file says it as a default.
    pub keeps_zero: bool,
    /// The line of the field, counted from 1.
    pub line: usize,
}

/// The times that a field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// Once, zero values too. Only files with labels of ours have it.
    Required,
    /// Once where it is set: Go holds it as a pointer or as a slice. In Kubernetes' own files, this
    /// is the label of fields that are always written, too.
    Optional,
    /// Once for each item of a list.
    Repeated,
    /// Once for each entry of a map whose keys are strings.
    Map,
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProtoType {
    /// Text in UTF-8.
    String,
    /// Bytes.
    Bytes,
    /// A boolean.
    Bool,
    /// A signed integer of 32 bits.
    Int32,
    /// A signed integer of 64 bits.
    Int64,
    /// An unsigned integer of 32 bits.
    Uint32,
    /// An unsigned integer of 64 bits.
    Uint64,
    /// A number of 64 bits.
    Double,
    /// A number of 32 bits.
    Float,
    /// A message of this full name.
    Message(String),
}

impl ProtoType {
    /// The zero value as files have it; messages have none.
    pub(crate) const fn zero(&self) -> Option<&'static str> {
        match self {
            Self::String | Self::Bytes => Some("\"\""),
            Self::Bool => Some("false"),
            Self::Message(_) => None,
            _ => Some("0"),
        }
    }

    /// Its name in files; the full name of a message.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Message(full) => full,
            scalar => {
                let found = SCALARS.iter().find(|(_, ty)| ty == scalar);
                found.map_or("", |(name, _)| name)
            }
        }
    }
}

/// The types that aren't messages, by their names in files.
const SCALARS: [(&str, ProtoType); 9] = [
    ("string", ProtoType::String),
    ("bytes", ProtoType::Bytes),
    ("bool", ProtoType::Bool),
    ("int32", ProtoType::Int32),
    ("int64", ProtoType::Int64),
    ("uint32", ProtoType::Uint32),
    ("uint64", ProtoType::Uint64),
    ("double", ProtoType::Double),
    ("float", ProtoType::Float),
];

impl Protos {
    /// Reads files. Errors go to `diagnostics`, and what they are about is left out.
    ///
    /// References are resolved among all files, so that those that a file imports must be there.
    pub fn read(sources: &[Source], diagnostics: &mut Diagnostics) -> Self {
        let mut packages = BTreeMap::new();
        let mut is_complete = true;
        for source in sources {
            let Some(Parsed {
                name,
                line,
                package,
            }) = parse::parse(source, diagnostics)
            else {
                is_complete = false;
                continue;
            };
            match packages.get(&name) {
                None => {
                    packages.insert(name, package);
                }
                Some(Package { file, .. }) => diagnostics.in_file(
                    &source.name,
                    Some(line),
                    format!("the package `{name}` is in {file}, too"),
                    "Kubernetes has one file for each package: leave one of them out",
                ),
            }
        }
        // References to a file that can't be read are no errors of their own.
        let mut consequences = Diagnostics::default();
        let errors = match is_complete {
            true => diagnostics,
            false => &mut consequences,
        };
        resolve::resolve(&mut packages, errors);
        Self { packages }
    }

    /// Returns the message of a full name, such as `k8s.io.api.core.v1.PersistentVolumeSpec`.
    pub fn message(&self, name: &str) -> Option<&Message> {
        let (package, _) = name.rsplit_once('.')?;
        let mut messages = self.packages.get(package)?.messages.iter();
        messages.find(|message| message.name == name)
    }

    /// Returns the messages of a package, in the order of its file.
    pub fn messages(&self, package: &str) -> impl Iterator<Item = &Message> {
        let package = self.packages.get(package);
        package.into_iter().flat_map(|package| &package.messages)
    }

    /// Returns the names of the packages and of the files that they are in, sorted by package.
    pub fn packages(&self) -> impl Iterator<Item = (&str, &str)> {
        let packages = self.packages.iter();
        packages.map(|(name, package)| (name.as_str(), package.file.as_str()))
    }

    /// Returns those of the packages that are there, and all that they import.
    #[must_use]
    pub fn with_imports<'a>(&self, wanted: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut open: Vec<_> = wanted.into_iter().map(str::to_owned).collect();
        while let Some(name) = open.pop() {
            if let Some(package) = self.packages.get(&name)
                && found.insert(name)
            {
                let imports = package.imports.iter();
                open.extend(imports.map(|path| package_of_file(path)));
            }
        }
        found
    }

    /// Gives the singular fields of some packages the labels `required` and `optional`, and
    /// fields their names in JSON, as the lines of `presence` say. They are `PACKAGE MESSAGE
    /// FIELD NUMBER PRESENCE JSON`, where PRESENCE is `kept` for a field that Go writes always,
    /// `value` for one whose zero value its JSON omits or has as `null`, and `pointer` for others.
    /// JSON is `-` for a field that JSON doesn't have.
    ///
    /// A field that the files or `presence` lack is an error.
    pub fn label(
        &mut self,
        presence: &Source,
        packages: &BTreeSet<String>,
        diagnostics: &mut Diagnostics,
    ) {
        presence::label(self, presence, packages, diagnostics);
    }

    /// Returns the text of a package's file in the form of `spec/`, after some lines of comment.
    #[must_use]
    pub fn print(&self, package: &str, comment: &str) -> Option<String> {
        let found = self.packages.get(package)?;
        Some(print::print(package, found, comment))
    }
}

/// Returns the name of the package of a group and version, from the prefix of its schemas in an
/// OpenAPI document, such as `io.k8s.api.core.v1.`. Other groups than Kubernetes' own have none.
#[must_use]
pub fn package_of_schemas(prefix: &str) -> Option<String> {
    let path = prefix.strip_prefix("io.k8s.")?.strip_suffix('.')?;
    Some(format!("k8s.io.{}", path.replace('-', "_")))
}

/// Returns the name of the package of a file, from its path, `k8s.io/api/core/v1/generated.proto`.
#[must_use]
pub fn package_of_file(path: &str) -> String {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    folder.replace('/', ".").replace('-', "_")
}
