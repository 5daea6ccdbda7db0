//! The definition that a crate holds.

use golden_definition::Kite;
use k8s_openapi::serde_json::{self, Value};
use kube_core::CustomResourceExt as _;

/// The definition, without what a server adds to it.
#[test]
fn a_kind_has_its_definition() {
    let text: Value = serde_json::from_str(Kite::DEFINITION).unwrap();
    let written = serde_json::to_value(Kite::crd()).unwrap();
    // Every keyword of it is one of k8s-openapi's types.
    let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
    for path in ["/metadata", "/spec/names", "/spec/versions/1"] {
        assert_eq!(text.pointer(path), written.pointer(path), "{path}");
    }
    let rule = format!("{spec}/x-kubernetes-validations/0/rule");
    assert_eq!(written.pointer(&rule).unwrap(), "self.tail < 30");
    let words = format!("{spec}/properties/tail/description");
    assert_eq!(
        text.pointer(&words).unwrap(),
        "The metres of its tail: \\ \u{202e}é."
    );
    let metadata = text["metadata"].as_object().unwrap();
    let keys: Vec<_> = metadata.keys().collect();
    assert_eq!(keys, ["annotations", "labels", "name"]);
    assert_eq!(metadata["annotations"].as_object().unwrap().len(), 1);
    assert!(text.get("status").is_none());
}

#[test]
fn kube_finds_the_kind() {
    assert_eq!(Kite::crd_name(), "kites.example.com");
    assert_eq!(Kite::shortnames(), ["ki", "kt"]);
    let resource = Kite::api_resource();
    assert_eq!(resource.plural, "kites");
    assert_eq!(resource.api_version, "example.com/v1");
}
