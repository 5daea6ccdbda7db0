//! FlexVolumes whose drivers are scripts.

mod defaults;
mod devices;
mod failures;

use std::time::Duration;

use k8s_openapi::api::core::v1::Secret;
use kubernetes_volume::NodeResizeOptions;
use kubernetes_volume::exec::Local;
use kubernetes_volume::mount::Mount;
use kubernetes_volume::plugins::FlexVolumePlugin;
use kubernetes_volume::testing::{FakeExec, FakeHost, FakeMounter};
use root_tests::{as_root, write_program};

use super::*;

const DRIVER: &str = "example.com/nas";
const NODE: &str = "fake-node";

/// A node whose plugins are drivers in a folder.
struct Drivers {
    host: FakeHost,
    manager: Arc<VolumePluginManager>,
    dir: tempfile::TempDir,
}

impl Drivers {
    /// One driver, whose script has these cases for its first argument. Each call is noted.
    fn new(cases: &str) -> Self {
        Self::with(cases, |host| host)
    }

    fn with(cases: &str, set: impl FnOnce(StandaloneHostBuilder) -> StandaloneHostBuilder) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("drivers");
        let driver = folder.join("example.com~nas/nas");
        let log = dir.path().join("calls").display().to_string();
        let script = format!(
            "#!/bin/sh\necho \"$@\" >> {log}\nok() {{ echo '{{\"status\":\"Success\"}}'; }}\n\
             case $1 in\n{cases}\ninit) ok;;\n*) echo '{{\"status\":\"Not supported\"}}'; exit 1;;\nesac\n"
        );
        write_program(&driver, &script);
        let prober = FlexVolumePlugin::prober(&folder);
        let host = FakeHost::with(
            dir.path().join("root"),
            FakeMounter::new(),
            FakeExec::new(),
            |host| set(host.exec(Arc::new(Local))),
        );
        let host = host.unwrap();
        let manager = host.start(vec![], Some(Box::new(prober))).unwrap();
        Self { host, manager, dir }
    }

    /// The calls but for `init`, without the path of the root.
    fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.dir.path().join("calls")).unwrap();
        let root = self.host.root().display().to_string();
        let calls = calls.lines().filter(|call| *call != "init");
        calls.map(|call| call.replace(&root, "ROOT")).collect()
    }

    fn plugin(&self) -> Arc<dyn kubernetes_volume::interfaces::VolumePlugin> {
        self.manager.find_plugin_by_name(DRIVER).unwrap()
    }

    fn mounter(&self, spec: &Spec) -> Result<Box<dyn Mounter>> {
        self.plugin()
            .new_mounter(spec, &pod(json!({})), &VolumeOptions::default())
    }

    fn unmounter(&self) -> Box<dyn Unmounter> {
        self.plugin().new_unmounter("data", UID).unwrap()
    }
}

fn flex(rest: Value) -> Spec {
    let mut source = json!({"driver": DRIVER});
    merge(&mut source, rest);
    volume(json!({"name": "data", "flexVolume": source}))
}

const OPTIONS: &str = r#"{"kubernetes.io/fsType":"xfs","kubernetes.io/pvOrVolumeName":"data","kubernetes.io/readwrite":"ro","share":"a"}"#;

fn with_options() -> Spec {
    flex(json!({"fsType": "xfs", "readOnly": true, "options": {"share": "a"}}))
}

