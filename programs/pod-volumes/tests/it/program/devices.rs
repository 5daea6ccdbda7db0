//! Devices, which are mounted once for the node.

use kubernetes_volume::mount::{LinuxMounter, Mount};
use root_tests::{Loop, as_root};
use serde_json::json;

use super::kills::claimed;
use super::*;

/// The root is mounted elsewhere too, as for a container: that is no use of the device. A mount
/// of somebody else is.
#[test]
fn a_device_that_is_seen_twice_is_unmounted() {
    as_root(|| {
        let outside = tempfile::tempdir().unwrap();
        let device = Loop::empty(&outside.path().join("image"));
        let claim = json!({"name": "disk", "persistentVolumeClaim": {"claimName": "claim"}});
        let [volume, own_claim] = claimed(json!({"local": {"path": device.path()}}));
        let world = World::new(&[pod(&[claim]), volume, own_claim]);
        let own = "plugins/kubernetes.io/local-volume/mounts/disk";
        let mounter = LinuxMounter::new();
        let bind = |at: &Path| {
            fs::create_dir_all(at).unwrap();
            let from = world.path("root").join(own);
            mounter.mount(&from, at, "", &["bind"]).unwrap();
        };
        let copy = outside.path().join("copy").join(own);
        let use_of_others = outside
            .path()
            .join("data/kubernetes.io/local-volume/mounts/disk");
        world.run("mount");
        bind(&copy);
        bind(&use_of_others);
        world.run("unmount");
        assert!(world.path("root").join(own).is_dir());
        mounter.unmount(&use_of_others).unwrap();
        world.run("unmount");
        world.assert_clean();
        mounter.unmount(&copy).unwrap();
    });
}
