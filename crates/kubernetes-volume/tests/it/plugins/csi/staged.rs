//! Staging: mounting once for the node.

use kubernetes_volume::plugins::csi::{AccessMode, AccessType, Secrets, VolumeCapability};

use super::*;

/// The hash of the handle, by `printf vol-1 | sha256sum`.
const HASH: &str = "d2e8363faaac7ae76def3b14091d8eb5755f6b92e9531627aeec833a8731cc49";

fn volume_dir(csi: &Csi) -> PathBuf {
    csi.path("plugins/kubernetes.io/csi")
        .join(DRIVER)
        .join(HASH)
}

fn full() -> Spec {
    disk(json!({
        "accessModes": ["ReadWriteOncePod", "ReadWriteMany"],
        "mountOptions": ["noatime"],
        "csi": {
            "fsType": "xfs",
            "volumeAttributes": {"pool": "fast"},
            "nodeStageSecretRef": {"name": "stage", "namespace": "storage"},
        },
    }))
}

#[test]
fn a_volume_is_staged_and_unstaged() {
    let csi = Csi::new(STAGES, json!({"attachRequired": true}));
    csi.attach(json!({"devicePath": "/dev/vdb"}));
    let spec = full();
    for _ in 0..2 {
        let at = csi.stage(&spec, &no_device_args()).unwrap();
        assert_eq!(at, volume_dir(&csi).join("globalmount"));
        assert_eq!(of(&at).2, 0o750);
        let expected = NodeStageVolumeRequest {
            volume_id: HANDLE.to_owned(),
            publish_context: [("devicePath".to_owned(), "/dev/vdb".to_owned())].into(),
            staging_target_path: at.clone(),
            volume_capability: VolumeCapability {
                access_mode: AccessMode::SingleNodeSingleWriter,
                access_type: AccessType::Mount {
                    fs_type: "xfs".to_owned(),
                    mount_flags: vec!["noatime".to_owned()],
                    volume_mount_group: String::new(),
                },
            },
            secrets: Secrets([("key".to_owned(), "of stage".to_owned())].into()),
            volume_context: [("pool".to_owned(), "fast".to_owned())].into(),
        };
        assert_eq!(csi.staged(), expected);
        // As a kubelet writes it.
        assert_eq!(
            data(&volume_dir(&csi)),
            "{\"driverName\":\"disk.example.com\",\"volumeHandle\":\"vol-1\"}\n"
        );
        assert_eq!(of(&volume_dir(&csi).join("vol_data.json")).2, 0o644);
    }
    let at = volume_dir(&csi).join("globalmount");
    for _ in 0..2 {
        csi.unstage(&at).unwrap();
    }
    let stage = "NodeStageVolume";
    assert_eq!(csi.calls(), [stage, stage, "NodeUnstageVolume"]);
    assert!(!volume_dir(&csi).exists());
}

#[test]
fn access_modes_are_those_of_csi() {
    use AccessMode as Mode;
    let without = [NodeCapability::StageUnstageVolume];
    for (modes, with, alone) in [
        (
            json!(["ReadWriteOnce"]),
            Mode::SingleNodeMultiWriter,
            Mode::SingleNodeWriter,
        ),
        (
            json!(["ReadWriteOncePod"]),
            Mode::SingleNodeSingleWriter,
            Mode::SingleNodeWriter,
        ),
        (
            json!(["ReadOnlyMany"]),
            Mode::MultiNodeReaderOnly,
            Mode::MultiNodeReaderOnly,
        ),
        (
            json!(["ReadWriteMany"]),
            Mode::MultiNodeMultiWriter,
            Mode::MultiNodeMultiWriter,
        ),
        (json!(["Other"]), Mode::Unknown, Mode::Unknown),
        (
            json!([]),
            Mode::SingleNodeMultiWriter,
            Mode::SingleNodeWriter,
        ),
        (
            json!(null),
            Mode::SingleNodeMultiWriter,
            Mode::SingleNodeWriter,
        ),
    ] {
        let spec = disk(json!({"accessModes": modes}));
        for (capabilities, expected) in [(&STAGES[..], with), (&without[..], alone)] {
            let csi = Csi::new(capabilities.iter().copied(), json!({}));
            csi.stage(&spec, &no_device_args()).unwrap();
            csi.set_up(&spec, &no_args()).unwrap();
            let mode = csi.staged().volume_capability.access_mode;
            assert_eq!(mode, expected, "{modes}");
            let mode = csi.published().volume_capability.access_mode;
            assert_eq!(mode, expected, "{modes}");
        }
    }
}

