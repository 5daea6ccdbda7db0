//! Answers of admission webhooks, from the JSON of a request to the JSON of the answer.

use kube::core::admission::{AdmissionRequest, AdmissionResponse, AdmissionReview};
use kubernetes_kinds::Release;
use kubernetes_validation::{Path, Target, Validate, admission};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use storage_v1::{CSIDriver, StorageClass, VolumeAttachment};

const TARGET: Target = Target::new(Release::new(1, 36));

/// A request as a server sends it; `more` replaces or adds fields.
fn request<K>(operation: &str, more: Value) -> AdmissionRequest<K>
where
    K: Validate + kube::Resource + DeserializeOwned,
{
    let mut request = json!({
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
        "kind": {"group": K::GROUP, "version": K::VERSION, "kind": K::KIND},
        "resource": {"group": K::GROUP, "version": K::VERSION, "resource": K::URL_PATH_SEGMENT},
        "operation": operation,
        "userInfo": {"username": "admin"},
        "object": null,
        "oldObject": null,
        "dryRun": false,
    });
    request
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    let review = json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request,
    });
    let review: AdmissionReview<K> = serde_json::from_value(review).unwrap();
    review.try_into().unwrap()
}

/// The answer as a server reads it, without what every answer has.
fn sent(response: AdmissionResponse) -> Value {
    let mut review = serde_json::to_value(response.into_review()).unwrap();
    let review = review.as_object_mut().unwrap();
    assert_eq!(review.remove("apiVersion").unwrap(), "admission.k8s.io/v1");
    assert_eq!(review.remove("kind").unwrap(), "AdmissionReview");
    let mut response = review.remove("response").unwrap();
    let uid = response.as_object_mut().unwrap().remove("uid").unwrap();
    assert_eq!(uid, "705ab4f5-6393-11e8-b7cc-42010a800002");
    response
}

fn patch(response: &AdmissionResponse) -> Value {
    assert!(response.allowed);
    serde_json::from_slice(response.patch.as_deref().unwrap()).unwrap()
}

fn class(more: Value) -> Value {
    let mut class = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": {"name": "fast"}, "provisioner": "csi.example.com",
    });
    class
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    class
}

/// The refusal of an object by the library alone.
fn refusal<K>(object: &Value, stored: Option<&Value>, name: &str) -> Value
where
    K: Validate + DeserializeOwned,
{
    let mut object: K = serde_json::from_value(object.clone()).unwrap();
    let report = match stored {
        None => object.default_and_validate(&TARGET),
        Some(stored) => {
            let mut stored: K = serde_json::from_value(stored.clone()).unwrap();
            stored.prepare_for_create(&TARGET);
            object.default_and_validate_update(&stored, &TARGET)
        }
    };
    let refused = report.into_result().unwrap_err();
    let mut status = serde_json::to_value(refused.to_status::<K>(name)).unwrap();
    // Of the object as a whole, not of the field `status` of an answer.
    for own in ["apiVersion", "kind", "metadata"] {
        status.as_object_mut().unwrap().remove(own);
    }
    status
}

#[test]
fn a_new_object_is_refused_with_all_its_errors() {
    let bad = class(json!({"provisioner": "", "reclaimPolicy": "Recycle"}));
    let request = request::<StorageClass>("CREATE", json!({"name": "fast", "object": bad}));
    let answer = sent(admission::validate(&request, &TARGET));
    let status = refusal::<StorageClass>(&bad, None, "fast");
    assert_eq!(answer, json!({"allowed": false, "status": status}));
    assert_eq!(
        (&status["code"], &status["reason"]),
        (&json!(422), &json!("Invalid"))
    );
    let causes = status["details"]["causes"].as_array().unwrap().iter();
    let fields: Vec<_> = causes
        .map(|cause| cause["field"].as_str().unwrap())
        .collect();
    assert_eq!(fields, ["provisioner", "reclaimPolicy"]);
}

#[test]
fn an_unreadable_quantity_is_a_bad_request() {
    let bad = json!({
        "metadata": {"name": "a", "namespace": "b"}, "storageClassName": "c", "capacity": "much",
    });
    let more = json!({"name": "a", "namespace": "b", "object": bad});
    let request = request::<storage_v1::CSIStorageCapacity>("CREATE", more);
    let answer = sent(admission::validate(&request, &TARGET));
    assert_eq!(answer["status"]["code"], 400);
    assert_eq!(answer["status"].get("details"), None);
}

/// A server defaults and accepts the object, in a dry run as well.
#[test]
fn a_valid_object_is_accepted() {
    for dry_run in [false, true] {
        let more = json!({"object": class(json!({})), "dryRun": dry_run});
        let answer = admission::validate(&request::<StorageClass>("CREATE", more), &TARGET);
        assert_eq!(sent(answer), json!({"allowed": true, "status": {}}));
    }
    let generated = class(json!({"metadata": {"generateName": "fast-"}}));
    let request = request::<StorageClass>("CREATE", json!({"object": generated}));
    assert!(admission::validate(&request, &TARGET).allowed);
}

