//! Attaching, by VolumeAttachments.

use std::time::Duration;

use kubernetes_volume::plugins::csi::VolumeAttachments;

use super::*;

fn name() -> String {
    attachment_name(HANDLE, DRIVER, NODE)
}

/// As `printf 'vol-1disk.example.comfake-node' | sha256sum` says.
const HASH: &str = "3f668742328de3763d07dd02d5e5e737efacce811837b6932d2ff729f8402a94";

fn with_controller(csi: &Csi) -> (Arc<VolumePluginManager>, Arc<FakeAttachments>) {
    let attachments = Arc::new(FakeAttachments::default());
    let plugin = CsiPlugin::new(csi.drivers.clone()).with_attachments(attachments.clone());
    let manager = Arc::new(VolumePluginManager::new());
    manager
        .init_plugins(vec![Box::new(plugin)], None, csi.host.host.clone())
        .unwrap();
    (manager, attachments)
}

#[test]
fn a_volume_is_attached_and_detached() {
    let csi = Csi::with(STAGES, None, |host| host);
    let (manager, attachments) = with_controller(&csi);
    let spec = disk(json!({}));
    let plugin = manager
        .find_attachable_plugin_by_spec(&spec)
        .unwrap()
        .unwrap();
    let attacher = plugin.new_attacher().unwrap();
    let specs = [
        spec.clone(),
        persistent("x", json!({"hostPath": {"path": "/"}}), false),
    ];
    assert_eq!(
        attacher.volumes_are_attached(&specs, NODE).unwrap(),
        [false, false]
    );
    for _ in 0..2 {
        assert_eq!(attacher.attach(&spec, NODE).unwrap(), Path::new(""));
    }
    let [attachment] = &attachments.list()[..] else {
        panic!("one");
    };
    assert_eq!(name(), format!("csi-{HASH}"));
    assert_eq!(attachment.metadata.name.as_deref(), Some(name().as_str()));
    assert_eq!(attachment.spec.attacher, DRIVER);
    assert_eq!(attachment.spec.node_name, NODE);
    assert_eq!(
        attachment.spec.source.persistent_volume_name.as_deref(),
        Some("disk")
    );
    assert_eq!(attachment.spec.source.inline_volume_spec, None);
    assert_eq!(
        attacher.volumes_are_attached(&specs, NODE).unwrap(),
        [true, false]
    );
    assert_eq!(
        attacher.volumes_are_attached(&specs, "other").unwrap(),
        [false, false]
    );
    let found = attacher.wait_for_attach(&spec, Path::new(""), &pod(json!({})), Duration::ZERO);
    assert_eq!(found.unwrap(), Path::new(&name()));

    let detacher = plugin.new_detacher().unwrap();
    for _ in 0..2 {
        detacher
            .detach(&plugin.volume_name(&spec).unwrap(), NODE)
            .unwrap();
    }
    assert!(attachments.list().is_empty());
}

#[test]
fn the_volume_of_an_older_plugin_is_attached_with_its_spec() {
    let csi = Csi::with([], None, |host| host);
    let (manager, attachments) = with_controller(&csi);
    let mut spec = disk(json!({}));
    spec.inline_volume_spec_for_csi_migration = true;
    let plugin = manager
        .find_attachable_plugin_by_spec(&spec)
        .unwrap()
        .unwrap();
    plugin.new_attacher().unwrap().attach(&spec, NODE).unwrap();
    let source = attachments.list().remove(0).spec.source;
    assert_eq!(source.persistent_volume_name, None);
    let expected = spec.persistent_volume.unwrap().spec.unwrap();
    assert_eq!(source.inline_volume_spec.as_deref(), Some(&expected));
}

