//! Mounts the volumes of one Pod.

use std::path::PathBuf;
use std::time::Duration;

use k8s_openapi::api::core::v1::{Pod, Volume};
use kubernetes_volume::interfaces::VolumeHost;
use kubernetes_volume::manager::FindError;
use kubernetes_volume::ownership::FsGroupChangePolicy;
use kubernetes_volume::{Error, MounterArgs, Spec, VolumeOptions};

use crate::claims;
use crate::manifests::{Objects, PodFrom, of_pod, shown};
use crate::node::{Mounted, Node};
use crate::table::Row;

/// How long a device may take to appear.
const ATTACHED: Duration = Duration::from_secs(120);

/// Mounts all volumes of a Pod. One that fails doesn't keep the others from being mounted.
pub(crate) fn mount(node: &Node, objects: &Objects, from: &PodFrom, mounted: &mut Mounted) {
    let args = match args(&from.pod) {
        Ok(args) => args,
        Err(error) => return mounted.errors.extend(of_pod(from, error)),
    };
    let volumes = from
        .pod
        .spec
        .as_ref()
        .and_then(|spec| spec.volumes.as_ref());
    let mut names = std::collections::BTreeSet::new();
    for volume in volumes.into_iter().flatten() {
        let done = if names.insert(&volume.name) {
            mount_one(node, objects, &from.pod, volume, &args)
        } else {
            Err("there are two of that name".to_owned())
        };
        match done {
            Ok(row) => mounted.volumes.push(row),
            Err(error) => {
                let (pod, name) = (shown(from), &volume.name);
                mounted
                    .errors
                    .push(format!("{pod}: volume {name:?}: {error}"));
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
) -> Result<Row, String> {
    let spec = claims::resolve(objects, pod, volume)?;
    mount_spec(node, pod, volume, &spec, args).map_err(|error| error.to_string())
}

fn mount_spec(
    node: &Node,
    pod: &Pod,
    volume: &Volume,
    spec: &Spec,
    args: &MounterArgs,
) -> kubernetes_volume::Result<Row> {
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
        devices.mount_device(spec, &device, &path)?;
    }
    let mounter = plugin.new_mounter(spec, pod, &VolumeOptions::default())?;
    mounter.can_mount()?;
    mounter.set_up(args)?;
    let metadata = &pod.metadata;
    Ok(Row {
        pod: format!(
            "{}/{}",
            metadata.namespace.as_deref().unwrap_or_default(),
            metadata.name.as_deref().unwrap_or_default()
        ),
        volume: volume.name.clone(),
        plugin: plugin.plugin_name().to_owned(),
        path: mounter.path(),
        metrics: mounter.metrics().ok(),
    })
}

/// Says what a volume is that no plugin supports.
fn unmatched(volume: &Volume, spec: &Spec) -> String {
    if spec.is_kubelet_expandable() {
        let driver = spec.kubelet_expandable_plugin_name();
        return format!("the driver {driver:?} is not in the folder of --flex-volumes");
    }
    if spec.persistent_volume.is_some() {
        let name = spec.name();
        return format!("the PersistentVolume {name:?} is no hostPath, local or flexVolume");
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
        return "it has no source, such as emptyDir".to_owned();
    }
    format!(
        "it is {}; --help lists the volumes that can be mounted",
        sources.join(" and ")
    )
}

/// What mounters have to know of the Pod.
fn args(pod: &Pod) -> Result<MounterArgs, String> {
    let mut args = MounterArgs {
        fs_user: user(pod)?,
        ..MounterArgs::default()
    };
    let context = pod
        .spec
        .as_ref()
        .and_then(|spec| spec.security_context.as_ref());
    let Some(context) = context else {
        return Ok(args);
    };
    args.fs_group = id(context.fs_group, "fsGroup")?;
    args.fs_group_change_policy = match context.fs_group_change_policy.as_deref() {
        None => None,
        Some("Always") => Some(FsGroupChangePolicy::Always),
        Some("OnRootMismatch") => Some(FsGroupChangePolicy::OnRootMismatch),
        Some(other) => {
            return Err(format!(
                "fsGroupChangePolicy is {other:?}, and can be Always or OnRootMismatch"
            ));
        }
    };
    Ok(args)
}

/// The user of all containers, if it is one: the owner of tokens.
fn user(pod: &Pod) -> Result<Option<u32>, String> {
    let Some(spec) = &pod.spec else {
        return Ok(None);
    };
    let of_pod = spec
        .security_context
        .as_ref()
        .and_then(|context| context.run_as_user);
    let init = spec.init_containers.iter().flatten();
    let mut users = init.chain(&spec.containers).map(|container| {
        let own = container.security_context.as_ref();
        own.and_then(|context| context.run_as_user).or(of_pod)
    });
    let first = users.next().flatten();
    let all = users.all(|user| user == first);
    id(first.filter(|_| all), "runAsUser")
}

fn id(id: Option<i64>, field: &str) -> Result<Option<u32>, String> {
    id.map(|id| {
        u32::try_from(id)
            .ok()
            .filter(|id| *id != u32::MAX)
            .ok_or_else(|| format!("{field} is {id}, which is no number of a user or group"))
    })
    .transpose()
}
