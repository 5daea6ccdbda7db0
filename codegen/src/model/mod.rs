//! The model of a crate. It knows neither OpenAPI nor tokens.

mod cel;
mod checks;
mod constraint;
mod conversion;
mod counterpart;
mod external;
mod facts;
mod field;
mod graph;
mod lifecycle;
mod merge;
mod number;
mod phase;
mod role;
mod rules;
mod sameness;
mod schema;
mod terms;
mod ty;
mod unchecked;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};

use crate::config::CrateConfig;
use crate::name::Ident;
use crate::pointer::Pointer;
use crate::release::Release;

pub(crate) use constraint::{Constraint, Known};
pub(crate) use kubernetes_schema_terms::{ErrorType, NameFormat, TextFormat};

pub(crate) use cel::{
    CelElement, CelField, CelForm, CelObject, CelRule, CelText, CelType, Iterable, ListForm, Macro,
    Node, ReadAs, Stored, Variables,
};
pub(crate) use checks::{CheckStep, Equality, FieldChecks, Pairing, RepeatKey, Repeats};
pub(crate) use conversion::{
    Conversion, ConversionMethod, Dropped, FieldConversion, Functions, Side, ValueConversion,
};
pub(crate) use counterpart::{Availability, Counterpart, K8sOpenapiModule};
pub(crate) use external::External;
pub(crate) use facts::Facts;
pub(crate) use field::{Field, FieldForm, FieldRules, RuleKeywords};
pub(crate) use graph::{Graph, walk_fields};
pub(crate) use lifecycle::{Feature, KindName, Lifecycle};
pub(crate) use merge::{Inner, Merge, Replaced, Step};
pub(crate) use number::{Number, NumberForm};
pub(crate) use phase::{Analysed, Complete, Lowered, Phase, Resolved};
pub(crate) use role::{Behaviour, Definition, Paths, Resource, Role, Scale};
pub(crate) use rules::{
    Argument, Call, Check, Earlier, Following, Group, Immutable, Reported, Rule, Rules, Together,
    TypeRules, Unique, ValueForm,
};
pub(crate) use sameness::Sameness;
pub(crate) use schema::{Keywords, Property, Setting, TypeSchema};
pub(crate) use terms::is_misspelt_name_format;
pub(crate) use ty::{Exact, Ty};
pub(crate) use unchecked::Unchecked;
pub(crate) use value::{Literal, Reading};

/// The name of a schema in its document, `io.k8s.api.storage.v1.CSINode`.
pub(crate) type SchemaName = String;

/// A crate to generate.
#[derive(Debug, Serialize)]
#[serde(bound = "")]
pub(crate) struct Crate<'a, P: Phase = Complete> {
    #[serde(rename = "name", serialize_with = "name_of")]
    pub(crate) config: &'a CrateConfig,
    pub(crate) versions: Vec<ApiVersion<P>>,
}

fn name_of<S: Serializer>(config: &&CrateConfig, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&config.name)
}

/// One group-version: the types of one document.
#[derive(Clone, Debug, Serialize)]
#[serde(bound = "")]
pub(crate) struct ApiVersion<P: Phase = Complete> {
    /// The document it comes from.
    pub(crate) file: String,
    /// The files of schemas that aren't in that one.
    #[serde(skip)]
    pub(crate) files: BTreeMap<String, String>,
    /// The module of the crate that its types are in, if not at the root.
    pub(crate) module: Option<Ident>,
    pub(crate) release: Release,
    /// True if its kinds are custom resources, which a server checks by their schemas alone.
    pub(crate) is_custom: bool,
    /// True if its fields are to have numbers in protobuf.
    #[serde(skip)]
    pub(crate) has_numbers: bool,
    /// The rules that aren't checked, if such rules are listed and not refused.
    pub(crate) unchecked: Option<Vec<Unchecked>>,
    /// The definitions of its kinds, if the crate is to have them.
    #[serde(skip)]
    pub(crate) definitions: BTreeMap<SchemaName, Definition>,
    /// The schemas of which the configuration names types of other crates, as it names them.
    #[serde(skip)]
    pub(crate) replaced: BTreeSet<String>,
    /// True if objects that are equal are one type.
    #[serde(skip)]
    pub(crate) merges_equal: bool,
    /// Where else the document has the schemas of types.
    #[serde(skip)]
    pub(crate) others: BTreeMap<SchemaName, Vec<Pointer>>,
    /// The names that the configuration gives to properties and values, until they have them.
    #[serde(skip)]
    pub(crate) names: BTreeMap<String, String>,
    pub(crate) types: BTreeMap<SchemaName, Type<P>>,
    /// The types of other crates for schemas that are not generated.
    pub(crate) externs: BTreeMap<SchemaName, External>,
    /// Schemas that are nothing but a string, number or the like.
    pub(crate) aliases: BTreeMap<SchemaName, Ty>,
    /// The module of k8s-openapi with the types, if there is one.
    pub(crate) home: Option<K8sOpenapiModule>,
    #[serde(flatten)]
    pub(crate) layout: P::Resolved<Layout>,
    /// The features that fields and rules depend on, by the names of their constants.
    pub(crate) features: P::Analysed<BTreeMap<Ident, Feature>>,
    #[serde(flatten)]
    pub(crate) derived: P::Complete<Derived>,
}

