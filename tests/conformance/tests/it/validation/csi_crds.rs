//! The kinds of csi.storage.k8s.io, which were custom resources.

use conformance::rules::Probe;
use serde_json::{Value, json};
use storage_v1alpha1::csi::{CSIDriver, CSINodeInfo};

fn node(mechanism: &str) -> Value {
    let spec = json!([{"name": "a", "nodeID": "", "topologyKeys": []}]);
    let status = json!([{"name": "a", "available": true, "volumePluginMechanism": mechanism}]);
    json!({
        "metadata": {"name": "n"}, "spec": {"drivers": spec}, "status": {"drivers": status}
    })
}

/// The pattern isn't anchored.
#[test]
fn plugin_mechanism() {
    for good in ["csi", "in-tree", "csi-plugin", "xcsi"] {
        Probe::<CSINodeInfo>::of(node(good)).create(json!({})).ok();
    }
    for bad in ["", "CSI", "in tree"] {
        let answer = Probe::<CSINodeInfo>::of(node(bad)).create(json!({}));
        answer.refused(&["Invalid status.drivers[0].volumePluginMechanism"]);
    }
}

#[test]
fn drivers_differ() {
    let twice =
        json!({"metadata": {"name": "n"}, "csiDrivers": [{"driver": "a"}, {"driver": "a"}]});
    let answer = Probe::<CSINodeInfo>::of(twice).create(json!({}));
    answer.refused(&["Duplicate csiDrivers[1].driver"]);
}

/// No gate takes anything out of a custom resource.
#[test]
fn everything_is_kept() {
    let given = node("csi");
    let stored = Probe::<CSINodeInfo>::of(given.clone()).stored(json!({}));
    assert_eq!(
        (&stored["spec"], &stored["status"]),
        (&given["spec"], &given["status"])
    );
    let old = json!({"metadata": {"name": "n"}, "csiDrivers": [{
        "driver": "a", "nodeID": "i", "topologyKeys": ["k"]
    }]});
    let stored = Probe::<CSINodeInfo>::of(old.clone()).stored(json!({}));
    assert_eq!(stored["csiDrivers"], old["csiDrivers"]);
    let driver = json!({"metadata": {"name": "d"}, "spec": {}});
    assert_eq!(
        Probe::<CSIDriver>::of(driver).stored(json!({}))["spec"],
        json!({})
    );
}