#[test]
fn an_update_is_validated_against_the_stored_object() {
    let stored = class(json!({}));
    let bad = class(json!({"provisioner": "other.example.com"}));
    let more = json!({"name": "fast", "object": bad, "oldObject": stored});
    let answer = sent(admission::validate(
        &request::<StorageClass>("UPDATE", more),
        &TARGET,
    ));
    let status = refusal::<StorageClass>(&bad, Some(&stored), "fast");
    assert_eq!(answer, json!({"allowed": false, "status": status}));
    // The defaults are set in both.
    let same = class(json!({"reclaimPolicy": "Delete"}));
    for (object, stored) in [(&same, &stored), (&stored, &same)] {
        let more = json!({"object": object, "oldObject": stored});
        let request = request::<StorageClass>("UPDATE", more);
        assert!(admission::validate(&request, &TARGET).allowed);
    }
}

#[test]
fn a_status_is_validated_as_one() {
    let attachment = |node: &str, status: Value| {
        let source = json!({"persistentVolumeName": "b"});
        let spec = json!({"attacher": "csi.example.com", "nodeName": node, "source": source});
        let metadata = json!({"name": "a", "resourceVersion": "1"});
        json!({"metadata": metadata, "spec": spec, "status": status})
    };
    let long = "x".repeat(300 << 10);
    let stored = attachment("a", json!({"attached": false}));
    let moved = attachment("c", json!({"attached": false}));
    let long = json!({"attached": true, "attachmentMetadata": {"a": long}});
    let long = attachment("a", long);
    for (object, subresource, allowed) in [
        // The subresource has the status alone, the object everything else.
        (&long, "", true),
        (&long, "status", false),
        (&moved, "", false),
        (&moved, "status", true),
        (&moved, "other", true),
    ] {
        let more = json!({"object": object, "oldObject": stored, "subResource": subresource});
        let request = request::<VolumeAttachment>("UPDATE", more);
        let answer = admission::validate(&request, &TARGET);
        assert_eq!(
            answer.allowed, allowed,
            "{subresource}: {:?}",
            answer.result
        );
    }
}

#[test]
fn what_has_no_object_is_accepted() {
    for (operation, more) in [
        (
            "DELETE",
            json!({"oldObject": class(json!({"provisioner": ""}))}),
        ),
        ("CONNECT", json!({"subResource": "proxy"})),
        (
            "CONNECT",
            json!({"object": class(json!({"provisioner": ""}))}),
        ),
    ] {
        let request = request::<StorageClass>(operation, more);
        let accepted = json!({"allowed": true, "status": {}});
        assert_eq!(sent(admission::validate(&request, &TARGET)), accepted);
        assert_eq!(sent(admission::default(&request, &TARGET)), accepted);
    }
}

#[test]
fn a_request_that_lacks_its_object_is_refused() {
    let object = class(json!({}));
    for (operation, more, field) in [
        ("CREATE", json!({}), "object"),
        ("UPDATE", json!({"oldObject": object}), "object"),
        ("UPDATE", json!({"object": object}), "oldObject"),
    ] {
        let request = request::<StorageClass>(operation, more);
        let refused = sent(admission::validate(&request, &TARGET));
        assert_eq!(
            (&refused["allowed"], &refused["status"]["code"]),
            (&json!(false), &json!(400))
        );
        let message = refused["status"]["message"].as_str().unwrap();
        assert!(message.ends_with(&format!("request.{field}")), "{message}");
        assert_eq!(sent(admission::default(&request, &TARGET)), refused);
    }
}

/// The patch holds the defaults that are unset, and nothing else: neither fields that the type
/// doesn't have, nor what a server removes.
#[test]
fn the_patch_adds_the_defaults() {
    let sent = class(json!({"reclaimPolicy": "Retain", "newer": 1, "parameters": {}}));
    let mut patched = sent.clone();
    let request = request::<StorageClass>("CREATE", json!({"object": sent}));
    let response = admission::default(&request, &TARGET);
    let added = json!([
        {"op": "add", "path": "/volumeBindingMode", "value": "Immediate"},
    ]);
    assert_eq!(patch(&response), added);
    let json = serde_json::to_value(&response).unwrap();
    assert_eq!(json["patchType"], "JSONPatch");
    let operations: json_patch::Patch = serde_json::from_value(added).unwrap();
    json_patch::patch(&mut patched, &operations).unwrap();
    let mut wanted = sent;
    wanted["volumeBindingMode"] = json!("Immediate");
    assert_eq!(patched, wanted);
}

