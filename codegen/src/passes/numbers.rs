//! Numbers: the fields that Kubernetes' protobuf has, with their numbers in it.

use std::collections::{BTreeMap, BTreeSet};

use super::nullable;
use crate::diag::Diagnostics;
use crate::foundation;
use crate::model::{ApiVersion, External, Field, Lowered, Number, SchemaName, Struct, Ty};
use crate::numbers::{Found, Numbers, SAME_RELEASE, difference, without_number};

/// The start of the messages that are a schema in JSON, or something else.
const SCHEMA_OR_OTHER: &str =
    "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOr";

/// The numbers of the fields of each type, by their names in JSON.
pub(super) type OfTypes = BTreeMap<SchemaName, BTreeMap<String, Number>>;

/// Returns the numbers of the types of a document; none if it isn't to have any.
pub(super) fn of(
    version: &ApiVersion<Lowered>,
    numbers: Option<&Numbers>,
    diagnostics: &mut Diagnostics,
) -> OfTypes {
    let Some(numbers) = numbers.filter(|_| version.has_numbers) else {
        return OfTypes::new();
    };
    let mut pass = Pass {
        version,
        numbers,
        diagnostics,
    };
    let objects = version.structs();
    objects
        .map(|(name, object)| (name.clone(), pass.object(name, object)))
        .collect()
}

struct Pass<'a> {
    version: &'a ApiVersion<Lowered>,
    numbers: &'a Numbers,
    diagnostics: &'a mut Diagnostics,
}

impl Pass<'_> {
    fn object(
        &mut self,
        schema: &SchemaName,
        object: &Struct<Lowered>,
    ) -> BTreeMap<String, Number> {
        let Some(message) = self.numbers.message(schema) else {
            if let Some(ty) = self.version.types.get(schema) {
                let file = self.version.file_of(&ty.pointer);
                self.diagnostics.at(
                    file,
                    &ty.pointer,
                    format!("no `.proto` file has a message for `{schema}`"),
                    "`folder` of [protobuf] in codegen.toml has the files: add that of its group \
                     and version, or say `json-only = true` for the document if servers have no \
                     protobuf for it",
                );
            }
            return BTreeMap::new();
        };
        let names: BTreeSet<_> = object
            .fields
            .iter()
            .map(|field| field.json.as_str())
            .collect();
        let found = self.numbers.pair(message, &names);
        let mut numbers = BTreeMap::new();
        for field in &object.fields {
            match found.get(field.json.as_str()) {
                Some(found) => {
                    self.check(field, found);
                    // Where it may be `null`, JSON has that for a zero one.
                    let nullable = nullable::is_nullable(self.version, field);
                    let is_required = field.is_always_written() && !nullable;
                    numbers.insert(field.json.clone(), found.number(is_required));
                }
                None => {
                    let error = without_number(&field.json, message);
                    self.report(field, error, SAME_RELEASE);
                }
            }
        }
        numbers
    }

    /// Checks that a field has the same type in both.
    fn check(&mut self, field: &Field<Lowered>, found: &Found<'_>) {
        let place = &found.place;
        if let Some((here, there)) = difference(self.version, &field.ty, found) {
            self.report(
                field,
                format!(
                    "`{}` is {here} here, and {there} in {}:{}",
                    field.json, place.file, place.line
                ),
                match found.field.ty.name().starts_with(SCHEMA_OR_OTHER) {
                    true => {
                        "documents don't say what a schema in JSON may be instead: give the crate \
                         `types` with the `JSONSchemaProps` of k8s-openapi"
                    }
                    false => SAME_RELEASE,
                },
            );
        }
        let Ty::Ref(schema) = field.ty.innermost() else {
            return;
        };
        let external = self.version.externs.get(schema);
        let has_none = |external: &External| {
            !external.generated
                && !foundation::is_in_protobuf(&external.path)
                && !self.numbers.of_others.contains_key(schema)
        };
        if external.is_some_and(has_none) {
            self.report(
                field,
                format!(
                    "`{}` has a type of k8s-openapi without numbers, `{schema}`",
                    field.json
                ),
                "name it in `types` of [protobuf.k8s-openapi] in codegen.toml",
            );
        }
    }

    fn report(&mut self, field: &Field<Lowered>, message: String, help: &str) {
        let file = self.version.file_of(&field.pointer);
        self.diagnostics.at(file, &field.pointer, message, help);
    }
}
