//! The model: what a crate holds, free of OpenAPI on one side and of tokens on the other.

mod checks;
mod conversion;

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::config::CrateConfig;
use crate::diag::Pointer;
use crate::name::{Ident, RustPath};
use crate::release::Release;

pub(crate) use checks::{
    Checks, FaultKind, Format, Immutable, Place, TypeChecks, Unique,
};
pub(crate) use conversion::{
    Carry, Conversion, Dropped, FieldConversion, Functions, How, Side,
};

/// The name of a schema in its document, `io.k8s.api.storage.v1.CSINode`.
pub(crate) type SchemaName = String;

/// One crate to be.
#[derive(Debug)]
pub(crate) struct Crate<'a> {
    pub(crate) config: &'a CrateConfig,
    pub(crate) versions: Vec<ApiVersion>,
}

/// One group-version: the types of one document.
#[derive(Debug)]
pub(crate) struct ApiVersion {
    /// The document it comes from.
    pub(crate) file: String,
    /// The module of the crate that its types stand in, if not at the root.
    pub(crate) module: Option<Ident>,
    pub(crate) release: Release,
    pub(crate) types: BTreeMap<SchemaName, Type>,
    /// Where the schemas live that are not generated.
    pub(crate) externs: BTreeMap<SchemaName, External>,
    /// Schemas that are nothing but a string, number or the like.
    pub(crate) aliases: BTreeMap<SchemaName, Ty>,
    /// The files of the types, set by the placing pass.
    pub(crate) modules: Vec<Module>,
    /// The types for server-side apply, set by the pass for them.
    pub(crate) apply: Applies,
    /// How types become those of another crate, set by the conversion pass.
    pub(crate) conversions: BTreeMap<SchemaName, Vec<Conversion>>,
}

/// The types for server-side apply of a group-version.
#[derive(Debug, Default)]
pub(crate) struct Applies {
    /// By the schema of the full type, whose name they have.
    pub(crate) types: BTreeMap<SchemaName, Type>,
    /// Their files.
    pub(crate) modules: Vec<Module>,
}

/// One file of types: a kind and what only it uses.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) name: Ident,
    /// In the order in which they stand in the file.
    pub(crate) types: Vec<SchemaName>,
}

/// A type that another crate has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct External {
    pub(crate) path: RustPath,
    /// Whether an optional field holds it in a `Box`.
    pub(crate) large: bool,
    /// Whether it, or a type in it, has required fields, which it always writes.
    pub(crate) required: bool,
}

/// A type of the crate.
#[derive(Debug)]
pub(crate) struct Type {
    pub(crate) name: Ident,
    pub(crate) pointer: Pointer,
    pub(crate) docs: Docs,
    pub(crate) shape: Shape,
}

#[derive(Debug)]
pub(crate) enum Shape {
    Struct(Struct),
    Enum(Enum),
}

#[derive(Debug)]
pub(crate) struct Struct {
    /// In the order in which they are declared and written.
    pub(crate) fields: Vec<Field>,
    /// The field that keeps those that are not known, if there is to be one; set by the pass for
    /// names.
    pub(crate) unknown: Option<Ident>,
    pub(crate) role: Role,
    pub(crate) checks: Box<TypeChecks>,
}

impl Struct {
    /// The field of that name on the wire.
    pub(crate) fn field(&self, json: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.json == json)
    }
}

/// What a struct is in the API.
#[derive(Debug)]
pub(crate) enum Role {
    /// A kind that has a place of its own in the API server.
    Kind(Resource),
    /// A list of a kind.
    List { item: SchemaName },
    /// A part of others.
    Part,
    /// What is applied of a kind.
    Apply(Resource),
}

/// What the API server knows of a kind, or of the kind that a list holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) plural: String,
    pub(crate) namespaced: bool,
    /// Whether the status is written at a path of its own.
    pub(crate) status: bool,
    /// The schema of its list.
    pub(crate) list: Option<SchemaName>,
}

impl Resource {
    /// `storage.k8s.io/v1`, or only the version for the core group.
    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }
}

#[derive(Debug)]
pub(crate) struct Field {
    /// The name on the wire.
    pub(crate) json: String,
    pub(crate) name: Ident,
    pub(crate) pointer: Pointer,
    pub(crate) ty: Ty,
    pub(crate) required: bool,
    /// Whether it is held in a `Box`, set by the boxing pass.
    pub(crate) boxed: bool,
    pub(crate) docs: Docs,
    pub(crate) checks: Checks,
}

impl Field {
    /// Whether it is declared as an `Option`. The metadata of a kind or list is always
    /// there: kube and k8s-openapi ask for it.
    pub(crate) fn is_optional(&self) -> bool {
        !self.required && !self.is_metadata()
    }

    /// Whether it is the metadata of a kind or list.
    pub(crate) fn is_metadata(&self) -> bool {
        let name = match &self.ty {
            Ty::Ref(name) => name.rsplit('.').next(),
            _ => None,
        };
        self.json == "metadata" && matches!(name, Some("ObjectMeta" | "ListMeta"))
    }
}