#[test]
fn a_driver_that_stages_nothing_is_not_asked_to() {
    let csi = Csi::new([], json!({}));
    let spec = disk(json!({"csi": {"nodeStageSecretRef": {"name": "absent", "namespace": "x"}}}));
    let at = csi.stage(&spec, &no_device_args()).unwrap();
    // As a kubelet leaves it.
    assert!(at.is_dir() && !at.with_file_name("vol_data.json").exists());
    csi.set_up(&spec, &no_args()).unwrap();
    assert_eq!(csi.published().staging_target_path, Path::new(""));
    csi.unstage(&at).unwrap();
    assert!(!volume_dir(&csi).exists());
    assert_eq!(csi.calls(), ["NodePublishVolume"]);
}

#[test]
fn the_group_and_the_label_are_for_drivers_that_take_them() {
    let args = DeviceMounterArgs {
        fs_group: Some(3000),
        selinux_label: Some("system_u:object_r:container_file_t:s0:c1,c2".to_owned()),
    };
    for (capabilities, driver, group, flags) in [
        (vec![], json!({}), "", vec![]),
        (
            vec![NodeCapability::VolumeMountGroup],
            json!({}),
            "3000",
            vec![],
        ),
        (
            vec![],
            json!({"seLinuxMount": true}),
            "",
            vec!["context=\"system_u:object_r:container_file_t:s0:c1,c2\""],
        ),
        (vec![], json!({"seLinuxMount": false}), "", vec![]),
    ] {
        let csi = Csi::new(STAGES.into_iter().chain(capabilities), driver);
        let at = csi.stage(&disk(json!({})), &args).unwrap();
        let expected = AccessType::Mount {
            fs_type: String::new(),
            mount_flags: flags.iter().copied().map(str::to_owned).collect(),
            volume_mount_group: group.to_owned(),
        };
        assert_eq!(csi.staged().volume_capability.access_type, expected);
        let data = data(at.parent().unwrap());
        assert_eq!(
            data.contains("seLinuxMountContext"),
            !flags.is_empty(),
            "{data}"
        );
    }
}

#[test]
fn a_secret_that_is_absent_or_binary_may_come() {
    let csi = Csi::new(STAGES, json!({}));
    let secret =
        |name: &str| json!({"csi": {"nodeStageSecretRef": {"name": name, "namespace": "storage"}}});
    let error = csi
        .stage(&disk(secret("absent")), &no_device_args())
        .unwrap_err();
    assert!(error.is_transient(), "{error}");
    assert_eq!(error.to_string(), "secret \"storage/absent\" not found");
    assert!(csi.on_disk().is_empty() && csi.calls().is_empty());

    let binary: Secret = object(json!({
        "metadata": {"name": "binary", "namespace": "storage"},
        "data": {"key": k8s_openapi::ByteString(vec![0xff])},
    }));
    let csi = Csi::with(STAGES, Some(json!({"attachRequired": false})), |host| {
        host.secret_objects([binary])
    });
    let error = csi
        .stage(&disk(secret("binary")), &no_device_args())
        .unwrap_err();
    assert!(
        error.is_transient() && error.to_string().contains("is not UTF-8"),
        "{error}"
    );
}

#[test]
fn a_volume_that_is_not_attached_may_come() {
    // As without a CSIDriver.
    for driver in [None, Some(json!({})), Some(json!({"attachRequired": true}))] {
        let csi = Csi::with(STAGES, driver, |host| host);
        let error = csi.stage(&disk(json!({})), &no_device_args()).unwrap_err();
        assert!(error.is_transient(), "{error}");
        assert!(
            error.to_string().starts_with("volumeattachment \"csi-"),
            "{error}"
        );
        let error = csi.set_up(&disk(json!({})), &no_args()).unwrap_err();
        assert!(error.is_transient(), "{error}");
        assert!(csi.on_disk().is_empty() && csi.calls().is_empty());
    }
}

#[test]
fn pods_of_one_volume_are_its_references() {
    let csi = Csi::new(STAGES, json!({}));
    let at = csi.stage(&disk(json!({})), &no_device_args()).unwrap();
    let dir = csi.set_up(&disk(json!({})), &no_args()).unwrap();
    let devices = csi.plugin().as_device_mountable().unwrap();
    assert_eq!(devices.device_mount_refs(&at).unwrap(), [dir]);
}
