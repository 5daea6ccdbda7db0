//! Conversion to types of k8s-openapi that lack a field.

use golden_counterparts::{Handler, Moon, RuntimeClass, RuntimeClassList, Scheduling};
use k8s_openapi::api::node::v1 as theirs;
use kubernetes_kinds::counterpart::Counterpart;

fn class() -> RuntimeClass {
    let scheduling = Scheduling::new()
        .with_node_selector([("arch".to_owned(), "arm64".to_owned())])
        .with_moons([Moon::new().with_phase("full")]);
    RuntimeClass::new("light", Handler::Kata).with_scheduling(scheduling)
}

#[test]
fn what_is_lost_has_its_path() {
    let error = theirs::RuntimeClass::try_from(class()).unwrap_err();
    let fields = error.unrepresentable.iter().map(ToString::to_string);
    assert_eq!(
        Vec::from_iter(fields),
        [r#"scheduling.moons: [{"phase":"full"}]"#]
    );

    let lists = RuntimeClassList::new([RuntimeClass::new("a", Handler::Runc), class()]);
    let converted = lists.into_k8s_openapi();
    let fields = converted
        .unrepresentable
        .iter()
        .map(|field| field.path.to_string());
    assert_eq!(Vec::from_iter(fields), ["items[1].scheduling.moons"]);
    assert_eq!(converted.object.items[1].handler, "kata");
}

#[test]
fn what_is_not_lost_comes_back() {
    let mut class = class();
    class.scheduling.as_mut().unwrap().moons = None;
    let theirs = theirs::RuntimeClass::try_from(class.clone()).unwrap();
    let nodes = theirs.scheduling.clone().unwrap().node_selector.unwrap();
    assert_eq!(nodes["arch"], "arm64");
    assert_eq!(RuntimeClass::from(theirs), class);
}
