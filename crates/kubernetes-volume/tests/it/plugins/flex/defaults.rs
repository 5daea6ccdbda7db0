//! What holds for a driver that says nothing about it.

use kubernetes_volume::metrics::MetricsErrorCode;
use kubernetes_volume::mount::LinuxMounter;
use root_tests::Loop;

use super::*;

#[test]
fn a_driver_without_capabilities() {
    let drivers = Drivers::new("mount) ok;;");
    let mounter = drivers.mounter(&flex(json!({}))).unwrap();
    let attributes = mounter.attributes();
    assert!(attributes.selinux_relabel && attributes.managed && !attributes.read_only);
    let error = mounter.metrics().unwrap_err();
    assert_eq!(error.code, MetricsErrorCode::NotSupported);
    // Asked for its capabilities by a word alone.
    let calls = fs::read_to_string(drivers.dir.path().join("calls")).unwrap();
    assert_eq!(calls, "init\n");
}

#[test]
fn a_mount_has_the_pod_and_no_group_that_it_lacks() {
    let drivers = Drivers::new("mount) ok;;");
    let plugin = drivers.plugin();
    let pod = pod(json!({"spec": {"serviceAccountName": "app"}}));
    let options = VolumeOptions::default();
    let mounter = plugin
        .new_mounter(&flex(json!({})), &pod, &options)
        .unwrap();
    mounter.set_up(&no_args()).unwrap();
    let calls = drivers.calls();
    let [call] = &calls[..] else {
        panic!("{calls:?}")
    };
    let options: Value = serde_json::from_str(call.rsplit_once(' ').unwrap().1).unwrap();
    let expected = json!({
        "kubernetes.io/fsType": "",
        "kubernetes.io/pod.name": "web",
        "kubernetes.io/pod.namespace": "shop",
        "kubernetes.io/pod.uid": UID,
        "kubernetes.io/pvOrVolumeName": "data",
        "kubernetes.io/readwrite": "rw",
        "kubernetes.io/serviceAccount.name": "app",
    });
    assert_eq!(options, expected);
}

#[test]
fn a_device_is_formatted_and_mounted() {
    as_root(|| {
        for (read_only, expected) in [(false, "rw"), (true, "ro")] {
            let drivers = Drivers::with("", |host| host.mounter(Arc::new(LinuxMounter::new())));
            let device = Loop::empty(&drivers.dir.path().join("image"));
            let attachable = drivers.plugin().as_attachable().unwrap();
            let attacher = attachable.new_attacher().unwrap();
            let writable = flex(json!({"fsType": "ext4"}));
            let at = attacher.device_mount_path(&writable).unwrap();
            // Only an empty device that is to be written is formatted.
            attacher
                .mount_device(&writable, device.path(), &at, &no_device_args())
                .unwrap();
            attachable
                .new_detacher()
                .unwrap()
                .unmount_device(&at)
                .unwrap();
            let spec = flex(json!({"fsType": "ext4", "readOnly": read_only}));
            attacher
                .mount_device(&spec, device.path(), &at, &no_device_args())
                .unwrap();
            let mounts = read_mount_info().unwrap();
            let mount = mounts.iter().find(|mount| mount.mount_point == at).unwrap();
            assert_eq!(mount.fs_type, "ext4");
            assert_eq!(mount.mount_options[0], expected, "{mount:?}");
            attachable
                .new_detacher()
                .unwrap()
                .unmount_device(&at)
                .unwrap();
            assert!(!at.exists());
        }
    });
}
