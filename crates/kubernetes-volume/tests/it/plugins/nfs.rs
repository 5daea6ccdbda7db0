//! Directories of NFS servers.

use std::sync::Mutex;
use std::time::Duration;

use kubernetes_volume::Error;
use kubernetes_volume::exec::Local;
use kubernetes_volume::interfaces::{EventRecorder, VolumePlugin};
use kubernetes_volume::mount::LinuxMounter;
use kubernetes_volume::plugins::{NFS, NfsPlugin};
use kubernetes_volume::testing::{FakeAction, FakeHost};
use root_tests::{as_root, write_program};

use super::*;

fn inline(rest: Value) -> Spec {
    let mut source = json!({"server": "nas.example.com", "path": "/export"});
    merge(&mut source, rest);
    volume(json!({"name": "data", "nfs": source}))
}

fn claimed(rest: Value, read_only: bool) -> Spec {
    let mut spec = json!({"nfs": {"server": "nas.example.com", "path": "/export"}});
    merge(&mut spec, rest);
    persistent("data", spec, read_only)
}

/// Nothing is mounted by it.
fn fake() -> (FakeHost, Arc<VolumePluginManager>, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let host = FakeHost::new(dir.path(), |host| host).unwrap();
    let manager = host
        .start(plugins::all(VolumeConfig::default()), None)
        .unwrap();
    (host, manager, dir)
}

#[test]
fn mounts_have_the_arguments_of_a_kubelet() {
    let options = |options: Value| json!({"mountOptions": options});
    let v6 = json!({"server": "fe80::1"});
    let rows: [(Spec, &str, &[&str]); 9] = [
        (inline(json!({})), "nas.example.com:/export", &[]),
        (
            inline(json!({"readOnly": true})),
            "nas.example.com:/export",
            &["ro"],
        ),
        (inline(v6.clone()), "[fe80::1]:/export", &[]),
        (
            inline(json!({"server": "10.0.0.1", "path": "/"})),
            "10.0.0.1:/",
            &[],
        ),
        (claimed(json!({}), false), "nas.example.com:/export", &[]),
        (claimed(json!({}), true), "nas.example.com:/export", &["ro"]),
        // As a kubelet, which asks the claim alone.
        (
            claimed(json!({"nfs": {"readOnly": true}}), false),
            "nas.example.com:/export",
            &[],
        ),
        (
            claimed(options(json!(["vers=4.1", "hard", "ro", "hard"])), true),
            "nas.example.com:/export",
            &["hard", "ro", "vers=4.1"],
        ),
        (claimed(json!({"nfs": v6}), false), "[fe80::1]:/export", &[]),
    ];
    for (spec, from, expected) in rows {
        let (host, manager, _dir) = fake();
        let plugin = manager.find_plugin_by_spec(&spec).unwrap();
        assert_eq!(plugin.plugin_name(), NFS);
        let mounter = plugin
            .new_mounter(&spec, &pod(json!({})), &VolumeOptions::default())
            .unwrap();
        for _ in 0..2 {
            mounter.set_up(&group(3000)).unwrap();
        }
        let mounts = host.mounter.mount_points();
        let [mount] = mounts.as_slice() else {
            panic!("{mounts:?}");
        };
        let (device, fs_type) = (mount.device.as_str(), mount.fs_type.as_str());
        assert_eq!((device, fs_type), (from, "nfs"), "{spec:?}");
        assert_eq!(mount.options, expected, "{spec:?}");
        assert_eq!(mount.path, mounter.path());
        let attributes = mounter.attributes();
        assert_eq!(attributes.read_only, expected.contains(&"ro"), "{spec:?}");
        assert!(!attributes.managed && !attributes.selinux_relabel);
        let unmounter = plugin.new_unmounter("data", UID).unwrap();
        for _ in 0..2 {
            unmounter.tear_down().unwrap();
        }
        assert!(host.mounter.mount_points().is_empty() && !mounter.path().exists());
        // By force, if the server is gone.
        let actions = host.mounter.actions();
        let unmounted = FakeAction::Unmount {
            target: mounter.path(),
            force_after: Some(Duration::from_secs(60)),
        };
        assert!(actions.contains(&unmounted), "{actions:?}");
    }
}

