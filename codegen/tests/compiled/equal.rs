//! Types alone, and objects of two files that are equal and so are one type.

use golden_merged::{
    KettleSpecSpare, KettleSpecSpareShape, Lid, Teapot, TeapotSpec, TeapotSpecSieves, UNCHECKED,
};
use golden_types::{Kettle, KettleList, KettleSpec, KettleSpecMode};
use k8s_openapi::{ListableResource, Resource};
use kubernetes_validation::{Target, Validate};
use serde_json::json;

use crate::round_trip;

#[test]
fn types_alone_are_read_and_written() {
    let kettle: Kettle = round_trip(&json!({
        "apiVersion": "example.com/v1", "kind": "Kettle", "metadata": {"name": "k"},
        "spec": {"size": 2, "mode": "fast", "filter": {"mesh": 1}},
        "status": {"degrees": null}
    }));
    assert_eq!(kettle.spec.mode, KettleSpecMode::Fast);
    assert_eq!(Kettle::URL_PATH_SEGMENT, "kettles");
    assert_eq!(Kettle::LIST_KIND, "KettleList");
    let list: KettleList = [kettle.clone()].into_iter().collect();
    assert_eq!(list.into_iter().next(), Some(kettle));
    // The default of a required field.
    assert_eq!(KettleSpec::default().mode, KettleSpecMode::Quiet);
}

/// The same types as a module of this crate.
#[test]
fn a_single_file_is_a_module() {
    use crate::single;
    let kettle: single::Kettle = round_trip(&json!({
        "apiVersion": "example.com/v1", "kind": "Kettle", "metadata": {"name": "k"},
        "spec": {"size": 2, "mode": "fast", "filter": {"mesh": 1}}
    }));
    assert_eq!(kettle.spec.mode, single::KettleSpecMode::Fast);
    assert_eq!(
        single::KettleSpec::default().mode,
        single::KettleSpecMode::Quiet
    );
}

#[test]
fn equal_objects_are_one_type() {
    let filter =
        KettleSpecSpare::new(1).with_shape(KettleSpecSpareShape::new().with_kind("square"));
    // In the same file and in another one.
    let kettle = golden_merged::KettleSpec::new(2)
        .with_filter(filter.clone())
        .with_spare([filter.clone()])
        .with_lid(Lid::new());
    assert_eq!(kettle.filter, Some(filter.clone()));
    let sieve = TeapotSpecSieves::new(4).with_shape(KettleSpecSpareShape::new());
    let spec = TeapotSpec::new()
        .with_strainer(filter)
        .with_sieves([("fine", sieve)])
        .with_lid(Lid::new());
    let _: Teapot = round_trip(&serde_json::to_value(Teapot::default().with_spec(spec)).unwrap());
}

/// Errors are at the place of the value, not at that of the type's name.
#[test]
fn each_place_is_checked() {
    let target = Target::new(golden_merged::KUBERNETES);
    let spec = TeapotSpec::new()
        .with_strainer(KettleSpecSpare::new(4))
        .with_sieves([("fine", TeapotSpecSieves::new(5))]);
    let mut pot = Teapot::new("pot").with_spec(spec);
    pot.metadata.namespace = Some("kitchen".to_owned());
    let report = pot.default_and_validate(&target);
    let fields: Vec<_> = report.errors.iter().map(|error| &*error.field).collect();
    assert_eq!(fields, ["spec.sieves.fine.mesh", "spec.strainer.mesh"]);
}

#[test]
fn a_rule_is_listed_at_each_place() {
    let places: Vec<_> = UNCHECKED
        .iter()
        .map(|rule| format!("{} {}", rule.kind, rule.path))
        .collect();
    assert_eq!(places, ["Teapot spec.lid.hinge", "Kettle spec.lid.hinge"]);
}
