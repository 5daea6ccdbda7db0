//! Kubernetes' own fixtures, in which every field has an arbitrary value. Their schemas report
//! only the rules that these values break.

use std::collections::BTreeSet;

use conformance::each_upstream_kind;
use conformance::fixtures;
use conformance::kind::Kind;
use k8s_openapi::schemars::JsonSchema;

use crate::schemas::{errors, validator};

/// The rules that the fixtures of a kind break. A text is the name of its field and `Value`, so
/// that it is of no enumeration, and has a capital letter where the name of an object must have
/// none; a number is a small one.
fn expected(kind: &str) -> &'static [&'static str] {
    match kind {
        "CSIDriver" => &[
            "/spec/fsGroupPolicy enum",
            "/spec/nodeAllocatableUpdatePeriodSeconds minimum",
            "/spec/tokenRequests/0/expirationSeconds minimum",
            "/spec/volumeLifecycleModes/0 enum",
        ],
        "CSIStorageCapacity" => &["/storageClassName pattern"],
        "PersistentVolume" => &[
            "/spec/accessModes/0 enum",
            "/spec/azureDisk/cachingMode enum",
            "/spec/azureDisk/kind enum",
            "/spec/hostPath/type enum",
            "/spec/nodeAffinity/required/nodeSelectorTerms/0/matchExpressions/0/operator enum",
            "/spec/nodeAffinity/required/nodeSelectorTerms/0/matchFields/0/operator enum",
            "/spec/persistentVolumeReclaimPolicy enum",
            "/spec/volumeMode enum",
            "/status/phase enum",
        ],
        "PersistentVolumeClaim" => &[
            "/spec/accessModes/0 enum",
            "/spec/volumeMode enum",
            "/status/accessModes/0 enum",
            "/status/allocatedResourceStatuses/allocatedResourceStatusesKey enum",
            "/status/conditions/0/status enum",
            "/status/conditions/0/type enum",
            "/status/modifyVolumeStatus/status enum",
            "/status/phase enum",
        ],
        "StorageClass" => &["/reclaimPolicy enum", "/volumeBindingMode enum"],
        // Every field is set, of which only one may be.
        "VolumeAttachment" => &[
            "/spec/nodeName pattern",
            "/spec/source maxProperties",
            "/spec/source/persistentVolumeName pattern",
        ],
        _ => &[],
    }
}

fn check<K: Kind + JsonSchema>() {
    let folder = fixtures::folder().unwrap();
    let validator = validator::<K>();
    let fixtures = fixtures::load(&folder, K::API_VERSION, K::KIND).unwrap();
    let mut found = BTreeSet::new();
    for fixture in &fixtures {
        let value = serde_json::from_str(&fixture.json).unwrap();
        let errors = errors(&validator, &value);
        found.extend(errors);
    }
    let found: Vec<_> = found.iter().map(String::as_str).collect();
    assert_eq!(found, expected(K::KIND));
}

each_upstream_kind!(check, ignore = "needs UPSTREAM_DIR: see docs/testing.md");
