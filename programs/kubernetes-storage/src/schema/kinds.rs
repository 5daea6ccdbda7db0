//! The kinds, with their schemas.

use kubernetes_kinds::GroupVersionKind;
use kubernetes_manifests::scheme::Versioned;
use kubernetes_validation::Validate;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::tighten::tighten;

/// Returns a schema.
type MakeSchema = fn() -> Value;

macro_rules! schemas {
    ($($name:ident: $kind:ty $(, $part:ident = $type:ty)*;)*) => {
        vec![$((kind_of::<$kind>(), schema_of::<$kind> as MakeSchema)),*]
    };
}

/// Returns all kinds, the newest version of each first, with functions that return their schemas.
pub(super) fn all() -> Vec<(GroupVersionKind, MakeSchema)> {
    storage_all::for_each_kind!(schemas)
}

fn kind_of<K: Versioned>() -> GroupVersionKind {
    GroupVersionKind::from_type_meta(K::API_VERSION, K::KIND)
}

fn schema_of<K: Versioned + Validate + JsonSchema>() -> Value {
    let generator = SchemaSettings::draft07().into_generator();
    let mut schema = generator.into_root_schema_for::<K>().to_value();
    tighten(&mut schema, K::IS_CUSTOM);
    schema
}