#[test]
fn calls_have_the_arguments_of_kubernetes() {
    let answers = "attach) echo '{\"status\":\"Success\",\"device\":\"/dev/x\"}';;\n\
         waitforattach) echo '{\"status\":\"Success\",\"device\":\"/dev/y\"}';;\n\
         isattached) echo '{\"status\":\"Success\",\"attached\":true}';;\n\
         getvolumename) echo '{\"status\":\"Success\",\"volumeName\":\"vol-1\"}';;\n\
         expandvolume) echo '{\"status\":\"Success\",\"volumeNewSize\":300}';;\n*) ok;;";
    let drivers = Drivers::new(answers);
    let (spec, pod) = (
        with_options(),
        pod(json!({"spec": {"serviceAccountName": "app"}})),
    );
    let plugin = drivers.plugin();
    assert_eq!(plugin.volume_name(&spec).unwrap(), "vol-1");

    let attachable = plugin.clone().as_attachable().unwrap();
    let attacher = attachable.new_attacher().unwrap();
    let device = attacher.attach(&spec, NODE).unwrap();
    assert_eq!(device, Path::new("/dev/x"));
    assert_eq!(
        attacher
            .volumes_are_attached(std::slice::from_ref(&spec), NODE)
            .unwrap(),
        [true]
    );
    let device = attacher
        .wait_for_attach(&spec, &device, &pod, Duration::from_secs(60))
        .unwrap();
    assert_eq!(device, Path::new("/dev/y"));
    let at = attacher.device_mount_path(&spec).unwrap();
    attacher
        .mount_device(&spec, &device, &at, &no_device_args())
        .unwrap();

    let mounter = plugin
        .new_mounter(&spec, &pod, &VolumeOptions::default())
        .unwrap();
    assert!(mounter.attributes().read_only);
    mounter.set_up(&group(3000)).unwrap();
    assert!(mounter.path().is_dir());

    let expandable = plugin.clone().as_expandable().unwrap();
    assert_eq!(
        expandable.expand_volume_device(&spec, 200, 100).unwrap(),
        300
    );
    let resize = NodeResizeOptions {
        volume_spec: spec.clone(),
        device_path: device,
        device_mount_path: at.clone(),
        new_size: 200,
        old_size: 100,
        ..NodeResizeOptions::default()
    };
    assert!(
        plugin
            .clone()
            .as_node_expandable()
            .unwrap()
            .node_expand(&resize)
            .unwrap()
    );

    drivers.unmounter().tear_down().unwrap();
    let detacher = attachable.new_detacher().unwrap();
    // Nothing is mounted, and the driver isn't asked to unmount it.
    detacher.unmount_device(&at).unwrap();
    detacher.detach("vol-1", NODE).unwrap();
    // Nothing is left to be done.
    drivers.unmounter().tear_down().unwrap();
    detacher.unmount_device(&at).unwrap();
    assert!(!at.exists() && !mounter.path().exists());

    let of_mount = r#"{"kubernetes.io/fsType":"xfs","kubernetes.io/mounterArgs.FsGroup":"3000","kubernetes.io/pod.name":"web","kubernetes.io/pod.namespace":"shop","kubernetes.io/pod.uid":"7d4c1a52","kubernetes.io/pvOrVolumeName":"data","kubernetes.io/readwrite":"ro","kubernetes.io/serviceAccount.name":"app","share":"a"}"#;
    let (at, dir) = (
        "ROOT/plugins/kubernetes.io/flexvolume/example.com/nas/mounts/vol-1",
        "ROOT/pods/7d4c1a52/volumes/example.com~nas/data",
    );
    let expected = [
        format!("getvolumename {OPTIONS}"),
        format!("attach {OPTIONS} {NODE}"),
        format!("isattached {OPTIONS} {NODE}"),
        format!("waitforattach /dev/x {OPTIONS}"),
        format!("getvolumename {OPTIONS}"),
        format!("mountdevice {at} /dev/y {OPTIONS}"),
        format!("mount {dir} {of_mount}"),
        format!("getvolumename {OPTIONS}"),
        format!("expandvolume {OPTIONS} {at} 200 100"),
        format!("expandfs {OPTIONS} /dev/y {at} 200 100"),
        format!("unmount {dir}"),
        format!("detach vol-1 {NODE}"),
    ];
    assert_eq!(drivers.calls(), expected);
}

#[test]
fn what_a_driver_does_not_support_is_done_here_and_not_asked_again() {
    let drivers = Drivers::new("");
    let (spec, plugin) = (flex(json!({})), drivers.plugin());
    let attachable = plugin.clone().as_attachable().unwrap();
    let attacher = attachable.new_attacher().unwrap();
    for _ in 0..2 {
        assert_eq!(plugin.volume_name(&spec).unwrap(), "data");
        assert_eq!(attacher.attach(&spec, NODE).unwrap(), Path::new(""));
        let timeout = Duration::from_secs(60);
        let device = Path::new("/dev/x");
        let waited = attacher.wait_for_attach(&spec, device, &pod(json!({})), timeout);
        assert_eq!(waited.unwrap(), device);
        let specs = [spec.clone(), spec.clone()];
        let attached = attacher.volumes_are_attached(&specs, NODE).unwrap();
        assert_eq!(attached, [true, true]);
        let expandable = plugin.clone().as_expandable().unwrap();
        assert_eq!(
            expandable.expand_volume_device(&spec, 200, 100).unwrap(),
            200
        );
        attachable
            .new_detacher()
            .unwrap()
            .detach("data", NODE)
            .unwrap();
    }
    let calls = drivers.calls();
    let commands: Vec<_> = calls
        .iter()
        .map(|call| call.split(' ').next().unwrap())
        .collect();
    let once = [
        "getvolumename",
        "attach",
        "waitforattach",
        "isattached",
        "expandvolume",
        "detach",
    ];
    assert_eq!(commands, once);
}

