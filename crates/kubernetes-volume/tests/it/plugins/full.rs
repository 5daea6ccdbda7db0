//! Full disks: an error that says so, and nothing half-written.

use std::sync::Mutex;

use k8s_openapi::api::core::v1::ConfigMap;
use kubernetes_volume::host::StandaloneHost;
use kubernetes_volume::mount::{LinuxMounter, Mount};
use kubernetes_volume::plugins::CONFIG_MAP;
use root_tests::as_root;

use super::*;

fn settings(size: usize) -> Arc<ConfigMap> {
    let data = json!({"a": "x".repeat(size), "b": "small"});
    let map = json!({"metadata": {"name": "settings", "namespace": "shop"}, "data": data});
    Arc::new(serde_json::from_value(map).unwrap())
}

/// A node on a disk of 256 KiB.
fn node(
    dir: &Path,
    maps: &Arc<Mutex<Arc<ConfigMap>>>,
) -> (Arc<StandaloneHost>, Arc<VolumePluginManager>) {
    fs::create_dir(dir.join("root")).unwrap();
    LinuxMounter::new()
        .mount(
            Path::new("none"),
            &dir.join("root"),
            "tmpfs",
            &["size=256k"],
        )
        .unwrap();
    let maps = maps.clone();
    let host = StandaloneHost::builder(dir.join("root"))
        .config_maps(move |_, _| Ok(maps.lock().unwrap().clone()))
        .build()
        .unwrap();
    let manager = host
        .start(plugins::all(VolumeConfig::default()), None)
        .unwrap();
    (host, manager)
}

#[test]
fn files_stay_as_they_were() {
    as_root(|| {
        let dir = tempfile::tempdir().unwrap();
        let map = Arc::new(Mutex::new(settings(10)));
        let (host, manager) = node(dir.path(), &map);
        let spec = volume(json!({"name": "config", "configMap": {"name": "settings"}}));
        let plugin = manager.find_plugin_by_spec(&spec).unwrap();
        let pod = pod(json!({}));
        let mounter = plugin
            .new_mounter(&spec, &pod, &VolumeOptions::default())
            .unwrap();
        mounter.set_up(&no_args()).unwrap();
        let before = fs::read_link(mounter.path().join("..data")).unwrap();

        *map.lock().unwrap() = settings(1 << 20);
        let error = failed(mounter.set_up(&no_args()));
        assert!(error.contains("No space left on device"), "{error}");
        assert!(
            error.contains(&mounter.path().display().to_string()),
            "{error}"
        );
        assert_eq!(
            fs::read_to_string(mounter.path().join("a")).unwrap(),
            "x".repeat(10)
        );
        assert_eq!(
            fs::read_link(mounter.path().join("..data")).unwrap(),
            before
        );
        // Nothing of the attempt takes the space.
        let hidden = fs::read_dir(mounter.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        assert_eq!(
            hidden
                .filter(|name| name.as_encoded_bytes().starts_with(b".."))
                .count(),
            2
        );

        *map.lock().unwrap() = settings(20);
        mounter.set_up(&no_args()).unwrap();
        assert_eq!(
            fs::read_to_string(mounter.path().join("a")).unwrap(),
            "x".repeat(20)
        );
        torn_down(&*plugin.new_unmounter("config", UID).unwrap()).unwrap();
        assert_eq!(host.volumes_on_disk(UID).unwrap(), []);
    });
}

#[test]
fn a_new_volume_is_not_left_half_made() {
    as_root(|| {
        let dir = tempfile::tempdir().unwrap();
        let (host, manager) = node(dir.path(), &Arc::new(Mutex::new(settings(1 << 20))));
        let spec = volume(json!({"name": "config", "configMap": {"name": "settings"}}));
        let plugin = manager.find_plugin_by_spec(&spec).unwrap();
        let pod = pod(json!({}));
        let mounter = plugin
            .new_mounter(&spec, &pod, &VolumeOptions::default())
            .unwrap();
        let error = failed(mounter.set_up(&no_args()));
        assert!(error.contains("No space left on device"), "{error}");
        assert!(!mounter.path().exists());
        assert_eq!(host.volumes_on_disk(UID).unwrap(), []);
        manager.find_plugin_by_name(CONFIG_MAP).unwrap();
    });
}
