//! The passes that make an analysed model of a resolved one.

use std::mem;

use super::{carry, features, rules};
use crate::config::CrateConfig;
use crate::diag::Diagnostics;
use crate::model::{
    Analysed, ApiVersion, FieldRules, Resolved, Role, SchemaName, Shape, Struct, Type, TypeRules,
};
use rules::Reader;

/// Runs these passes over the types of a document.
pub(super) fn run(
    mut version: ApiVersion<Resolved>,
    config: &CrateConfig,
    diagnostics: &mut Diagnostics,
) -> ApiVersion<Analysed> {
    let mut reader = Reader::new(&version, config, diagnostics);
    let types = version.types.iter();
    let types = types.map(|(name, ty)| (name.clone(), of_type(&mut reader, name, ty)));
    let types = types.collect();
    let (features, layout) = (features::of(&types), mem::take(&mut version.layout));
    carry::version(version, types, layout, features, ())
}

fn of_type(reader: &mut Reader<'_>, schema: &SchemaName, ty: &Type<Resolved>) -> Type<Analysed> {
    let shape = match &ty.shape {
        Shape::Struct(object) => Shape::Struct(of_struct(reader, schema, ty, object)),
        Shape::Enum(shape) => Shape::Enum(carry::undescribed(shape)),
    };
    carry::ty(ty, carry::description(&ty.docs), shape)
}

fn of_struct(
    reader: &mut Reader<'_>,
    schema: &SchemaName,
    ty: &Type<Resolved>,
    object: &Struct<Resolved>,
) -> Struct<Analysed> {
    // Lists of kinds aren't checked. Kubernetes' own documents give some of them keys that their
    // elements don't have.
    let is_list = matches!(object.role, Role::List { .. });
    let rules = match is_list {
        true => TypeRules::default(),
        false => reader.of_type(schema, ty, object),
    };
    let fields = object.fields.iter().map(|field| {
        let read = match is_list {
            true => FieldRules {
                feature: features::of_field(field),
                ..FieldRules::default()
            },
            false => reader.of_field(&rules, field),
        };
        let docs = carry::description(&field.docs);
        carry::field(field, docs, field.form.clone(), read, (), ())
    });
    Struct {
        fields: fields.collect(),
        is_open: object.is_open,
        unknown: object.unknown.clone(),
        role: carry::role(&object.role, |kind| {
            carry::resource(kind, kind.list.clone(), kind.paths.clone(), ())
        }),
        rules: Box::new(rules),
        rule_keywords: (),
        behaviour: (),
    }
}
