//! Publishing: mounting for a Pod.

use kubernetes_volume::plugins::csi::{AccessMode, AccessType, Secrets, VolumeCapability};

use super::*;

const DIR: &str = "pods/7d4c1a52/volumes/kubernetes.io~csi/disk";

#[test]
fn a_volume_is_published_and_unpublished() {
    let csi = Csi::new(STAGES, json!({"attachRequired": true}));
    csi.attach(json!({"devicePath": "/dev/vdb"}));
    let spec = disk(json!({
        "accessModes": ["ReadWriteOnce"],
        "mountOptions": ["noatime"],
        "csi": {
            "fsType": "ext4",
            "volumeAttributes": {"pool": "fast"},
            "nodePublishSecretRef": {"name": "publish", "namespace": "shop"},
        },
    }));
    let staged = csi.stage(&spec, &no_device_args()).unwrap();
    for _ in 0..2 {
        let dir = csi.set_up(&spec, &no_args()).unwrap();
        assert_eq!(dir, csi.path(DIR).join("mount"));
        assert_eq!(of(&csi.path(DIR)).2, 0o750);
        let expected = NodePublishVolumeRequest {
            volume_id: HANDLE.to_owned(),
            publish_context: [("devicePath".to_owned(), "/dev/vdb".to_owned())].into(),
            staging_target_path: staged.clone(),
            target_path: dir,
            volume_capability: VolumeCapability {
                access_mode: AccessMode::SingleNodeMultiWriter,
                access_type: AccessType::Mount {
                    fs_type: "ext4".to_owned(),
                    mount_flags: vec!["noatime".to_owned()],
                    volume_mount_group: String::new(),
                },
            },
            readonly: false,
            secrets: Secrets([("key".to_owned(), "of publish".to_owned())].into()),
            volume_context: [("pool".to_owned(), "fast".to_owned())].into(),
        };
        assert_eq!(csi.published(), expected);
        // As a kubelet writes it.
        let attachment = attachment_name(HANDLE, DRIVER, NODE);
        let expected = format!(
            "{{\"attachmentID\":\"{attachment}\",\"driverName\":\"{DRIVER}\",\
             \"nodeName\":\"{NODE}\",\"specVolID\":\"disk\",\"volumeHandle\":\"{HANDLE}\",\
             \"volumeLifecycleMode\":\"Persistent\"}}\n"
        );
        assert_eq!(data(&csi.path(DIR)), expected);
    }
    for _ in 0..2 {
        csi.tear_down("disk").unwrap();
    }
    assert!(!csi.path(DIR).exists());
    csi.unstage(&staged).unwrap();
    let calls = [
        "NodeStageVolume",
        "NodePublishVolume",
        "NodePublishVolume",
        "NodeUnpublishVolume",
        "NodeUnstageVolume",
    ];
    assert_eq!(csi.calls(), calls);
    assert!(csi.host.mounter.mount_points().is_empty());
}

/// The claim says so, not the source, which is for the driver's controller.
#[test]
fn a_claim_can_be_read_only() {
    for (read_only, of_source) in [(true, false), (false, true), (true, true)] {
        let csi = Csi::new(STAGES, json!({}));
        let mut spec = disk(json!({"csi": {"readOnly": of_source}}));
        spec.read_only = read_only;
        csi.set_up(&spec, &no_args()).unwrap();
        assert_eq!(csi.published().readonly, read_only);
        let attributes = csi.mounter(&spec).unwrap().attributes();
        assert_eq!(
            (attributes.read_only, attributes.managed),
            (read_only, !read_only)
        );
    }
}

/// The annotation with mount options, which the plugins of Kubernetes once had, is not for CSI.
#[test]
fn mount_options_are_those_of_the_field() {
    let csi = Csi::new([], json!({}));
    let mut spec = disk(json!({"mountOptions": ["noexec"]}));
    let key = "volume.beta.kubernetes.io/mount-options".to_owned();
    let metadata = &mut spec.persistent_volume.as_mut().unwrap().metadata;
    metadata.annotations = Some([(key, "nodev".to_owned())].into());
    csi.set_up(&spec, &no_args()).unwrap();
    let AccessType::Mount { mount_flags, .. } = csi.published().volume_capability.access_type
    else {
        panic!("a file system");
    };
    assert_eq!(mount_flags, ["noexec"]);
    assert!(csi.plugin().supports_mount_option());
}