/// The relations of the types of a group-version.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Layout {
    /// The types that each type holds.
    #[serde(skip)]
    pub(crate) graph: Graph,
    /// The files of the types.
    pub(crate) modules: Vec<Module>,
}

/// The parts of a group-version that are made from its types.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Derived {
    /// The types for server-side apply.
    pub(crate) apply: Applies,
    /// The JSON Schemas of the types.
    pub(crate) schemas: BTreeMap<SchemaName, TypeSchema>,
    /// The types of k8s-openapi.
    pub(crate) counterparts: BTreeMap<SchemaName, Counterpart>,
    /// The conversions of types into those of another crate.
    pub(crate) conversions: BTreeMap<SchemaName, Vec<Conversion>>,
    /// The features of the run-time crates that its rules use.
    pub(crate) needs: Needs,
}

/// Features of `kubernetes-validation`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Needs {
    /// The feature for custom resources, and for rules that otherwise only they have.
    pub(crate) custom_resources: bool,
    /// The feature for regular expressions.
    pub(crate) patterns: bool,
    /// The feature for the functions of rules in CEL.
    pub(crate) cel_library: bool,
    /// The feature of `kubernetes-kinds` for floats that are read to the last digit.
    pub(crate) exact_floats: bool,
    /// The feature of that for the values of custom resources.
    pub(crate) exact_values: bool,
}

/// The types for server-side apply of a group-version.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Applies {
    /// The types, by the schema of the full type, whose name they have.
    pub(crate) types: BTreeMap<SchemaName, Type>,
    /// The conversion of each field of the full type, in their order.
    pub(crate) carries: BTreeMap<SchemaName, Vec<ValueConversion>>,
    /// Their files.
    pub(crate) modules: Vec<Module>,
}

/// One file of types: a kind and what only it uses.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Module {
    pub(crate) name: Ident,
    /// The types, in their order in the file.
    pub(crate) types: Vec<SchemaName>,
}

/// A type of the crate.
#[derive(Clone, Debug, Serialize)]
#[serde(bound = "")]
pub(crate) struct Type<P: Phase = Complete> {
    pub(crate) name: Ident,
    pub(crate) pointer: Pointer,
    pub(crate) docs: Docs<P>,
    pub(crate) facts: Facts,
    pub(crate) shape: Shape<P>,
}

impl<P: Phase> Type<P> {
    /// The struct, if it is one.
    pub(crate) fn object(&self) -> Option<&Struct<P>> {
        match &self.shape {
            Shape::Struct(object) => Some(object),
            Shape::Enum(_) => None,
        }
    }

    /// The struct, if it is one, for changing.
    pub(crate) fn object_mut(&mut self) -> Option<&mut Struct<P>> {
        match &mut self.shape {
            Shape::Struct(object) => Some(object),
            Shape::Enum(_) => None,
        }
    }
}

// A struct is larger than an enumeration, and there are far more of them.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case", bound = "")]
pub(crate) enum Shape<P: Phase = Complete> {
    Struct(Struct<P>),
    Enum(Enum<P>),
}

#[derive(Clone, Debug, Serialize)]
#[serde(bound = "")]
pub(crate) struct Struct<P: Phase = Complete> {
    /// The fields, in the order in which they are declared and written.
    pub(crate) fields: Vec<Field<P>>,
    /// True if objects may have other fields as well, which are to be kept.
    pub(crate) is_open: bool,
    /// The field that keeps those that are not known, or that are `null`, if there is to be one.
    pub(crate) unknown: P::Resolved<Option<Rest>>,
    pub(crate) role: Role<P>,
    pub(crate) rules: P::Analysed<Box<TypeRules>>,
    #[serde(skip)]
    pub(crate) rule_keywords: P::Unread<RuleKeywords>,
    /// The server's actions on it.
    pub(crate) behaviour: P::Complete<Behaviour>,
}

/// The field of a struct that keeps what the others don't.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Rest {
    pub(crate) name: Ident,
    /// True if it doesn't keep fields that are not known, but only `null` of optional ones.
    pub(crate) only_nulls: bool,
}

impl<P: Phase> Struct<P> {
    /// The field of that name on the wire.
    pub(crate) fn field(&self, json: &str) -> Option<&Field<P>> {
        self.fields.iter().find(|field| field.json == json)
    }

    /// Returns true if a field is a status that is written at a path of its own.
    pub(crate) fn has_own_status(&self, field: &Field<P>) -> bool {
        let has = matches!(&self.role, Role::Kind(resource) if resource.status);
        has && field.json == "status"
    }
}

/// The documentation of a type, field or value.
#[derive(Clone, Debug, Serialize)]
#[serde(bound = "")]
pub(crate) struct Docs<P: Phase = Complete> {
    /// The description, as in the document.
    #[serde(skip)]
    pub(crate) description: String,
    /// The finished lines.
    pub(crate) lines: P::Complete<Vec<String>>,
    /// The first sentence of them.
    pub(crate) summary: P::Complete<String>,
}

