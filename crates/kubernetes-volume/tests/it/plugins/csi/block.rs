//! Volumes that Pods use as devices.

use kubernetes_volume::interfaces::{BlockVolumeMapper, BlockVolumeUnmapper};
use kubernetes_volume::plugins::csi::{
    AccessMode, AccessType, VolumeStats, VolumeUsage, mapped_on_disk,
};

use super::*;

const DEVICES: &str = "plugins/kubernetes.io/csi/volumeDevices";

fn raw(rest: Value) -> Spec {
    let mut spec = json!({"volumeMode": "Block", "accessModes": ["ReadWriteMany"]});
    merge(&mut spec, rest);
    disk(spec)
}

fn mapper_for(csi: &Csi, spec: &Spec, uid: &str) -> Result<Box<dyn BlockVolumeMapper>> {
    let block = csi.plugin().as_block().unwrap();
    let pod = pod(json!({"metadata": {"uid": uid}, "spec": {"serviceAccountName": "app"}}));
    block.new_block_volume_mapper(spec, &pod, &VolumeOptions::default())
}

fn mapper(csi: &Csi, spec: &Spec) -> Box<dyn BlockVolumeMapper> {
    mapper_for(csi, spec, UID).unwrap()
}

fn unmapper(csi: &Csi) -> Box<dyn BlockVolumeUnmapper> {
    let block = csi.plugin().as_block().unwrap();
    block.new_block_volume_unmapper("disk", UID).unwrap()
}

fn unmap(csi: &Csi) -> Result<()> {
    unmapper(csi).as_custom().unwrap().unmap_pod_device()
}

fn tear_down(csi: &Csi) -> Result<()> {
    let unmapper = unmapper(csi);
    let nothing = Path::new("");
    unmapper
        .as_custom()
        .unwrap()
        .tear_down_device(nothing, nothing)
}

#[test]
fn a_device_is_mapped_and_unmapped() {
    let driver = json!({"attachRequired": true, "podInfoOnMount": true});
    let csi = Csi::new(STAGES, driver);
    csi.attach(json!({"devicePath": "/dev/vdb"}));
    let mut spec = raw(json!({
        "mountOptions": ["noatime"],
        "csi": {
            "volumeAttributes": {"pool": "fast"},
            "nodeStageSecretRef": {"name": "stage", "namespace": "storage"},
            "nodePublishSecretRef": {"name": "publish", "namespace": "shop"},
        },
    }));
    spec.read_only = true;
    let mapper = mapper(&csi, &spec);
    let custom = mapper.as_custom().unwrap();
    let staging = csi.path(DEVICES).join("staging/disk");
    let publish = csi.path(DEVICES).join("publish/disk").join(UID);
    let metadata = [("devicePath".to_owned(), "/dev/vdb".to_owned())].into();
    for _ in 0..2 {
        assert_eq!(custom.set_up_device().unwrap(), staging);
        assert_eq!(custom.map_pod_device().unwrap(), Some(publish.clone()));
        assert!(staging.is_dir() && publish.is_file());
        let staged = csi.staged();
        assert_eq!(staged.publish_context, metadata);
        assert_eq!(staged.staging_target_path, staging);
        assert_eq!(staged.secrets.0["key"], "of stage");
        assert_eq!(staged.volume_context.len(), 1);
        let published = csi.published();
        assert_eq!(published.publish_context, metadata);
        assert_eq!(published.staging_target_path, staging);
        assert_eq!(published.target_path, publish);
        assert!(published.readonly);
        assert_eq!(published.secrets.0["key"], "of publish");
        assert_eq!(
            published.volume_context["csi.storage.k8s.io/ephemeral"],
            "false"
        );
        assert_eq!(published.volume_context.len(), 6);
        for capability in [staged.volume_capability, published.volume_capability] {
            assert_eq!(capability.access_type, AccessType::Block);
            assert_eq!(capability.access_mode, AccessMode::MultiNodeMultiWriter);
        }
    }
    assert_eq!(custom.staging_path(), staging);
    assert_eq!(
        mapper.global_map_path(&spec).unwrap(),
        csi.path(DEVICES).join("disk/dev")
    );
    let at = mapper.pod_device_map_path();
    let pod_dir = csi
        .path("pods")
        .join(UID)
        .join("volumeDevices/kubernetes.io~csi");
    assert_eq!((at.dir, at.volume_name.as_str()), (pod_dir, "disk"));
    // As a kubelet writes it.
    let attachment = attachment_name(HANDLE, DRIVER, NODE);
    let expected = format!(
        "{{\"attachmentID\":\"{attachment}\",\"driverName\":\"{DRIVER}\",\"nodeName\":\"{NODE}\",\
         \"specVolID\":\"disk\",\"volumeHandle\":\"{HANDLE}\"}}\n"
    );
    assert_eq!(data(&csi.path(DEVICES).join("disk/data")), expected);

    assert_eq!(mapped_on_disk(&**csi.host).unwrap(), ["disk"]);
    let unmapper = unmapper(&csi);
    assert_eq!(unmapper.pod_device_map_path(), mapper.pod_device_map_path());
    assert_eq!(
        unmapper.global_map_path(&spec).unwrap(),
        mapper.global_map_path(&spec).unwrap()
    );
    for _ in 0..2 {
        unmap(&csi).unwrap();
    }
    for _ in 0..2 {
        tear_down(&csi).unwrap();
    }
    unmap(&csi).unwrap();
    assert_eq!(mapped_on_disk(&**csi.host).unwrap(), [""; 0]);
    let (stage, publish, unpublish) = (
        "NodeStageVolume",
        "NodePublishVolume",
        "NodeUnpublishVolume",
    );
    let calls = [
        stage,
        publish,
        stage,
        publish,
        unpublish,
        unpublish,
        "NodeUnstageVolume",
    ];
    assert_eq!(csi.calls(), calls);
    let left = csi.on_disk();
    assert!(left.iter().all(|path| !path.contains("disk")), "{left:?}");
}

