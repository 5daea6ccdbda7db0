//! The objects of plugins, and a kubelet's calls of them through `dyn`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{Node, PersistentVolume, Pod, TopologySelectorTerm};
use kubernetes_volume::interfaces::{
    Attacher, BlockVolume, BlockVolumeMapper, BlockVolumeUnmapper, CustomBlockVolumeMapper,
    CustomBlockVolumeUnmapper, Deleter, Detacher, DeviceMounter, DeviceUnmounter, Mounter,
    PodDeviceMapPath, Unmounter, Volume, VolumePlugin, VolumeProvisioner,
};
use kubernetes_volume::metrics::{Metrics, MetricsError, MetricsNil, MetricsProvider};
use kubernetes_volume::{
    Attributes, DeviceMounterArgs, Error, MounterArgs, NodeResizeOptions, Result, Spec,
    VolumeOptions,
};

use super::fake::{Plugin, spec};

pub(crate) struct Storage;

impl MetricsProvider for Storage {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        MetricsNil.metrics()
    }
}

impl Volume for Storage {
    fn path(&self) -> PathBuf {
        "/nowhere/volume".into()
    }
}

impl Mounter for Storage {
    fn set_up_at(&self, dir: &Path, _: &MounterArgs) -> Result<()> {
        assert_eq!(dir, self.path());
        Err(Error::invalid("not today").uncertain())
    }

    fn attributes(&self) -> Attributes {
        Attributes {
            read_only: true,
            ..Attributes::default()
        }
    }
}

impl Unmounter for Storage {
    fn tear_down_at(&self, dir: &Path) -> Result<()> {
        assert_eq!(dir, self.path());
        Ok(())
    }
}

impl Deleter for Storage {
    fn delete(&self) -> Result<()> {
        Err(Error::InUse("the volume".to_owned()))
    }
}

impl VolumeProvisioner for Storage {
    fn provision(&self, _: Option<&Node>, _: &[TopologySelectorTerm]) -> Result<PersistentVolume> {
        Ok(PersistentVolume::default())
    }
}

pub(crate) struct Devices;

impl DeviceMounter for Devices {
    fn device_mount_path(&self, spec: &Spec) -> Result<PathBuf> {
        Ok(Path::new("/nowhere/globalmount").join(spec.name()))
    }

    fn mount_device(&self, _: &Spec, _: &Path, _: &Path, _: &DeviceMounterArgs) -> Result<()> {
        Ok(())
    }
}

impl DeviceUnmounter for Devices {
    fn unmount_device(&self, _: &Path) -> Result<()> {
        Ok(())
    }
}

impl Attacher for Devices {
    fn attach(&self, spec: &Spec, node_name: &str) -> Result<PathBuf> {
        Ok(Path::new("/dev").join(node_name).join(spec.name()))
    }

    fn volumes_are_attached(&self, specs: &[Spec], _: &str) -> Result<Vec<bool>> {
        Ok(specs.iter().map(|spec| spec.name() == "here").collect())
    }

    fn wait_for_attach(&self, _: &Spec, device: &Path, _: &Pod, _: Duration) -> Result<PathBuf> {
        Ok(device.to_owned())
    }
}

impl Detacher for Devices {
    fn detach(&self, _: &str, _: &str) -> Result<()> {
        Ok(())
    }
}

pub(crate) struct Map;

impl BlockVolume for Map {
    fn global_map_path(&self, spec: &Spec) -> Result<PathBuf> {
        Ok(Path::new("/nowhere/volumeDevices").join(spec.name()))
    }

    fn pod_device_map_path(&self) -> PodDeviceMapPath {
        PodDeviceMapPath {
            dir: "/nowhere/pod".into(),
            volume_name: "data".to_owned(),
        }
    }
}

impl BlockVolumeMapper for Map {
    fn as_custom(&self) -> Option<&dyn CustomBlockVolumeMapper> {
        Some(self)
    }
}

