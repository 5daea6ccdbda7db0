//! Mounts the volumes of Pods.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use k8s_openapi::api::core::v1::{Pod, Volume};
use kubernetes_volume::containers::{self, MountedVolume};
use kubernetes_volume::interfaces::VolumeHost;
use kubernetes_volume::manager::FindError;
use kubernetes_volume::ownership::FsGroupChangePolicy;
use kubernetes_volume::{DeviceMounterArgs, Error, MounterArgs, Spec, VolumeOptions};
use serde_json::{Value, json};
use tracing::warn;

use crate::claims;
use crate::errors::Errors;
use crate::manifests::{Objects, PodFrom, of_pod, shown};
use crate::node::Node;
use crate::table::Row;

/// The time limit for a device to appear.
const ATTACHED: Duration = Duration::from_secs(120);

/// The mounted volumes, and the errors of others.
#[derive(Default)]
pub(crate) struct Mounted {
    pub(crate) volumes: Vec<Row>,
    /// The mounts of containers, if they were asked for.
    pub(crate) containers: Vec<Value>,
    pub(crate) errors: Errors,
}

/// Mounts all volumes of all Pods, and what their containers want of them.
pub(crate) fn mount_all(node: &Node, with_containers: bool) -> Mounted {
    let objects = node.objects();
    let mut mounted = Mounted::default();
    for from in objects.pods.values() {
        if has_ended(&from.pod) {
            continue;
        }
        let volumes = mount(node, &objects, from, &mut mounted);
        // As a kubelet, which starts no container before all volumes are mounted.
        if let Some(volumes) = volumes.filter(|_| with_containers) {
            prepare(node, from, &volumes, &mut mounted);
        }
    }
    mounted
}

/// Returns true if the containers of a Pod won't run again, so that a kubelet unmounts its volumes.
pub(crate) fn has_ended(pod: &Pod) -> bool {
    let phase = pod
        .status
        .as_ref()
        .and_then(|status| status.phase.as_deref());
    matches!(phase, Some("Succeeded" | "Failed"))
}

/// Mounts all volumes of a Pod that a container uses, the others even if one fails. Returns them if
/// none does.
fn mount(
    node: &Node,
    objects: &Objects,
    from: &PodFrom,
    mounted: &mut Mounted,
) -> Option<BTreeMap<String, MountedVolume>> {
    let args = match args(&from.pod) {
        Ok(args) => args,
        Err(error) => {
            mounted.errors.extend(of_pod(from, error));
            return None;
        }
    };
    let used = containers::used_volumes(&from.pod);
    let spec = from.pod.spec.as_ref();
    let volumes = spec.and_then(|spec| spec.volumes.as_ref());
    let mut names = BTreeSet::new();
    let mut found = BTreeMap::new();
    let before = mounted.errors.len();
    for volume in volumes.into_iter().flatten() {
        let name = &volume.name;
        let done = if !names.insert(name) {
            Err("duplicate volume name".to_owned())
        } else if used.contains(name.as_str()) {
            mount_one(node, objects, &from.pod, volume, &args)
        } else {
            warn!("{}: no container mounts the volume {name:?}", shown(from));
            continue;
        };
        match done {
            Ok((row, volume)) => {
                mounted.volumes.push(row);
                found.insert(name.clone(), volume);
            }
            Err(error) => {
                let pod = shown(from);
                mounted
                    .errors
                    .push(format!("{pod}: volume {name:?}: {error}"));
            }
        }
    }
    (mounted.errors.len() == before).then_some(found)
}

/// Prepares the mounts of all containers of a Pod, the others even if one fails, unless that is an
/// init container.
fn prepare(
    node: &Node,
    from: &PodFrom,
    volumes: &BTreeMap<String, MountedVolume>,
    mounted: &mut Mounted,
) {
    let spec = from.pod.spec.as_ref();
    let init = spec.and_then(|spec| spec.init_containers.as_ref());
    for name in containers::container_names(&from.pod) {
        match containers::mounts(&*node.host, &from.pod, name, volumes) {
            Ok(mounts) => {
                let mounts = mounts.iter().map(|mount| {
                    let mut line = json!({
                        "volume": mount.volume_name,
                        "containerPath": mount.container_path,
                        "hostPath": mount.host_path,
                        "readOnly": mount.read_only,
                        "recursiveReadOnly": mount.recursive_read_only,
                        "mountPropagation": mount.propagation.as_str(),
                    });
                    if let Some(image) = &mount.image {
                        line["image"] = json!(image.reference);
                        line["imageSubPath"] = json!(image.sub_path);
                    }
                    line
                });
                let uid = &from.pod.metadata.uid;
                mounted.containers.push(json!({
                    "podUID": uid,
                    "container": name,
                    "mounts": mounts.collect::<Vec<_>>(),
                }));
            }
            Err(error) => {
                let pod = shown(from);
                mounted
                    .errors
                    .push(format!("{pod}: container {name:?}: {error}"));
                // A kubelet starts none of the next ones.
                if init.is_some_and(|init| init.iter().any(|init| init.name == name)) {
                    return;
                }
            }
        }
    }
}