#[test]
fn devices_are_shown_to_pods_by_bind_mounts() {
    let drivers = Drivers::new("mountdevice) ok;;");
    let spec = flex(json!({"readOnly": true}));
    let attachable = drivers.plugin().as_attachable().unwrap();
    let attacher = attachable.new_attacher().unwrap();
    let at = attacher.device_mount_path(&spec).unwrap();
    attacher
        .mount_device(&spec, Path::new("/dev/x"), &at, &no_device_args())
        .unwrap();
    let mounter = drivers.mounter(&spec).unwrap();
    for _ in 0..2 {
        mounter.set_up(&no_args()).unwrap();
    }
    let mounts = drivers.host.mounter.mount_points();
    let [mount] = mounts.as_slice() else {
        panic!("{mounts:?}")
    };
    assert_eq!(
        (mount.path.clone(), &mount.options),
        (mounter.path(), &vec!["bind".to_owned(), "ro".to_owned()])
    );
    assert_eq!(mount.device, at.display().to_string());
    drivers.unmounter().tear_down().unwrap();
    assert!(drivers.host.mounter.mount_points().is_empty() && !mounter.path().exists());
}

/// Drivers are written against Go's reader of JSON.
#[test]
fn answers_are_read_as_go_reads_them() {
    for answer in [
        r#"{"Status":"Success","Capabilities":{"Attach":false,"SELinuxRelabel":false}}"#,
        r#"{"STATUS":"Success","capabilities":{"attach":false,"selinuxrelabel":false,"fsGroup":null}}"#,
        r#"{"status":"Success","message":null,"device":null,"attached":null,
            "capabilities":{"attach":false,"selinuxRelabel":false},"unknown":{"a":[1]}}"#,
    ] {
        for to in ["", " >&2"] {
            let drivers = Drivers::new(&format!("init) echo '{answer}'{to};;\nmount) ok;;"));
            let plugin = drivers.plugin();
            assert!(plugin.as_attachable().is_none(), "{answer}");
            let mounter = drivers.mounter(&flex(json!({}))).unwrap();
            assert!(!mounter.attributes().selinux_relabel, "{answer}");
            assert!(
                mounter.attributes().managed,
                "fsGroup is the default: {answer}"
            );
        }
    }
}

#[test]
fn capabilities_decide_what_a_plugin_is() {
    let none = Drivers::new(
        "init) echo '{\"status\":\"Success\",\"capabilities\":{\"attach\":false,\"requiresFSResize\":false,\
         \"selinuxRelabel\":false}}';;",
    );
    let plugin = none.plugin();
    assert!(plugin.clone().as_attachable().is_none());
    assert!(plugin.clone().as_device_mountable().is_none());
    assert!(!plugin.clone().as_expandable().unwrap().requires_fs_resize());
    let mounter = none.mounter(&flex(json!({}))).unwrap();
    assert!(!mounter.attributes().selinux_relabel);
    assert!(mounter.metrics().is_err());
    // There is no device's directory that could be shown instead.
    assert_eq!(
        failed(mounter.set_up(&no_args())),
        "`mount` of the driver example.com/nas is not supported"
    );
    assert!(!mounter.path().exists());

    let plugin = Drivers::new("").plugin();
    assert!(plugin.clone().as_attachable().is_some());
    assert!(plugin.clone().as_expandable().unwrap().requires_fs_resize());
    assert_eq!(
        plugin.as_persistent().unwrap().access_modes(),
        ["ReadWriteOnce", "ReadOnlyMany"]
    );
}

#[test]
fn wrong_volumes_are_refused() {
    let drivers =
        Drivers::new("getvolumename) echo '{\"status\":\"Success\",\"volumeName\":\"../x\"}';;");
    let plugin = drivers.plugin();
    let error = failed(drivers.mounter(&flex(json!({"options": {"x.k8s.io/a": "b"}}))));
    assert!(
        error.contains(
            "the option \"x.k8s.io/a\" of the volume \"data\" has a prefix that is reserved"
        ),
        "{error}"
    );
    let two = volume(json!({"name": "data", "flexVolume": {"driver": DRIVER}, "emptyDir": {}}));
    assert!(failed(drivers.mounter(&two)).contains("several sources: emptyDir, flexVolume"));
    let other = volume(json!({"name": "data", "flexVolume": {"driver": "example.com/other"}}));
    assert!(failed(drivers.mounter(&other)).contains("has no example.com/nas as its driver"));
    assert!(!plugin.can_support(&other));
    let error = failed(plugin.volume_name(&flex(json!({}))));
    assert!(
        error.contains("name that the driver has for a volume \"../x\" has a slash"),
        "{error}"
    );
    assert!(
        drivers
            .mounter(&flex(
                json!({"options": {"k8s.io.example.com/a": "b", "k8s.io": "c"}})
            ))
            .is_ok()
    );
}

