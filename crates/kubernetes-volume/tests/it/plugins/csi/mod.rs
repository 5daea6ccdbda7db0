//! CSI volumes, with a driver that records its calls.

mod attach;
mod block;
mod drivers;
mod failures;
mod fs_group;
mod grow;
mod inline;
mod pod_facts;
mod published;
mod reconstruct;
mod staged;
mod stats;

use k8s_openapi::api::core::v1::Secret;
use kubernetes_volume::interfaces::VolumePlugin;
use kubernetes_volume::plugins::csi::{
    Code, CsiError, DriversStore, NodeCapability, NodePublishVolumeRequest, NodeStageVolumeRequest,
    attachment_name,
};
use kubernetes_volume::plugins::{CSI, CsiPlugin};
use kubernetes_volume::testing::{
    FakeAttachments, FakeCsiCall, FakeCsiDriver, FakeExec, FakeHost, FakeMounter,
};
use storage_v1::{CSIDriver, VolumeAttachment};

use super::*;

const DRIVER: &str = "disk.example.com";
const NODE: &str = "fake-node";
const HANDLE: &str = "vol-1";

/// All of a driver that stages volumes and tells apart who writes.
const STAGES: [NodeCapability; 2] = [
    NodeCapability::StageUnstageVolume,
    NodeCapability::SingleNodeMultiWriter,
];

/// A node with one driver.
struct Csi {
    host: FakeHost,
    manager: Arc<VolumePluginManager>,
    driver: Arc<FakeCsiDriver>,
    drivers: Arc<DriversStore>,
    attachments: Arc<FakeAttachments>,
    _dir: tempfile::TempDir,
}

impl Csi {
    /// A driver whose volumes need not be attached, and whose CSIDriver has this in its spec.
    fn new(capabilities: impl IntoIterator<Item = NodeCapability>, spec: Value) -> Self {
        let mut all =
            json!({"attachRequired": false, "volumeLifecycleModes": ["Persistent", "Ephemeral"]});
        merge(&mut all, spec);
        Self::with(capabilities, Some(all), |host| host)
    }

