//! The node: a host over the root folder, and the volumes of its Pods.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use kubernetes_volume::host::{StandaloneHost, VolumeOnDisk};
use kubernetes_volume::interfaces::{Unmounter, VolumeHost};
use kubernetes_volume::manager::VolumePluginManager;
use kubernetes_volume::plugins::{self, FlexVolumePlugin};
use kubernetes_volume::{Error, VolumeConfig};
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;

use crate::args::{Folders, Given};
use crate::errors::{Errors, one};
use crate::manifests::Objects;
use crate::table::Row;
use crate::tokens;

/// The current manifests, which the host reads.
pub(crate) type Shared = Arc<RwLock<Arc<Objects>>>;

pub(crate) struct Node {
    pub(crate) host: Arc<StandaloneHost>,
    pub(crate) manager: Arc<VolumePluginManager>,
    objects: Shared,
    /// Holds the lock of the root.
    _lock: rustix::fd::OwnedFd,
}

impl Node {
    /// Opens the root folder, which no other program has open.
    pub(crate) fn open(folders: &Folders, objects: Objects, given: Given) -> Result<Self, Errors> {
        let objects: Shared = Arc::new(RwLock::new(Arc::new(objects)));
        let (secrets, maps, bundles) = (objects.clone(), objects.clone(), objects.clone());
        let mut host = StandaloneHost::builder(&folders.root)
            .secrets(move |namespace, name| {
                let found = current(&secrets)
                    .secrets
                    .get(&key(namespace, name))
                    .cloned();
                found.ok_or_else(|| absent("secret", namespace, name))
            })
            .config_maps(move |namespace, name| {
                let found = current(&maps)
                    .config_maps
                    .get(&key(namespace, name))
                    .cloned();
                found.ok_or_else(|| absent("configmap", namespace, name))
            })
            .trust_bundles(move || Ok(current(&bundles).trust_bundles.values().cloned().collect()));
        if !given.allocatable.is_empty() {
            host = host.allocatable(given.allocatable);
        }
        if let Some(folder) = given.tokens {
            host = host.tokens(move |namespace, name, request| {
                tokens::token(&folder, namespace, name, request)
            });
        }
        let host = host.build().map_err(one)?;
        let lock = lock(host.root()).map_err(one)?;
        let drivers = folders.flex_volumes.as_ref().map(FlexVolumePlugin::prober);
        let drivers = drivers.map(|drivers| Box::new(drivers) as _);
        let plugins = plugins::all(VolumeConfig::default());
        let manager = host.start(plugins, drivers).map_err(one)?;
        Ok(Self {
            host,
            manager,
            objects,
            _lock: lock,
        })
    }

    /// Returns the current manifests.
    pub(crate) fn objects(&self) -> Arc<Objects> {
        current(&self.objects)
    }

    /// Replaces the manifests.
    pub(crate) fn set_objects(&self, objects: Objects) {
        *self.objects.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(objects);
    }