impl CustomBlockVolumeMapper for Map {
    fn set_up_device(&self) -> Result<PathBuf> {
        Ok(self.staging_path())
    }

    fn map_pod_device(&self) -> Result<Option<PathBuf>> {
        Ok(None)
    }

    fn staging_path(&self) -> PathBuf {
        "/nowhere/staging".into()
    }
}

/// Adds no steps.
impl BlockVolumeUnmapper for Map {}

impl CustomBlockVolumeUnmapper for Map {
    fn tear_down_device(&self, _: &Path, _: &Path) -> Result<()> {
        Ok(())
    }

    fn unmap_pod_device(&self) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_plugin_does_what_it_can_through_dyn() {
    let plugin: Arc<dyn VolumePlugin> = Arc::new(Plugin::full("example.com/all", "", Some(true)));
    let clone = || Arc::clone(&plugin);
    let volume = spec("data");
    let (pod, options) = (Pod::default(), VolumeOptions::default());

    let mounter = plugin.new_mounter(&volume, &pod, &options).unwrap();
    mounter.can_mount().unwrap();
    let error = mounter.set_up(&MounterArgs::default()).unwrap_err();
    assert!(error.is_uncertain() && !error.is_final());
    assert!(mounter.attributes().read_only);
    assert!(mounter.metrics().unwrap_err().is_not_supported());
    plugin
        .new_unmounter("data", "uid")
        .unwrap()
        .tear_down()
        .unwrap();

    let attachable = clone().as_attachable().unwrap();
    let attacher = attachable.new_attacher().unwrap();
    let device = attacher.attach(&volume, "node-a").unwrap();
    assert_eq!(device, Path::new("/dev/node-a/data"));
    let attached = attacher.volumes_are_attached(&[spec("here"), spec("gone")], "node-a");
    assert_eq!(attached.unwrap(), [true, false]);
    let found = attacher.wait_for_attach(&volume, &device, &pod, Duration::ZERO);
    assert_eq!(found.unwrap(), device);
    let mount_path = attacher.device_mount_path(&volume).unwrap();
    attacher
        .mount_device(&volume, &device, &mount_path, &DeviceMounterArgs::default())
        .unwrap();
    let detacher = attachable.new_detacher().unwrap();
    detacher.unmount_device(&mount_path).unwrap();
    detacher.detach("data", "node-a").unwrap();

    let block = clone().as_block().unwrap();
    let mapper = block
        .new_block_volume_mapper(&volume, &pod, &options)
        .unwrap();
    let custom = mapper.as_custom().unwrap();
    assert_eq!(
        custom.set_up_device().unwrap(),
        Path::new("/nowhere/staging")
    );
    assert_eq!(custom.map_pod_device().unwrap(), None);
    assert_eq!(mapper.pod_device_map_path().volume_name, "data");
    assert!(
        block
            .new_block_volume_unmapper("data", "uid")
            .unwrap()
            .as_custom()
            .is_none()
    );

    let grown = clone()
        .as_expandable()
        .unwrap()
        .expand_volume_device(&volume, 2, 1);
    assert_eq!(grown.unwrap(), 2);
    let options = NodeResizeOptions {
        new_size: 2,
        old_size: 1,
        ..NodeResizeOptions::default()
    };
    assert!(
        clone()
            .as_node_expandable()
            .unwrap()
            .node_expand(&options)
            .unwrap()
    );
    let deleter = clone()
        .as_deletable()
        .unwrap()
        .new_deleter(&volume)
        .unwrap();
    assert!(matches!(deleter.delete().unwrap_err(), Error::InUse(_)));
    let provisioner = clone().as_provisionable().unwrap();
    let provisioner = provisioner
        .new_provisioner(&VolumeOptions::default())
        .unwrap();
    provisioner.provision(None, &[]).unwrap();
    let limited = clone().as_with_attach_limits().unwrap();
    assert_eq!(
        limited.volume_limits().unwrap()[&limited.volume_limit_key(&volume)],
        39
    );
}
