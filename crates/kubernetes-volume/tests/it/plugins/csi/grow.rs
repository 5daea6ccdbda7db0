//! Growing on the node.

use kubernetes_volume::plugins::csi::{AccessMode, AccessType};
use kubernetes_volume::{Error, NodeResizeOptions};

use super::*;

fn options(spec: &Spec) -> NodeResizeOptions {
    NodeResizeOptions {
        volume_spec: spec.clone(),
        device_path: PathBuf::from("/device"),
        device_mount_path: PathBuf::from("/mounted"),
        device_stage_path: PathBuf::from("/staged"),
        new_size: 20 << 30,
        old_size: 10 << 30,
        csi_volume_phase: None,
    }
}

fn grow(csi: &Csi, options: &NodeResizeOptions) -> Result<bool> {
    let plugin = csi.plugin().as_node_expandable().unwrap();
    assert!(plugin.requires_fs_resize());
    plugin.node_expand(options)
}

#[test]
fn a_volume_grows() {
    let csi = Csi::new(
        [
            NodeCapability::ExpandVolume,
            NodeCapability::SingleNodeMultiWriter,
        ],
        json!({}),
    );
    let reference = json!({"nodeExpandSecretRef": {"name": "expand", "namespace": "storage"}});
    for (mode, path) in [("Filesystem", "/mounted"), ("Block", "/device")] {
        let mut source = json!({"fsType": "xfs"});
        merge(&mut source, reference.clone());
        let spec = disk(json!({
            "volumeMode": mode, "accessModes": ["ReadWriteOncePod"], "mountOptions": ["noatime"],
            "csi": source,
        }));
        assert!(grow(&csi, &options(&spec)).unwrap());
        let Some(FakeCsiCall::Expand(request)) = csi.driver.calls().pop() else {
            panic!("a request");
        };
        assert_eq!(request.volume_id, HANDLE);
        assert_eq!(request.volume_path, Path::new(path));
        assert_eq!(request.staging_target_path, Path::new("/staged"));
        assert_eq!(request.required_bytes, 20 << 30);
        assert_eq!(request.secrets.0["key"], "of expand");
        let capability = request.volume_capability;
        assert_eq!(capability.access_mode, AccessMode::SingleNodeSingleWriter);
        let expected = match mode {
            "Block" => AccessType::Block,
            _ => AccessType::Mount {
                fs_type: "xfs".to_owned(),
                mount_flags: vec!["noatime".to_owned()],
                volume_mount_group: String::new(),
            },
        };
        assert_eq!(capability.access_type, expected);
    }
}

#[test]
fn a_driver_that_grows_nothing_says_so() {
    let csi = Csi::new(STAGES, json!({}));
    let error = grow(&csi, &options(&disk(json!({})))).unwrap_err();
    assert!(matches!(error, Error::NotSupported(_)), "{error:?}");
    assert!(csi.calls().is_empty());
}

#[test]
fn errors_say_whether_another_attempt_can_succeed() {
    let csi = Csi::new([NodeCapability::ExpandVolume], json!({}));
    for (code, is_final, is_infeasible) in [
        (Code::FailedPrecondition, true, false),
        (Code::InvalidArgument, true, true),
        (Code::OutOfRange, true, true),
        (Code::NotFound, true, true),
        (Code::Internal, true, false),
        (Code::DeadlineExceeded, false, false),
        (Code::Aborted, false, false),
    ] {
        csi.driver
            .fail("NodeExpandVolume", CsiError::new(code, "why"));
        let error = grow(&csi, &options(&disk(json!({})))).unwrap_err();
        let found = error.csi().unwrap();
        assert_eq!(found.code, Some(code));
        assert_eq!(found.is_infeasible(), is_infeasible, "{error}");
        assert_eq!(
            (error.is_final(), error.is_uncertain()),
            (is_final, !is_final),
            "{error}"
        );
    }
    assert!(!CsiError::not_sent("x").is_infeasible());
}

#[test]
fn wrong_requests_are_not_sent() {
    let csi = Csi::new([NodeCapability::ExpandVolume], json!({}));
    let without_path = NodeResizeOptions {
        device_mount_path: PathBuf::new(),
        ..options(&disk(json!({})))
    };
    let error = failed(grow(&csi, &without_path));
    assert!(error.contains("is empty"), "{error}");
    let inline = volume(json!({"name": "data", "csi": {"driver": DRIVER}}));
    let error = failed(grow(&csi, &options(&inline)));
    assert!(error.contains("must be a PersistentVolume"), "{error}");
    let secret = json!({"csi": {"nodeExpandSecretRef": {"name": "absent", "namespace": "x"}}});
    assert!(
        grow(&csi, &options(&disk(secret)))
            .unwrap_err()
            .is_transient()
    );
    csi.drivers.unregister(DRIVER);
    assert!(
        grow(&csi, &options(&disk(json!({}))))
            .unwrap_err()
            .is_transient()
    );
    assert!(csi.calls().is_empty());
}