#[test]
fn persistent_volumes_are_supported() {
    let drivers = Drivers::new("mount) ok;;");
    let source = json!({"flexVolume": {"driver": DRIVER, "options": {"share": "a"}}});
    let spec = persistent("data", source, true);
    assert!(drivers.plugin().can_support(&spec));
    assert!(drivers.mounter(&spec).unwrap().attributes().read_only);
    let rebuilt = drivers
        .plugin()
        .construct_volume_spec("data", Path::new("/"))
        .unwrap();
    assert!(drivers.plugin().can_support(&rebuilt.spec));
}

fn secret(of_type: &str) -> Secret {
    serde_json::from_value(json!({
        "metadata": {"name": "login", "namespace": "shop"},
        "type": of_type,
        "data": {"password": "c2VzYW1l"},
    }))
    .unwrap()
}

#[test]
fn secrets_go_to_the_driver_and_nowhere_else() {
    // It prints what it got, and the password in the clear.
    let cases = "mount) echo \"$3\" > $(dirname $0)/../../options; echo \"$3 sesame\"; exit 1;;";
    let drivers = Drivers::with(cases, |host| host.secret_objects([secret(DRIVER)]));
    let spec = flex(json!({"secretRef": {"name": "login"}}));
    let error = drivers
        .mounter(&spec)
        .unwrap()
        .set_up(&no_args())
        .unwrap_err();
    for text in [error.to_string(), format!("{error:?}")] {
        assert!(text.contains("<masked>"), "{text}");
        assert!(
            !text.contains("sesame") && !text.contains("c2VzYW1l"),
            "{text}"
        );
    }
    let options = fs::read_to_string(drivers.dir.path().join("options")).unwrap();
    assert!(
        options.contains("\"kubernetes.io/secret/password\":\"c2VzYW1l\""),
        "{options}"
    );

    let drivers = Drivers::with("mount) ok;;", |host| {
        host.secret_objects([secret("Opaque")])
    });
    let error = failed(drivers.mounter(&spec).unwrap().set_up(&no_args()));
    assert_eq!(
        error,
        "the Secret shop/login has the type \"Opaque\"; for this driver it must be \"example.com/nas\""
    );
    let error = failed(Drivers::new("").mounter(&spec).unwrap().set_up(&no_args()));
    assert_eq!(error, "secret \"shop/login\" not found");
}

#[test]
fn drivers_come_and_go() {
    let drivers = Drivers::new("");
    let folder = drivers.dir.path().join("drivers");
    fs::remove_dir_all(folder.join("example.com~nas")).unwrap();
    write_program(
        &folder.join("tape/tape"),
        "#!/bin/sh\necho '{\"status\":\"Success\"}'\n",
    );
    let spec = volume(json!({"name": "data", "flexVolume": {"driver": "tape"}}));
    // The system reports changes a little later.
    let found = (0..1000).find_map(|_| {
        std::thread::sleep(Duration::from_millis(10));
        drivers.manager.find_plugin_by_spec(&spec).ok()
    });
    assert_eq!(found.unwrap().plugin_name(), "tape");
    assert!(drivers.manager.find_plugin_by_name(DRIVER).is_err());
}

#[test]
fn a_driver_mounts_for_real() {
    as_root(|| {
        let cases = "init) echo '{\"status\":\"Success\",\"capabilities\":{\"attach\":false,\"supportsMetrics\":true}}';;\n\
             mount) mount -t tmpfs -o size=1m nas \"$2\" && touch \"$2/file\" && ok;;\n\
             unmount) umount \"$2\" && ok;;";
        let drivers = Drivers::with(cases, |host| {
            host.mounter(Arc::new(kubernetes_volume::mount::LinuxMounter::new()))
        });
        let spec = flex(json!({}));
        let mounter = drivers.mounter(&spec).unwrap();
        for _ in 0..2 {
            mounter.set_up(&group(3000)).unwrap();
            assert_eq!(of(&mounter.path().join("file")).1, 3000);
        }
        assert_eq!(mounter.metrics().unwrap().capacity, Some(1 << 20));
        for _ in 0..2 {
            torn_down(&*drivers.unmounter()).unwrap();
            assert!(!mounter.path().exists());
        }
        assert_eq!(drivers.calls().len(), 2);
    });
}