#[test]
fn the_label_is_for_drivers_that_mount_with_it() {
    let args = |label: &str| MounterArgs {
        selinux_label: Some(label.to_owned()),
        ..MounterArgs::default()
    };
    for (driver, label, expected) in [
        (
            json!({"seLinuxMount": true}),
            "s0:c1,c2",
            Some("context=\"s0:c1,c2\""),
        ),
        (json!({"seLinuxMount": true}), "", None),
        (json!({"seLinuxMount": false}), "s0", None),
        (json!({}), "s0", None),
    ] {
        let says = driver["seLinuxMount"] == true;
        let csi = Csi::new([], driver);
        csi.set_up(&disk(json!({"mountOptions": ["noatime"]})), &args(label))
            .unwrap();
        let access = csi.published().volume_capability.access_type;
        let AccessType::Mount { mount_flags, .. } = access else {
            panic!("a file system");
        };
        let all: Vec<_> = ["noatime"].into_iter().chain(expected).collect();
        assert_eq!(mount_flags, all);
        let data = data(&csi.path(DIR));
        let kept = data.contains("\"seLinuxMountContext\":\"s0:c1,c2\"");
        assert_eq!(kept, expected.is_some(), "{data}");
        let plugin = csi.plugin();
        let found = plugin
            .construct_volume_spec("disk", &csi.path(DIR))
            .unwrap();
        assert_eq!(
            found.selinux_mount_context.as_deref(),
            expected.map(|_| label)
        );
        let supports = plugin
            .supports_selinux_context_mount(&disk(json!({})))
            .unwrap();
        assert_eq!(supports, says);
    }
}

#[test]
fn names_are_those_of_kubernetes() {
    let csi = Csi::new([], json!({}));
    let plugin = csi.plugin();
    assert_eq!(plugin.plugin_name(), "kubernetes.io/csi");
    let spec = disk(json!({}));
    assert_eq!(plugin.volume_name(&spec).unwrap(), "disk.example.com^vol-1");
    assert!(plugin.can_support(&spec));
    assert!(!plugin.can_support(&persistent("disk", json!({"local": {"path": "/x"}}), false)));
    assert!(!plugin.can_support(&volume(json!({"name": "x", "emptyDir": {}}))));
    assert!(!plugin.can_support(&Spec::default()));
}

#[test]
fn wrong_volumes_are_refused() {
    let csi = Csi::new([], json!({}));
    for (source, expected) in [
        (json!({"volumeHandle": ""}), "has no volumeHandle"),
        (
            json!({"driver": ""}),
            "name of the CSI driver \"\" is empty",
        ),
        (json!({"driver": "../x"}), "has a slash"),
        (json!({"driver": ".."}), "is a path to another directory"),
    ] {
        let spec = disk(json!({"csi": source}));
        let error = failed(csi.mounter(&spec));
        assert!(error.contains(expected), "{error}");
        let devices = csi.plugin().as_device_mountable().unwrap();
        let error = failed(
            devices
                .new_device_mounter()
                .unwrap()
                .device_mount_path(&spec),
        );
        assert!(error.contains(expected), "{error}");
        failed(csi.plugin().volume_name(&spec));
    }
    let both = disk(json!({"local": {"path": "/x"}}));
    let error = failed(csi.mounter(&both));
    assert!(error.contains("has several sources: csi, local"), "{error}");
    for (name, uid) in [("..", UID), ("a/b", UID), ("disk", "..")] {
        assert!(csi.plugin().new_unmounter(name, uid).is_err());
    }
    let plugin = CsiPlugin::new(csi.drivers.clone());
    assert!(failed(plugin.new_unmounter("disk", UID)).contains("before it was initialized"));
}

/// Messages have no secrets, nor have requests that are printed.
#[test]
fn secrets_are_not_printed() {
    let csi = Csi::with(
        [],
        Some(json!({"attachRequired": false, "tokenRequests": [{"audience": "a"}]})),
        |host| host.tokens(|_, _, request| Ok(pod_facts::answered(request, "secret token"))),
    );
    let secret = json!({"csi": {"nodePublishSecretRef": {"name": "publish", "namespace": "shop"}}});
    csi.set_up(&disk(secret), &no_args()).unwrap();
    let printed = format!("{:?}", csi.published());
    assert!(printed.contains("\"key\""), "{printed}");
    assert!(
        !printed.contains("of publish") && !printed.contains("secret token"),
        "{printed}"
    );
}