    fn with(
        capabilities: impl IntoIterator<Item = NodeCapability>,
        spec: Option<Value>,
        set: impl FnOnce(StandaloneHostBuilder) -> StandaloneHostBuilder,
    ) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let objects: Vec<CSIDriver> = spec
            .into_iter()
            .map(|spec| object(json!({"metadata": {"name": DRIVER}, "spec": spec})))
            .collect();
        let host = FakeHost::with(
            dir.path().join("root"),
            FakeMounter::new(),
            FakeExec::new(),
            |host| set(host.csi_driver_objects(objects).secret_objects(secrets())),
        )
        .unwrap();
        let driver = FakeCsiDriver::new(capabilities).with_mounter(host.mounter.clone());
        let driver = Arc::new(driver);
        let drivers = Arc::new(DriversStore::new());
        let endpoint = "/var/lib/kubelet/plugins/disk/csi.sock";
        drivers
            .register(DRIVER, endpoint, &["1.0.0"], driver.clone())
            .unwrap();
        driver.clear_calls();
        let attachments = Arc::new(FakeAttachments::without_controller());
        let plugin = CsiPlugin::new(drivers.clone())
            .with_attachments(attachments.clone())
            .with_attach_limit(std::time::Duration::from_millis(20));
        let manager = host.start(vec![Box::new(plugin)], None).unwrap();
        Self {
            host,
            manager,
            driver,
            drivers,
            attachments,
            _dir: dir,
        }
    }

    fn plugin(&self) -> Arc<dyn VolumePlugin> {
        self.manager.find_plugin_by_name(CSI).unwrap()
    }

    fn path(&self, below: &str) -> PathBuf {
        self.host.root().join(below)
    }

    /// The names of the calls so far but for capabilities, which are asked for whenever needed.
    fn calls(&self) -> Vec<&'static str> {
        let calls = self.driver.calls();
        let names = calls.iter().map(FakeCsiCall::name);
        names
            .filter(|name| *name != "NodeGetCapabilities")
            .collect()
    }

    fn published(&self) -> NodePublishVolumeRequest {
        let calls = self.driver.calls().into_iter().rev();
        let mut found = calls.filter_map(|call| match call {
            FakeCsiCall::Publish(request) => Some(request),
            _ => None,
        });
        found.next().unwrap()
    }

    fn staged(&self) -> NodeStageVolumeRequest {
        let calls = self.driver.calls().into_iter().rev();
        let mut found = calls.filter_map(|call| match call {
            FakeCsiCall::Stage(request) => Some(request),
            _ => None,
        });
        found.next().unwrap()
    }

    fn mounter(&self, spec: &Spec) -> Result<Box<dyn Mounter>> {
        let pod = pod(json!({"spec": {"serviceAccountName": "app"}}));
        self.plugin()
            .new_mounter(spec, &pod, &VolumeOptions::default())
    }

    fn set_up(&self, spec: &Spec, args: &MounterArgs) -> Result<PathBuf> {
        let mounter = self.mounter(spec)?;
        mounter.set_up(args)?;
        Ok(mounter.path())
    }

    fn tear_down(&self, name: &str) -> Result<()> {
        self.plugin().new_unmounter(name, UID)?.tear_down()
    }

    fn stage(&self, spec: &Spec, args: &DeviceMounterArgs) -> Result<PathBuf> {
        let devices = self.plugin().as_device_mountable().unwrap();
        let mounter = devices.new_device_mounter()?;
        let at = mounter.device_mount_path(spec)?;
        mounter.mount_device(spec, Path::new(""), &at, args)?;
        Ok(at)
    }

    fn unstage(&self, at: &Path) -> Result<()> {
        let devices = self.plugin().as_device_mountable().unwrap();
        devices.new_device_unmounter()?.unmount_device(at)
    }

    /// Says that the volume is attached, with these facts of the driver's controller.
    fn attach(&self, metadata: Value) {
        self.put_attachment(json!({"attached": true, "attachmentMetadata": metadata}));
    }

    fn put_attachment(&self, status: Value) {
        let attachment: VolumeAttachment = object(json!({
            "metadata": {"name": attachment_name(HANDLE, DRIVER, NODE)},
            "spec": {
                "attacher": DRIVER, "nodeName": NODE, "source": {"persistentVolumeName": "disk"},
            },
            "status": status,
        }));
        self.attachments.put(attachment);
    }

    /// All below the directories of plugins and Pods.
    fn on_disk(&self) -> Vec<String> {
        fn walk(root: &Path, dir: &Path, found: &mut Vec<String>) {
            for entry in fs::read_dir(dir).into_iter().flatten() {
                let path = entry.unwrap().path();
                found.push(path.strip_prefix(root).unwrap().display().to_string());
                if path.is_dir() {
                    walk(root, &path, found);
                }
            }
        }
        let mut found = Vec::new();
        walk(self.host.root(), self.host.root(), &mut found);
        found.sort();
        found
    }
}

fn object<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn secrets() -> Vec<Secret> {
    ["publish", "stage", "expand"]
        .map(|name| {
            let namespace = if name == "publish" { "shop" } else { "storage" };
            object(json!({
                "metadata": {"name": name, "namespace": namespace},
                "data": {"key": k8s_openapi::ByteString(format!("of {name}").into_bytes())},
            }))
        })
        .to_vec()
}

/// The PersistentVolume `disk`.
fn disk(rest: Value) -> Spec {
    let mut spec = json!({"csi": {"driver": DRIVER, "volumeHandle": HANDLE}});
    merge(&mut spec, rest);
    persistent("disk", spec, false)
}

fn data(dir: &Path) -> String {
    fs::read_to_string(dir.join("vol_data.json")).unwrap()
}

fn timed_out() -> CsiError {
    CsiError::new(Code::DeadlineExceeded, "too late")
}

fn refused() -> CsiError {
    CsiError::new(Code::InvalidArgument, "no")
}
