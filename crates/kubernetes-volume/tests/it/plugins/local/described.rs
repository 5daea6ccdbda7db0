//! What the plugin says of itself, and mount options.

use kubernetes_volume::mount::MountPoint;
use kubernetes_volume::testing::FakeMounter;

use super::*;

#[test]
fn what_the_plugin_says_of_itself() {
    let node = Node::new();
    let spec = |read_only| local(Path::new("/srv/disk"), read_only);
    let manager = &node.manager;
    let plugin = manager
        .find_persistent_plugin_by_spec(&spec(false))
        .unwrap();
    assert_eq!(plugin.access_modes(), ["ReadWriteOnce"]);
    assert_eq!(plugin.volume_name(&spec(false)).unwrap(), "disk");
    assert!(
        manager
            .find_node_expandable_plugin_by_name(LOCAL)
            .unwrap()
            .is_some()
    );
    assert!(
        manager
            .find_attachable_plugin_by_name(LOCAL)
            .unwrap()
            .is_none()
    );
    assert!(
        manager
            .find_recyclable_plugin_by_spec(&spec(false))
            .is_err()
    );
    assert!(manager.find_deletable_plugin_by_name(LOCAL).is_err());
    assert!(manager.find_provisionable_plugin_by_name(LOCAL).is_err());

    let data = data(&node);
    for read_only in [false, true] {
        let mounter = node
            .mounter(&local(&data, read_only), &pod(json!({})))
            .unwrap();
        assert_eq!(mounter.attributes().read_only, read_only);
        let dir = format!("pods/{UID}/volumes/kubernetes.io~local-volume/disk");
        assert_eq!(mounter.path(), node.host.root().join(dir));
    }
}

/// The options of a PersistentVolume's field or annotation, and of the caller; each once.
#[test]
fn mount_options_are_given_to_the_mounter() {
    type Row = (
        &'static [&'static str],
        Option<&'static str>,
        &'static [&'static str],
        &'static [&'static str],
    );
    let rows: [Row; 6] = [
        (&[], None, &[], &["bind"]),
        (&["test-option"], None, &[], &["bind", "test-option"]),
        (
            &["b", "a", "b"],
            None,
            &["c", "a"],
            &["bind", "a", "b", "c"],
        ),
        (&[], Some("ro,nfsvers=3"), &[], &["bind", "nfsvers=3", "ro"]),
        (
            &[],
            Some("ro,nfsvers=3"),
            &["fsid=100", "hard", "ro"],
            &["bind", "fsid=100", "hard", "nfsvers=3", "ro"],
        ),
        (&["a"], Some(""), &[], &["bind"]),
    ];
    for (of_field, annotation, of_caller, expected) in rows {
        let mounter = Arc::new(FakeMounter::new());
        let node = Node::with(|host| host.mounter(mounter.clone()));
        let mut spec = local(&data(&node), false);
        let volume = spec.persistent_volume.as_mut().unwrap();
        let owned = |options: &[&str]| options.iter().map(ToString::to_string).collect();
        volume.spec.as_mut().unwrap().mount_options = Some(owned(of_field));
        let key = "volume.beta.kubernetes.io/mount-options".to_owned();
        volume.metadata.annotations = annotation.map(|text| [(key, text.to_owned())].into());
        let options = VolumeOptions {
            mount_options: owned(of_caller),
            ..VolumeOptions::default()
        };
        let plugin = node.manager.find_plugin_by_spec(&spec).unwrap();
        let mounter_of_pod = plugin
            .new_mounter(&spec, &pod(json!({})), &options)
            .unwrap();
        mounter_of_pod.set_up(&no_args()).unwrap();
        let [MountPoint { options, .. }] = &mounter.mount_points()[..] else {
            panic!("{:?}", mounter.mount_points());
        };
        assert_eq!(options, expected);
    }
}

/// As for Go's plugins, the annotation is older than the field and replaces it.
#[test]
fn the_annotation_has_mount_options_too() {
    as_root(|| {
        let node = Node::new();
        let data = data(&node);
        let mut spec = local(&data, false);
        let volume = spec.persistent_volume.as_mut().unwrap();
        volume.spec.as_mut().unwrap().mount_options = Some(vec!["noexec".to_owned()]);
        let key = "volume.beta.kubernetes.io/mount-options".to_owned();
        volume.metadata.annotations = Some([(key, "nosuid,,nodev".to_owned())].into());
        let dir = node.set_up(&spec, &pod(json!({})), &no_args()).unwrap();
        let mounts = read_mount_info().unwrap();
        let mount = mounts
            .iter()
            .find(|mount| mount.mount_point == dir)
            .unwrap();
        let has = |option: &str| mount.mount_options.iter().any(|own| own == option);
        assert!(has("nosuid") && has("nodev") && !has("noexec"), "{mount:?}");
        node.tear_down(LOCAL, "disk").unwrap();
    });
}
