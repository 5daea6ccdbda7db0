//! The passes that make a resolved model of a lowered one.

use std::collections::BTreeMap;

use super::boxing::{self, Boxed};
use super::numbers::{self, OfTypes};
use super::{
    carry, closure, defaults, enums, exact, lists, merge, names, nullable, paths, placing,
    readings, renames, rivals,
};
use crate::config::CrateConfig;
use crate::diag::Diagnostics;
use crate::model::{
    ApiVersion, Field, FieldForm, Graph, Layout, Lowered, Resolved, Resource, SchemaName, Shape,
    Struct, Type,
};
use crate::numbers::Numbers;

/// Names what is in the documents of a crate.
pub(super) fn name(versions: &mut [ApiVersion<Lowered>], diagnostics: &mut Diagnostics) {
    for version in versions.iter_mut() {
        // Before the type graph, which counts the fields.
        names::order_fields(version);
        enums::run(version, diagnostics);
        renames::run(version, diagnostics);
    }
    rivals::run(versions);
}

/// Runs the other passes over the types of a document. If no document has had errors before,
/// missing types are the generator's fault.
pub(super) fn run(
    mut version: ApiVersion<Lowered>,
    config: &CrateConfig,
    numbers: Option<&Numbers>,
    had_errors: bool,
    diagnostics: &mut Diagnostics,
) -> ApiVersion<Resolved> {
    closure::run(&mut version, diagnostics);
    exact::run(&mut version);
    if !had_errors && diagnostics.is_empty() {
        closure::report_missing(&version, diagnostics);
    }
    let graph = Graph::of(&version.types);
    let lists = lists::of(&version, diagnostics);
    let mut modules = placing::of(&version, &graph, &lists, diagnostics);
    if config.single_file {
        modules = placing::joined(modules);
    }
    let numbers = numbers::of(&version, numbers, diagnostics);
    let boxed = boxing::of(&version, &graph, diagnostics);
    let mut resolver = Resolver {
        version: &version,
        config,
        lists: &lists,
        boxed,
        numbers,
        diagnostics,
    };
    let types = version
        .types
        .iter()
        .map(|(name, ty)| (name.clone(), resolver.ty(name, ty)));
    let types = types.collect();
    let layout = Layout { graph, modules };
    let resolved = carry::version(version, types, layout, (), ());
    names::check(&resolved, diagnostics);
    resolved
}

/// Resolves the types of a document.
struct Resolver<'a> {
    version: &'a ApiVersion<Lowered>,
    config: &'a CrateConfig,
    lists: &'a BTreeMap<SchemaName, SchemaName>,
    boxed: Boxed<'a>,
    numbers: OfTypes,
    diagnostics: &'a mut Diagnostics,
}

impl Resolver<'_> {
    fn ty(&mut self, schema: &SchemaName, ty: &Type<Lowered>) -> Type<Resolved> {
        let shape = match &ty.shape {
            Shape::Struct(object) => Shape::Struct(self.object(schema, object)),
            Shape::Enum(shape) => Shape::Enum(carry::undescribed(shape)),
        };
        carry::ty(ty, carry::description(&ty.docs), shape)
    }

    fn object(&mut self, schema: &SchemaName, object: &Struct<Lowered>) -> Struct<Resolved> {
        let fields = object.fields.iter();
        Struct {
            fields: fields
                .map(|field| self.field(schema, object, field))
                .collect(),
            is_open: object.is_open,
            unknown: names::rest(self.version, self.config, object),
            role: carry::role(&object.role, |kind| self.resource(schema, kind)),
            rules: (),
            rule_keywords: object.rule_keywords.clone(),
            behaviour: (),
        }
    }

    fn resource(&self, schema: &SchemaName, resource: &Resource<Lowered>) -> Resource<Resolved> {
        let list = self.lists.get(schema).cloned();
        carry::resource(resource, list, paths::of(self.version, schema), ())
    }

    fn field(
        &mut self,
        owner: &SchemaName,
        object: &Struct<Lowered>,
        field: &Field<Lowered>,
    ) -> Field<Resolved> {
        let version = self.version;
        let nullable = nullable::is_nullable(version, field);
        let is_optional = !field.is_always_written() || nullable;
        let boxed = self.boxed.get(owner);
        let form = FieldForm {
            nullable,
            keeps_null: nullable::keeps_null(version, field),
            boxed: boxed.is_some_and(|fields| fields.contains(field.json.as_str())),
            literal: defaults::of(version, field, is_optional, self.diagnostics),
            merge: merge::of(version, object, field),
            reading: readings::of(version, object, field),
            number: self
                .numbers
                .get_mut(owner)
                .and_then(|of| of.remove(&field.json)),
        };
        let docs = carry::description(&field.docs);
        carry::field(field, docs, form, (), (), field.rule_keywords.clone())
    }
}
