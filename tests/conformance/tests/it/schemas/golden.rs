//! Two schemas to read. `UPDATE_GOLDEN=1 cargo test -p conformance --test it schemas::golden`
//! writes them anew.

use std::path::Path;
use std::{env, fs};

use k8s_openapi::schemars::{JsonSchema, SchemaGenerator};
use storage_v1::{StorageClass, VolumeBindingMode};

fn check<T: JsonSchema>(file: &str) {
    let schema = T::json_schema(&mut SchemaGenerator::default()).to_value();
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/schemas");
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(folder.join(file), &text).unwrap();
    }
    assert_eq!(text, fs::read_to_string(folder.join(file)).unwrap());
}

#[test]
fn an_enumeration() {
    check::<VolumeBindingMode>("volume-binding-mode.json");
    assert_eq!(
        VolumeBindingMode::schema_name(),
        "io.k8s.api.storage.v1.VolumeBindingMode"
    );
}

#[test]
fn a_kind() {
    check::<StorageClass>("storage-class.json");
}

/// A program may have the schemas of both crates in one.
#[test]
fn a_type_of_k8s_openapi_is_another() {
    use k8s_openapi::api::storage::v1::VolumeNodeResources as Theirs;
    use storage_v1::VolumeNodeResources as Ours;

    assert_eq!(Ours::schema_name(), Theirs::schema_name());
    let mut generator = SchemaGenerator::default();
    let ours = generator.subschema_for::<Ours>();
    assert_ne!(ours, generator.subschema_for::<Theirs>());
    assert_eq!(ours, generator.subschema_for::<Ours>());
    let definitions = generator.definitions();
    let minimums = definitions
        .values()
        .map(|d| d.pointer("/properties/count/minimum"));
    assert_eq!(minimums.flatten().count(), 1, "{definitions:?}");
}