/// What is said about a type, field or value, before and after the documentation pass.
#[derive(Clone, Debug, Default)]
pub(crate) struct Docs {
    pub(crate) description: String,
    pub(crate) lifecycle: Option<Lifecycle>,
    /// What the server puts where the field is absent, as it would be written in JSON.
    pub(crate) default: Option<serde_json::Value>,
    pub(crate) immutable: bool,
    /// The fields that tell the elements of a list apart.
    pub(crate) keys: Vec<String>,
    /// Whether it has one owner with all that is in it, where the document says so.
    pub(crate) atomic: Option<bool>,
    /// The finished lines, set by the documentation pass.
    pub(crate) lines: Vec<String>,
}

/// When something came, ripened and went.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lifecycle {
    pub(crate) introduced: Release,
    pub(crate) alpha: Option<Release>,
    pub(crate) beta: Option<Release>,
    pub(crate) stable: Option<Release>,
    pub(crate) deprecated: Option<Release>,
    pub(crate) removed: Option<Release>,
    pub(crate) gate: Option<String>,
    /// The first release in which the gate is on by default, if that isn't its first as beta.
    #[serde(rename = "default-on")]
    pub(crate) default_on: Option<Release>,
    pub(crate) replacement: Option<String>,
}

/// A kind as `x-lifecycle` names it: `storage.k8s.io/v1 CSINode`.
pub(crate) struct KindName<'a> {
    pub(crate) api_version: &'a str,
    pub(crate) kind: &'a str,
}

impl<'a> KindName<'a> {
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (api_version, kind) = text.split_once(' ')?;
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let number = version.strip_prefix('v')?;
        let is_name = |text: &str, more: &[u8]| {
            text.bytes().all(|b| b.is_ascii_alphanumeric() || more.contains(&b))
        };
        let is_kind = kind.starts_with(|c: char| c.is_ascii_uppercase());
        let is_version = number.starts_with(|c: char| c.is_ascii_digit());
        let are_names =
            is_name(group, b".-") && is_name(number, b"") && is_name(kind, b"");
        (is_kind && is_version && are_names).then_some(Self { api_version, kind })
    }
}

/// An open enumeration.
#[derive(Debug)]
pub(crate) struct Enum {
    pub(crate) variants: Vec<Variant>,
}

#[derive(Debug)]
pub(crate) struct Variant {
    /// The value on the wire.
    pub(crate) value: String,
    pub(crate) name: Ident,
    pub(crate) docs: Docs,
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    Bool,
    I32,
    I64,
    F32,
    F64,
    String,
    Bytes,
    Time,
    Json,
    List(Box<Ty>),
    Map(Box<Ty>),
    /// A schema of the document: a type of the crate, an alias or an external.
    Ref(SchemaName),
    /// A string for which the document itself lists the values, and its type where an
    /// overlay has named one. Gone after the pass for enumerations.
    Values {
        values: Vec<String>,
        named: Option<SchemaName>,
    },
}

impl Ty {
    /// Every schema that the type names.
    pub(crate) fn references<'a>(&'a self, found: &mut BTreeSet<&'a SchemaName>) {
        match self {
            Self::List(inner) | Self::Map(inner) => inner.references(found),
            Self::Ref(name)
            | Self::Values {
                named: Some(name), ..
            } => {
                found.insert(name);
            }
            _ => {}
        }
    }

    /// The innermost type of lists and maps, for changing.
    pub(crate) fn innermost_mut(&mut self) -> &mut Ty {
        match self {
            Self::List(inner) | Self::Map(inner) => inner.innermost_mut(),
            other => other,
        }
    }
}

impl ApiVersion {
    /// The path of the module that its types stand in.
    pub(crate) fn path(&self) -> String {
        match &self.module {
            Some(module) => format!("crate::{module}"),
            None => "crate".to_owned(),
        }
    }

    /// The kinds, with what the API server knows of them.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (&SchemaName, &Resource)> {
        self.structs().filter_map(|(name, object)| match &object.role {
            Role::Kind(resource) => Some((name, resource)),
            _ => None,
        })
    }

    /// The groups and versions of the kinds, `storage.k8s.io/v1`; one as a rule.
    pub(crate) fn group_versions(&self) -> BTreeSet<String> {
        self.kinds().map(|(_, resource)| resource.api_version()).collect()
    }

    /// The structs, for changing.
    pub(crate) fn structs_mut(
        &mut self,
    ) -> impl Iterator<Item = (&SchemaName, &mut Struct)> {
        self.types.iter_mut().filter_map(|(name, ty)| match &mut ty.shape {
            Shape::Struct(shape) => Some((name, shape)),
            Shape::Enum(_) => None,
        })
    }

    /// The structs.
    pub(crate) fn structs(&self) -> impl Iterator<Item = (&SchemaName, &Struct)> {
        self.types.iter().filter_map(|(name, ty)| match &ty.shape {
            Shape::Struct(shape) => Some((name, shape)),
            Shape::Enum(_) => None,
        })
    }
}
