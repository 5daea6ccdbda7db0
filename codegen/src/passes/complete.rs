//! The passes that make a complete model of an analysed one.

use std::collections::BTreeMap;
use std::mem;

use super::checks::Checks;
use super::conversion::Conversions;
use super::docs::TypeDocs;
use super::versions::Versions;
use super::{apply, behaviour, carry, counterparts, docs, examples, needs, schemas};
use crate::config::{CrateConfig, Part};
use crate::model::{
    Analysed, ApiVersion, Applies, Derived, Docs, Enum, Field, FieldChecks, Role, SchemaName,
    Shape, Struct, Type, Variant,
};

/// Runs these passes over the types of a document, which has conversions among those of its crate.
pub(super) fn run(
    mut version: ApiVersion<Analysed>,
    config: &CrateConfig,
    conversions: &Conversions,
    versions: &Versions,
) -> ApiVersion {
    let behaviours = behaviour::run(&version);
    let checks = Checks {
        version: &version,
        behaviours: &behaviours,
    };
    let docs = docs::run(&version);
    let types = version.types.iter().zip(docs).map(|((schema, ty), docs)| {
        let docs = with_example(&version, config, schema, ty, docs);
        (schema.clone(), of_type(&checks, versions, schema, ty, docs))
    });
    let types: BTreeMap<_, _> = types.collect();
    let mine = types
        .keys()
        .filter_map(|name| conversions.get_key_value(name));
    let has = |part| config.parts.has(part);
    let derived = Derived {
        apply: match has(Part::Apply) {
            true => apply::run(&version, &types),
            false => Applies::default(),
        },
        schemas: match has(Part::Schemars) {
            true => schemas::run(&version, &types),
            false => BTreeMap::new(),
        },
        counterparts: match has(Part::K8sOpenapiTypes) {
            true => counterparts::run(&version),
            false => BTreeMap::new(),
        },
        needs: needs::of(&version),
        conversions: mine
            .map(|(name, all)| (name.clone(), all.clone()))
            .collect(),
    };
    let layout = mem::take(&mut version.layout);
    let features = mem::take(&mut version.features);
    carry::version(version, types, layout, features, derived)
}

fn with_example(
    version: &ApiVersion<Analysed>,
    config: &CrateConfig,
    schema: &SchemaName,
    ty: &Type<Analysed>,
    mut docs: TypeDocs,
) -> TypeDocs {
    if let Some(Role::Kind(resource)) = ty.object().map(|object| &object.role) {
        examples::add(version, config, (schema, resource), &mut docs.own.lines);
    }
    docs
}

fn of_type(
    checks: &Checks<'_>,
    versions: &Versions,
    schema: &SchemaName,
    ty: &Type<Analysed>,
    docs: TypeDocs,
) -> Type {
    let shape = match &ty.shape {
        Shape::Struct(object) => {
            let role = carry::role(&object.role, |kind| {
                let others = versions.others(checks.version, kind);
                carry::resource(kind, kind.list.clone(), kind.paths.clone(), others)
            });
            Shape::Struct(of_struct(checks, schema, object, role, docs.parts))
        }
        Shape::Enum(shape) => {
            let variants = shape.variants.iter().zip(docs.parts);
            Shape::Enum(Enum {
                variants: variants.map(of_variant).collect(),
            })
        }
    };
    carry::ty(ty, docs.own, shape)
}

fn of_struct(
    checks: &Checks<'_>,
    schema: &SchemaName,
    object: &Struct<Analysed>,
    role: Role,
    docs: Vec<Docs>,
) -> Struct {
    let fields = object.fields.iter().zip(docs);
    let fields = fields.map(|(field, docs)| of_field(field, docs, checks.of(object, field)));
    Struct {
        fields: fields.collect(),
        is_open: object.is_open,
        unknown: object.unknown.clone(),
        role,
        rules: object.rules.clone(),
        rule_keywords: (),
        behaviour: checks.behaviours.of(schema, object),
    }
}

fn of_field(field: &Field<Analysed>, docs: Docs, checks: FieldChecks) -> Field {
    let (form, server) = (field.form.clone(), field.server.clone());
    carry::field(field, docs, form, server, checks, ())
}

fn of_variant((variant, docs): (&Variant<Analysed>, Docs)) -> Variant {
    Variant {
        value: variant.value.clone(),
        name: variant.name.clone(),
        docs,
    }
}
