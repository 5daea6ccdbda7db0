//! Volumes of Pods, which live as long as the Pod.

use kubernetes_volume::plugins::csi::{AccessMode, AccessType};

use super::*;

fn inline(rest: Value) -> Spec {
    let mut source = json!({"driver": DRIVER});
    merge(&mut source, rest);
    volume(json!({"name": "data", "csi": source}))
}

#[test]
fn a_volume_of_a_pod_is_only_published() {
    let csi = Csi::new(STAGES, json!({"attachRequired": true}));
    let spec = inline(json!({
        "fsType": "ext4", "readOnly": true, "volumeAttributes": {"pool": "fast"},
        // In the namespace of the Pod.
        "nodePublishSecretRef": {"name": "publish"},
    }));
    let dir = csi.set_up(&spec, &no_args()).unwrap();
    let request = csi.published();
    // The hash of the Pod's UID and the volume's name.
    let handle = format!("csi-{HASH}");
    assert_eq!(request.volume_id, handle);
    assert_eq!(request.target_path, dir);
    assert_eq!(request.staging_target_path, Path::new(""));
    assert!(request.readonly && request.publish_context.is_empty());
    assert_eq!(request.secrets.0["key"], "of publish");
    assert_eq!(request.volume_context["pool"], "fast");
    assert_eq!(
        request.volume_capability.access_mode,
        AccessMode::SingleNodeMultiWriter
    );
    let AccessType::Mount { fs_type, .. } = request.volume_capability.access_type else {
        panic!("a file system");
    };
    assert_eq!(fs_type, "ext4");
    let data = data(dir.parent().unwrap());
    assert!(
        data.contains("\"volumeLifecycleMode\":\"Ephemeral\""),
        "{data}"
    );
    assert!(data.contains(&handle), "{data}");
    csi.tear_down("data").unwrap();
    assert_eq!(csi.calls(), ["NodePublishVolume", "NodeUnpublishVolume"]);
    assert!(!dir.parent().unwrap().exists());
}

const HASH: &str = "9c6c0e99333b6e0171aeb1947a9a3c0fb0f71500a74b8834f9f41db020f4a3a1";

#[test]
fn a_volume_of_a_pod_is_neither_attached_nor_staged() {
    let csi = Csi::new(STAGES, json!({"attachRequired": true}));
    let spec = inline(json!({}));
    let find = &csi.manager;
    assert!(
        find.find_attachable_plugin_by_spec(&spec)
            .unwrap()
            .is_none()
    );
    assert!(
        find.find_device_mountable_plugin_by_spec(&spec)
            .unwrap()
            .is_none()
    );
    for attempt in [
        csi.stage(&spec, &no_device_args()).map(drop),
        csi.plugin().volume_name(&spec).map(drop),
        csi.plugin()
            .as_attachable()
            .unwrap()
            .new_attacher()
            .unwrap()
            .attach(&spec, NODE)
            .map(drop),
    ] {
        let error = failed(attempt);
        assert!(error.contains("must be a PersistentVolume"), "{error}");
    }
    let block = csi.plugin().as_block().unwrap();
    let options = VolumeOptions::default();
    assert!(
        block
            .new_block_volume_mapper(&spec, &pod(json!({})), &options)
            .is_err()
    );
}

#[test]
fn a_driver_says_which_volumes_it_has() {
    let both = json!(["Persistent", "Ephemeral"]);
    for (driver, persistent, ephemeral) in [
        (None, true, false),
        (Some(json!({})), true, false),
        (Some(json!({"volumeLifecycleModes": []})), true, false),
        (
            Some(json!({"volumeLifecycleModes": ["Persistent"]})),
            true,
            false,
        ),
        (
            Some(json!({"volumeLifecycleModes": ["Ephemeral"]})),
            false,
            true,
        ),
        (Some(json!({"volumeLifecycleModes": both})), true, true),
        (
            Some(json!({"volumeLifecycleModes": ["Other"]})),
            false,
            false,
        ),
    ] {
        let csi = Csi::with([], driver.clone(), |host| host);
        csi.attach(json!({}));
        for (spec, expected) in [
            (disk(json!({})), persistent),
            (inline(json!({})), ephemeral),
        ] {
            match csi.set_up(&spec, &no_args()) {
                Ok(_) => assert!(expected, "{driver:?}"),
                Err(error) => {
                    assert!(!expected && error.is_transient(), "{driver:?}: {error}");
                    assert!(
                        error.to_string().contains("has no volumes of the mode"),
                        "{error}"
                    );
                }
            }
        }
    }
}