#[test]
fn the_patch_of_nested_fields_fits_what_was_sent() {
    let driver = json!({"metadata": {"name": "csi.example.com"}, "spec": {"podInfoOnMount": true}});
    let mut wanted: CSIDriver = serde_json::from_value(driver.clone()).unwrap();
    kubernetes_validation::SetDefaults::set_defaults(&mut wanted, &TARGET);
    let stored = json!({"metadata": {"name": "csi.example.com"}, "spec": {"attachRequired": true}});
    for operation in ["CREATE", "UPDATE"] {
        let more = json!({"object": driver, "oldObject": stored});
        let response = admission::default(&request::<CSIDriver>(operation, more), &TARGET);
        let operations = patch(&response);
        let operations: json_patch::Patch = serde_json::from_value(operations).unwrap();
        let mut patched = driver.clone();
        json_patch::patch(&mut patched, &operations).unwrap();
        assert_eq!(
            serde_json::from_value::<CSIDriver>(patched).unwrap(),
            wanted
        );
    }
}

/// Removing fields that a server of the target doesn't store is left to that server.
#[test]
fn the_patch_removes_nothing() {
    let metadata = json!({"name": "csi.example.com", "namespace": "a"});
    let spec = json!({"nodeAllocatableUpdatePeriodSeconds": 60});
    let driver = json!({"metadata": metadata, "spec": spec});
    let request = request::<CSIDriver>("CREATE", json!({"object": driver}));
    let response = admission::default(&request, &Target::new(Target::OLDEST));
    let patch = patch(&response);
    let operations = patch.as_array().unwrap().iter();
    assert!(
        operations
            .map(|operation| &operation["op"])
            .all(|op| op == "add"),
        "{patch}"
    );
}

#[test]
fn without_defaults_to_add_there_is_no_patch() {
    let full = class(json!({"reclaimPolicy": "Retain", "volumeBindingMode": "Immediate"}));
    let complete = request::<StorageClass>("CREATE", json!({"object": full}));
    let response = sent(admission::default(&complete, &TARGET));
    assert_eq!(response, json!({"allowed": true, "status": {}}));
    let more = json!({"object": class(json!({})), "subResource": "status"});
    let status = request::<StorageClass>("CREATE", more);
    assert_eq!(admission::default(&status, &TARGET).patch, None);
}

#[test]
fn own_defaults_and_rules_come_after_those_of_the_server() {
    let more = json!({"object": class(json!({"volumeBindingMode": "Immediate"}))});
    let created = request::<StorageClass>("CREATE", more);
    let response = admission::default_with(&created, &TARGET, |class| {
        assert!(class.reclaim_policy.is_some());
        class.allow_volume_expansion.get_or_insert(true);
    });
    let added = json!([
        {"op": "add", "path": "/allowVolumeExpansion", "value": true},
        {"op": "add", "path": "/reclaimPolicy", "value": "Delete"},
    ]);
    assert_eq!(patch(&response), added);

    let bad = class(json!({"provisioner": ""}));
    for (operation, is_update) in [("CREATE", false), ("UPDATE", true)] {
        let more = json!({"object": bad, "oldObject": bad});
        let request = request::<StorageClass>(operation, more);
        let response = admission::validate_with(&request, &TARGET, |class, to| {
            assert!(class.volume_binding_mode.is_some());
            assert_eq!(to.is_update(), is_update);
            to.forbidden(Path::ROOT.field("parameters"), "own", "not here");
        });
        let causes = response.result.details.unwrap().causes;
        let fields: Vec<_> = causes.iter().map(|cause| cause.field.as_str()).collect();
        assert_eq!(fields, ["provisioner", "parameters"]);
    }
}

#[test]
fn warnings_are_those_of_the_report() {
    let topologies = json!([{"matchLabelExpressions": [
        {"key": "failure-domain.beta.kubernetes.io/zone", "values": ["a"]},
    ]}]);
    let old = class(json!({"allowedTopologies": topologies}));
    let response = admission::validate(
        &request::<StorageClass>("CREATE", json!({"object": old})),
        &TARGET,
    );
    let mut old: StorageClass = serde_json::from_value(old).unwrap();
    let report = old.default_and_validate(&TARGET);
    let wanted: Vec<_> = report.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(wanted.len(), 1);
    assert_eq!(response.warnings, Some(wanted));
}

/// Servers cut longer warnings, and drop those beyond 4096 characters in all.
#[test]
fn warnings_keep_to_the_limits_of_servers() {
    let warnings = |count: usize, length: usize| {
        let more = json!({"object": class(json!({}))});
        let request = request::<StorageClass>("CREATE", more);
        let response = admission::validate_with(&request, &TARGET, |_, to| {
            for _ in 0..count {
                to.warn(Path::ROOT.field("a"), "é".repeat(length - "a: ".len()));
            }
        });
        response.warnings.unwrap()
    };
    let length = |text: &String| text.chars().count();
    assert_eq!(length(&warnings(1, 256)[0]), 256);
    let cut = warnings(1, 257);
    assert_eq!((length(&cut[0]), cut[0].ends_with("é…")), (256, true));

    let all = warnings(16, 256);
    assert_eq!(
        (all.len(), all.iter().map(length).sum::<usize>()),
        (16, 4096)
    );
    let some = warnings(17, 256);
    assert_eq!(some.len(), 16);
    assert_eq!(some[15], "2 more warnings are left out");
    assert!(some.iter().map(length).sum::<usize>() <= 4096);
}