#[test]
fn a_driver_that_stages_nothing_publishes_only() {
    let csi = Csi::new([], json!({}));
    let mapper = mapper(&csi, &raw(json!({})));
    let custom = mapper.as_custom().unwrap();
    assert_eq!(custom.set_up_device().unwrap(), Path::new(""));
    custom.map_pod_device().unwrap();
    // As a kubelet sends it.
    assert_eq!(csi.published().staging_target_path, custom.staging_path());
    unmap(&csi).unwrap();
    tear_down(&csi).unwrap();
    assert_eq!(csi.calls(), ["NodePublishVolume", "NodeUnpublishVolume"]);
    assert_eq!(mapped_on_disk(&**csi.host).unwrap(), [""; 0]);
}

#[test]
fn errors_have_classes_and_leave_what_teardown_needs() {
    for (error, is_final) in [(timed_out(), false), (refused(), true)] {
        let csi = Csi::new(STAGES, json!({}));
        let mapper = mapper(&csi, &raw(json!({})));
        let custom = mapper.as_custom().unwrap();
        csi.driver.fail("NodeStageVolume", error.clone());
        let failed = custom.set_up_device().unwrap_err();
        assert_eq!(failed.is_uncertain(), !is_final, "{failed}");
        let staging = custom.staging_path();
        let file = csi.path(DEVICES).join("disk/data/vol_data.json");
        assert_eq!((staging.exists(), file.exists()), (!is_final, !is_final));
        // The second attempt has all that the first one had.
        custom.set_up_device().unwrap();
        csi.driver.fail("NodePublishVolume", error.clone());
        let failed = custom.map_pod_device().unwrap_err();
        assert_eq!(failed.is_uncertain(), !is_final, "{failed}");
        assert!(staging.exists() && file.exists());
        // An earlier attempt may be under way, though nothing is there.
        unmap(&csi).unwrap();
        csi.driver.fail("NodeUnstageVolume", error.clone());
        assert_eq!(tear_down(&csi).unwrap_err().csi(), Some(&error));
        tear_down(&csi).unwrap();
        assert!(!staging.exists() && !file.exists());
        assert!(csi.calls().contains(&"NodeUnpublishVolume"));
    }
}