#[test]
fn what_a_plugin_of_nfs_can_do() {
    let plugin: Arc<dyn VolumePlugin> = Arc::new(NfsPlugin::new(VolumeConfig::default()));
    assert!(plugin.supports_mount_option());
    assert!(!plugin.requires_remount(&inline(json!({}))));
    assert!(plugin.clone().as_attachable().is_none());
    let modes = plugin.clone().as_persistent().unwrap().access_modes();
    assert_eq!(modes, ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"]);
    assert!(!plugin.can_support(&volume(json!({"name": "data", "emptyDir": {}}))));
    let rebuilt = plugin
        .construct_volume_spec("data", Path::new("/"))
        .unwrap();
    assert!(plugin.can_support(&rebuilt.spec));
    assert_eq!(rebuilt.spec.volume.unwrap().nfs.unwrap().path, "data");
}

#[test]
fn wrong_volumes_are_refused() {
    let (_host, manager, _dir) = fake();
    let rows = [
        (
            inline(json!({"server": ""})),
            "needs a server and an absolute path",
        ),
        (
            inline(json!({"path": "export"})),
            "needs a server and an absolute path",
        ),
        (
            volume(json!({"name": "data", "nfs": {"server": "s", "path": "/"}, "emptyDir": {}})),
            "several",
        ),
    ];
    let plugin = manager.find_plugin_by_name(NFS).unwrap();
    for (spec, expected) in rows {
        let error = failed(plugin.new_mounter(&spec, &pod(json!({})), &VolumeOptions::default()));
        assert!(error.contains(expected), "{spec:?}: {error}");
    }
}

/// A program mounts, as `mount.nfs` does.
#[test]
fn a_helper_mounts_for_real() {
    as_root(|| {
        let programs = tempfile::tempdir().unwrap();
        let program = programs.path().join("mount.nfs");
        let log = programs.path().join("log").display().to_string();
        let script = format!("#!/bin/sh\necho $1 $3 $4 >> {log}\n");
        write_program(
            &program,
            &format!("{script}mount -t tmpfs -o size=1m \"$1\" \"$2\"\n"),
        );
        let mounter = LinuxMounter::new()
            .with_helper_dirs(vec![programs.path().to_owned()])
            .with_exec(Arc::new(Local), Duration::from_secs(60));
        let node = Node::with(|host| host.mounter(Arc::new(mounter)));
        let spec = claimed(json!({"mountOptions": ["hard"]}), true);
        for _ in 0..2 {
            node.set_up(&spec, &pod(json!({})), &no_args()).unwrap();
        }
        assert_eq!(node.mounts().len(), 1);
        let metrics = node.unmounter(NFS, "data").metrics().unwrap();
        assert_eq!(metrics.capacity, Some(1 << 20));
        for _ in 0..2 {
            node.tear_down(NFS, "data").unwrap();
        }
        node.assert_clean();
        let expected = "nas.example.com:/export -o hard,ro\n";
        assert_eq!(fs::read_to_string(&log).unwrap(), expected);

        // One that fails, before or after it has mounted, leaves nothing.
        for mount in ["", "mount -t tmpfs nas \"$2\"\n"] {
            write_program(
                &program,
                &format!("{script}{mount}echo no route >&2\nexit 32\n"),
            );
            let error = failed(node.set_up(&spec, &pod(json!({})), &no_args()));
            assert!(error.contains("no route"), "{error}");
            node.assert_clean();
        }
    });
}

#[test]
fn recycles_by_a_pod() {
    struct NoEvents;
    impl EventRecorder for NoEvents {
        fn record(&self, _event: kubernetes_volume::interfaces::Event) {}
    }
    let config = VolumeConfig {
        recycler_minimum_timeout: 60,
        recycler_timeout_increment: 90,
        ..VolumeConfig::default()
    };
    let ran = Arc::new(Mutex::new(None));
    let seen = ran.clone();
    let plugin = NfsPlugin::new(config.clone()).with_recycler(move |pod, _| {
        *seen.lock().unwrap() = Some(pod.clone());
        Ok(())
    });
    let spec = claimed(json!({"nfs": {"readOnly": true}}), true);
    let recyclable = Arc::new(plugin).as_recyclable().unwrap();
    recyclable.recycle("data", &spec, &NoEvents).unwrap();
    let pod = ran.lock().unwrap().clone().unwrap();
    assert_eq!(pod.metadata.name.as_deref(), Some("recycler-for-data"));
    let pod = pod.spec.unwrap();
    assert_eq!(pod.active_deadline_seconds, Some(90));
    let source = pod.volumes.unwrap()[0].nfs.clone().unwrap();
    let found = (source.server.as_str(), source.path.as_str());
    assert_eq!(found, ("nas.example.com", "/export"));
    assert_eq!(source.read_only, None);

    let without = Arc::new(NfsPlugin::new(config)).as_recyclable().unwrap();
    let error = without.recycle("data", &spec, &NoEvents).unwrap_err();
    assert!(matches!(error, Error::NotSupported(_)), "{error:?}");
}