    /// Unmounts the Pods, or all of them, and then devices that are mounted for the node alone.
    pub(crate) fn unmount(&self, pods: &[String]) -> Result<(), Errors> {
        let on_disk = self.host.pods_on_disk().map_err(one)?;
        let mut errors = Errors::new();
        let wanted: Vec<String> = pods.iter().map(|pod| pod.replacen('/', ".", 1)).collect();
        for (pod, uid) in pods.iter().zip(&wanted) {
            if !on_disk.contains(uid) {
                errors.push(format!("pod {pod:?} not found: it has no mounted volumes"));
            }
        }
        for uid in on_disk
            .iter()
            .filter(|uid| wanted.is_empty() || wanted.contains(uid))
        {
            if let Err(failed) = self.unmount_pod(uid) {
                errors.extend(failed);
            }
        }
        if let Err(error) = self.unmount_devices() {
            errors.push(error.to_string());
        }
        if let Err(error) = self.remove_folders() {
            errors.push(error.to_string());
        }
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors)
        }
    }

    /// Unmounts all volumes of a Pod that are on disk.
    pub(crate) fn unmount_pod(&self, uid: &str) -> Result<(), Errors> {
        self.host.clean_subpaths(uid).map_err(one)?;
        let mut errors = Errors::new();
        for volume in self.host.volumes_on_disk(uid).map_err(one)? {
            let torn_down = self
                .unmounter(&volume)
                .and_then(|unmounter| unmounter.tear_down());
            if let Err(error) = torn_down {
                errors.push(format!(
                    "pod {uid:?}: volume {:?}: {error}",
                    volume.volume_name
                ));
            }
        }
        if errors.is_empty() {
            return self.host.remove_pod(uid).map_err(one);
        }
        Err(errors)
    }

    fn unmounter(&self, volume: &VolumeOnDisk) -> kubernetes_volume::Result<Box<dyn Unmounter>> {
        let plugin = self.manager.find_plugin_by_name(&volume.plugin_name)?;
        plugin.new_unmounter(&volume.volume_name, &volume.pod_uid)
    }

    /// Unmounts devices that no Pod has mounted any more, and detaches them.
    pub(crate) fn unmount_devices(&self) -> kubernetes_volume::Result<()> {
        for name in self.host.device_plugins_on_disk()? {
            let plugin = self.manager.find_plugin_by_name(&name)?;
            let attachable = plugin.clone().as_attachable();
            let Some(plugin) = plugin.as_device_mountable() else {
                continue;
            };
            for path in self.host.device_mounts_on_disk(&name)? {
                // If the root is mounted elsewhere too, the device is there: that is no use of it.
                let own = path.strip_prefix(self.host.root()).unwrap_or(&path);
                let refs = plugin.device_mount_refs(&path)?;
                if !refs.iter().all(|other| other.ends_with(own)) {
                    continue;
                }
                plugin.new_device_unmounter()?.unmount_device(&path)?;
                // The directory has the name of the volume.
                let volume = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
                if let Some(plugin) = &attachable {
                    plugin
                        .new_detacher()?
                        .detach(volume, &self.host.node_name())?;
                }
            }
        }
        Ok(())
    }

    /// Removes the folders of the layout that are empty.
    fn remove_folders(&self) -> kubernetes_volume::Result<()> {
        self.host.remove_empty_plugin_dirs()?;
        let pods = self.host.pods_dir();
        match fs::remove_dir(&pods) {
            Err(error)
                if !matches!(
                    error.kind(),
                    ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty
                ) =>
            {
                Err(Error::io("remove", &pods)(error))
            }
            _ => Ok(()),
        }
    }

    /// Returns the mounted volumes with their metrics.
    pub(crate) fn on_disk(&self) -> Result<Vec<Row>, Errors> {
        let mut rows = Vec::new();
        for uid in self.host.pods_on_disk().map_err(one)? {
            for volume in self.host.volumes_on_disk(&uid).map_err(one)? {
                let unmounter = self.unmounter(&volume).map_err(one)?;
                if volume.path.exists() {
                    rows.push(Row {
                        pod: uid.clone(),
                        volume: volume.volume_name,
                        plugin: volume.plugin_name,
                        metrics: unmounter.metrics().ok(),
                        path: volume.path,
                    });
                }
            }
        }
        Ok(rows)
    }
}

fn current(objects: &Shared) -> Arc<Objects> {
    objects
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
}

fn key(namespace: &str, name: &str) -> (String, String) {
    (namespace.to_owned(), name.to_owned())
}

fn absent(kind: &'static str, namespace: &str, name: &str) -> Error {
    Error::NotFound {
        kind,
        name: format!("{namespace}/{name}"),
    }
}

/// Locks the root folder for as long as the file is open.
fn lock(root: &Path) -> kubernetes_volume::Result<rustix::fd::OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = rustix::fs::open(root, flags, Mode::empty()).map_err(Error::io("open", root))?;
    match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(folder),
        Err(Errno::WOULDBLOCK) => Err(Error::InUse(format!(
            "the root {} of another pod-volumes process",
            root.display()
        ))),
        Err(error) => Err(Error::io("lock", root)(error)),
    }
}