impl Docs<Lowered> {
    /// Makes the documentation from a description.
    pub(crate) fn of(description: String) -> Self {
        Self {
            description,
            lines: (),
            summary: (),
        }
    }
}

/// An open enumeration.
#[derive(Clone, Debug, Serialize)]
#[serde(bound = "")]
pub(crate) struct Enum<P: Phase = Complete> {
    pub(crate) variants: Vec<Variant<P>>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(bound = "")]
pub(crate) struct Variant<P: Phase = Complete> {
    /// The value on the wire.
    pub(crate) value: String,
    pub(crate) name: Ident,
    pub(crate) docs: Docs<P>,
}

impl ApiVersion {
    /// The conversions of a type to those of other crates.
    pub(crate) fn conversions_of(&self, schema: &SchemaName) -> impl Iterator<Item = &Conversion> {
        self.derived.conversions.get(schema).into_iter().flatten()
    }
}

impl<P: Phase<Analysed<FieldRules> = FieldRules, Analysed<Box<TypeRules>> = Box<TypeRules>>>
    ApiVersion<P>
{
    /// The rules of its schemas that aren't checked, in the order of the types, at each of their
    /// places.
    pub(crate) fn unchecked(&self) -> impl Iterator<Item = Unchecked> {
        let of_types = self.structs().flat_map(move |(name, object)| {
            let of_fields = object
                .fields
                .iter()
                .flat_map(|field| &field.server.unchecked);
            let here = object.rules.unchecked.iter().chain(of_fields);
            let first = self.types.get(name).map(|ty| &ty.pointer);
            here.flat_map(move |rule| {
                let others = self.others.get(name).into_iter().flatten();
                let others = others.filter_map(move |other| rule.at(first?, other));
                std::iter::once(rule.clone()).chain(others)
            })
        });
        self.unchecked.iter().flatten().cloned().chain(of_types)
    }
}

impl<P: Phase> ApiVersion<P> {
    /// The file with a part of a schema.
    pub(crate) fn file_of(&self, pointer: &Pointer) -> &str {
        if self.files.is_empty() {
            return &self.file;
        }
        let file = pointer.in_schema().and_then(|name| self.files.get(&name));
        file.unwrap_or(&self.file)
    }

    /// Returns true if a type of another crate can go by this short name: nothing else has it.
    pub(crate) fn is_alone(&self, name: &Ident) -> bool {
        let alike = self.externs.values().filter(|e| e.path.name() == name);
        !self.types.values().any(|ty| ty.name == *name)
            && alike.count() == 1
            && !crate::name::is_prelude(name)
    }

    /// The path of the module of its types.
    pub(crate) fn path(&self) -> String {
        match &self.module {
            Some(module) => format!("crate::{module}"),
            None => "crate".to_owned(),
        }
    }

    /// The type that a file is named after.
    pub(crate) fn first(&self, module: &Module) -> Option<&Type<P>> {
        self.types.get(module.types.first()?)
    }

    /// The kinds, with what the API server knows of them.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (&SchemaName, &Resource<P>)> {
        self.structs()
            .filter_map(|(name, object)| match &object.role {
                Role::Kind(resource) => Some((name, resource)),
                _ => None,
            })
    }

    /// The groups and versions of the kinds, `storage.k8s.io/v1`; one as a rule.
    pub(crate) fn group_versions(&self) -> BTreeSet<String> {
        self.kinds()
            .map(|(_, resource)| resource.api_version())
            .collect()
    }

    /// The struct of the crate that a type refers to directly.
    pub(crate) fn own_struct(&self, ty: &Ty) -> Option<(&Type<P>, &Struct<P>)> {
        let Ty::Ref(schema) = ty else { return None };
        let ty = self.types.get(schema)?;
        Some((ty, ty.object()?))
    }

    /// The enumeration of the crate that a type refers to directly.
    pub(crate) fn own_enum(&self, ty: &Ty) -> Option<(&Type<P>, &Enum<P>)> {
        let Ty::Ref(schema) = ty else { return None };
        let ty = self.types.get(schema)?;
        match &ty.shape {
            Shape::Enum(shape) => Some((ty, shape)),
            Shape::Struct(_) => None,
        }
    }

    /// The struct of a schema.
    pub(crate) fn object(&self, schema: &SchemaName) -> Option<&Struct<P>> {
        self.types.get(schema)?.object()
    }

    /// The structs.
    pub(crate) fn structs(&self) -> impl Iterator<Item = (&SchemaName, &Struct<P>)> {
        self.types
            .iter()
            .filter_map(|(name, ty)| Some((name, ty.object()?)))
    }

    /// The structs, for changing.
    pub(crate) fn structs_mut(&mut self) -> impl Iterator<Item = (&SchemaName, &mut Struct<P>)> {
        self.types
            .iter_mut()
            .filter_map(|(name, ty)| Some((name, ty.object_mut()?)))
    }
}