/// One Pod's failure takes nothing from another.
#[test]
fn the_device_of_another_pod_stays() {
    let csi = Csi::new(STAGES, json!({}));
    let spec = raw(json!({}));
    for uid in [UID, "9b2e"] {
        let mapper = mapper_for(&csi, &spec, uid).unwrap();
        let custom = mapper.as_custom().unwrap();
        custom.set_up_device().unwrap();
        custom.map_pod_device().unwrap();
    }
    let mapper = mapper_for(&csi, &spec, "third").unwrap();
    csi.driver.fail("NodeStageVolume", refused());
    mapper.as_custom().unwrap().set_up_device().unwrap_err();
    unmap(&csi).unwrap();
    let other = csi.path(DEVICES).join("publish/disk/9b2e");
    assert!(other.exists());
    assert!(csi.path(DEVICES).join("disk/data/vol_data.json").exists());
}

#[test]
fn what_is_absent_may_come() {
    let csi = Csi::new(STAGES, json!({}));
    let mapper = mapper(&csi, &raw(json!({})));
    let custom = mapper.as_custom().unwrap();
    custom.set_up_device().unwrap();
    custom.map_pod_device().unwrap();
    csi.drivers.unregister(DRIVER);
    for attempt in [
        custom.set_up_device().map(drop),
        custom.map_pod_device().map(drop),
        unmap(&csi),
        tear_down(&csi),
    ] {
        assert!(attempt.unwrap_err().is_transient());
    }
    let csi = Csi::with(STAGES, None, |host| host);
    let mapper_of = |rest| mapper_for(&csi, &raw(rest), UID).unwrap();
    let not_attached = mapper_of(json!({}));
    let custom = not_attached.as_custom().unwrap();
    assert!(custom.set_up_device().unwrap_err().is_transient());
    assert!(custom.map_pod_device().unwrap_err().is_transient());
    csi.attach(json!({}));
    let reference = json!({"name": "absent", "namespace": "x"});
    let of_secrets = mapper_of(json!({"csi": {
        "nodeStageSecretRef": reference, "nodePublishSecretRef": reference,
    }}));
    let custom = of_secrets.as_custom().unwrap();
    assert!(custom.set_up_device().unwrap_err().is_transient());
    assert!(custom.map_pod_device().unwrap_err().is_transient());
    assert!(csi.calls().is_empty());
}

/// Its directories would be those of all volumes.
#[test]
fn some_names_are_refused() {
    let csi = Csi::new([], json!({}));
    for name in ["publish", "staging"] {
        let source = json!({"csi": {"driver": DRIVER, "volumeHandle": HANDLE}});
        let spec = persistent(name, source, false);
        let error = failed(mapper_for(&csi, &spec, UID));
        assert!(error.contains("directories of others"), "{error}");
    }
    let block = csi.plugin().as_block().unwrap();
    assert!(block.new_block_volume_unmapper("..", UID).is_err());
}

#[test]
fn a_device_is_measured_where_it_is_mapped() {
    let csi = Csi::new([NodeCapability::GetVolumeStats], json!({}));
    let usage = VolumeUsage {
        total: 1 << 30,
        ..VolumeUsage::default()
    };
    csi.driver.set_stats(VolumeStats {
        bytes: Some(usage),
        inodes: None,
    });
    let mapper = mapper(&csi, &raw(json!({})));
    mapper.as_custom().unwrap().map_pod_device().unwrap();
    assert_eq!(mapper.metrics().unwrap().capacity, Some(1 << 30));
    assert_eq!(unmapper(&csi).metrics().unwrap().capacity, Some(1 << 30));
    let Some(FakeCsiCall::GetStats(request)) = csi.driver.calls().pop() else {
        panic!("a request");
    };
    assert_eq!(
        request.volume_path,
        csi.path(DEVICES).join("disk/dev").join(UID)
    );
}