#[test]
fn what_the_driver_reports_is_an_error() {
    let csi = Csi::with([], None, |host| host);
    let spec = disk(json!({}));
    let attachable = csi.plugin().as_attachable().unwrap();
    let attacher = attachable.new_attacher().unwrap();
    let attach = || failed(attacher.attach(&spec, NODE));
    let wait = || {
        let pod = pod(json!({}));
        failed(attacher.wait_for_attach(&spec, Path::new(""), &pod, Duration::ZERO))
    };
    assert!(wait().contains("not found"));
    let error = attach();
    assert!(error.contains("was not attached within 20ms"), "{error}");
    assert_eq!(csi.attachments.list().len(), 1);
    assert!(wait().contains("is not attached"));

    csi.put_attachment(json!({"attached": false, "attachError": {"message": "no space"}}));
    for error in [attach(), wait()] {
        assert_eq!(
            error,
            "the driver can't attach the volume \"vol-1\": no space"
        );
    }
    let mut deleting = csi.attachments.get(&name()).unwrap().unwrap();
    deleting.metadata.deletion_timestamp = object(json!("2026-01-01T00:00:00Z"));
    deleting.status = object(json!({"attached": true}));
    csi.attachments.put(deleting);
    for error in [attach(), wait()] {
        assert!(error.contains("is being deleted"), "{error}");
    }

    let detacher = attachable.new_detacher().unwrap();
    let volume = attachable.volume_name(&spec).unwrap();
    csi.put_attachment(json!({"attached": true}));
    let error = failed(detacher.detach(&volume, NODE));
    assert!(error.contains("was not detached within 20ms"), "{error}");
    csi.put_attachment(json!({"attached": true, "detachError": {"message": "busy"}}));
    let error = failed(detacher.detach(&volume, NODE));
    assert_eq!(error, "the driver can't detach the volume \"vol-1\": busy");
    for wrong in ["", "disk", "^x", "x^"] {
        assert!(failed(detacher.detach(wrong, NODE)).contains("is not DRIVER^HANDLE"));
    }
}

/// A handle may have the separator too.
#[test]
fn handles_are_any_text() {
    let csi = Csi::with([], None, |host| host);
    let (manager, attachments) = with_controller(&csi);
    let spec = disk(json!({"csi": {"volumeHandle": "a^b/c"}}));
    let plugin = manager
        .find_attachable_plugin_by_spec(&spec)
        .unwrap()
        .unwrap();
    plugin.new_attacher().unwrap().attach(&spec, NODE).unwrap();
    let name = plugin.volume_name(&spec).unwrap();
    plugin.new_detacher().unwrap().detach(&name, NODE).unwrap();
    assert!(attachments.list().is_empty());
}

#[test]
fn drivers_say_whether_volumes_are_attached() {
    for (driver, expected) in [
        (None, true),
        (Some(json!({})), true),
        (Some(json!({"attachRequired": true})), true),
        (Some(json!({"attachRequired": false})), false),
    ] {
        let csi = Csi::with([], driver, |host| host);
        let spec = disk(json!({}));
        let found = csi.manager.find_attachable_plugin_by_spec(&spec).unwrap();
        assert_eq!(found.is_some(), expected);
        assert!(
            csi.manager
                .find_device_mountable_plugin_by_spec(&spec)
                .unwrap()
                .is_some()
        );
        let attacher = csi
            .plugin()
            .as_attachable()
            .unwrap()
            .new_attacher()
            .unwrap();
        let attached = attacher.volumes_are_attached(&[spec], NODE).unwrap();
        // Those that need not be attached always are.
        assert_eq!(attached, [!expected]);
    }
}

#[test]
fn without_attachments_nothing_is_attached() {
    let csi = Csi::with([], None, |host| host);
    let plugin = CsiPlugin::new(csi.drivers.clone());
    let manager = Arc::new(VolumePluginManager::new());
    manager
        .init_plugins(vec![Box::new(plugin)], None, csi.host.host.clone())
        .unwrap();
    let plugin = manager.find_plugin_by_name(CSI).unwrap();
    let attachable = plugin.clone().as_attachable().unwrap();
    assert!(failed(attachable.new_attacher()).contains("is not supported"));
    assert!(failed(attachable.new_detacher()).contains("is not supported"));
    let mounter = plugin.new_mounter(&disk(json!({})), &pod(json!({})), &VolumeOptions::default());
    let error = mounter.unwrap().set_up(&no_args()).unwrap_err();
    assert!(
        error.is_transient() && error.to_string().contains("VolumeAttachments"),
        "{error}"
    );
}