fn mount_one(
    node: &Node,
    objects: &Objects,
    pod: &Pod,
    volume: &Volume,
    args: &MounterArgs,
) -> Result<(Row, MountedVolume), String> {
    let spec = claims::resolve(objects, pod, volume)?;
    mount_spec(node, pod, volume, &spec, args).map_err(|error| error.to_string())
}

fn mount_spec(
    node: &Node,
    pod: &Pod,
    volume: &Volume,
    spec: &Spec,
    args: &MounterArgs,
) -> kubernetes_volume::Result<(Row, MountedVolume)> {
    let plugin = node
        .manager
        .find_plugin_by_spec(spec)
        .map_err(|error| match error {
            FindError::NotFound => Error::invalid(format!("{error}: {}", unmatched(volume, spec))),
            error => error.into(),
        })?;
    let mut device = PathBuf::new();
    if let Some(plugin) = plugin.clone().as_attachable()
        && plugin.can_attach(spec)?
    {
        let attacher = plugin.new_attacher()?;
        let attached = attacher.attach(spec, &node.host.node_name())?;
        device = attacher.wait_for_attach(spec, &attached, pod, ATTACHED)?;
    }
    if let Some(devices) = plugin.clone().as_device_mountable()
        && devices.can_device_mount(spec)?
    {
        let devices = devices.new_device_mounter()?;
        let path = devices.device_mount_path(spec)?;
        let args = DeviceMounterArgs {
            fs_group: args.fs_group,
            ..DeviceMounterArgs::default()
        };
        devices.mount_device(spec, &device, &path, &args)?;
    }
    let mounter = plugin.new_mounter(spec, pod, &VolumeOptions::default())?;
    mounter.can_mount()?;
    mounter.set_up(args)?;
    let metadata = &pod.metadata;
    let row = Row {
        pod: format!(
            "{}/{}",
            metadata.namespace.as_deref().unwrap_or_default(),
            metadata.name.as_deref().unwrap_or_default()
        ),
        volume: volume.name.clone(),
        plugin: plugin.plugin_name().to_owned(),
        path: mounter.path(),
        metrics: mounter.metrics().ok(),
    };
    Ok((row, MountedVolume::new(spec.name(), &*mounter)))
}

/// Describes a volume that no plugin supports.
fn unmatched(volume: &Volume, spec: &Spec) -> String {
    if spec.is_kubelet_expandable() {
        let driver = spec.kubelet_expandable_plugin_name();
        return format!("driver {driver:?} not found in the folder of --flex-volumes");
    }
    if spec.persistent_volume.is_some() {
        let name = spec.name();
        return format!("persistentvolume {name:?} must be hostPath, local, nfs or flexVolume");
    }
    let fields = match serde_json::to_value(volume) {
        Ok(serde_json::Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let sources: Vec<_> = fields
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| name != "name")
        .collect();
    if sources.is_empty() {
        return "the volume has no source, such as emptyDir".to_owned();
    }
    format!(
        "unsupported source {}; see --help for the supported ones",
        sources.join(" and ")
    )
}

/// Returns the settings of the Pod that mounters need.
fn args(pod: &Pod) -> Result<MounterArgs, String> {
    let mut args = MounterArgs {
        fs_user: id(containers::fs_user(pod), "runAsUser")?,
        ..MounterArgs::default()
    };
    let context = pod
        .spec
        .as_ref()
        .and_then(|spec| spec.security_context.as_ref());
    let Some(context) = context else {
        return Ok(args);
    };
    args.fs_group = id(context.fs_group, "spec.securityContext.fsGroup")?;
    args.fs_group_change_policy = match context.fs_group_change_policy.as_deref() {
        None => None,
        Some("Always") => Some(FsGroupChangePolicy::Always),
        Some("OnRootMismatch") => Some(FsGroupChangePolicy::OnRootMismatch),
        Some(other) => {
            return Err(format!(
                "spec.securityContext.fsGroupChangePolicy: Unsupported value: {other:?}: supported \
                 values: \"Always\", \"OnRootMismatch\""
            ));
        }
    };
    Ok(args)
}

fn id(id: Option<i64>, field: &str) -> Result<Option<u32>, String> {
    id.map(|id| {
        u32::try_from(id)
            .ok()
            .filter(|id| *id != u32::MAX)
            .ok_or_else(|| format!("{field}: Invalid value: {id}: must be a user or group ID"))
    })
    .transpose()
}
