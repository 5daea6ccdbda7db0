//! Mounts the volumes of Pods.

use std::path::PathBuf;
use std::time::Duration;

use k8s_openapi::api::core::v1::{Pod, Volume};
use kubernetes_volume::interfaces::VolumeHost;
use kubernetes_volume::manager::FindError;
use kubernetes_volume::ownership::FsGroupChangePolicy;
use kubernetes_volume::{Error, MounterArgs, Spec, VolumeOptions};

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
    pub(crate) errors: Errors,
}

/// Mounts all volumes of all Pods.
pub(crate) fn mount_all(node: &Node) -> Mounted {
    let objects = node.objects();
    let mut mounted = Mounted::default();
    for from in objects.pods.values() {
        mount(node, &objects, from, &mut mounted);
    }
    mounted
}

/// Mounts all volumes of a Pod, the others even if one fails.
fn mount(node: &Node, objects: &Objects, from: &PodFrom, mounted: &mut Mounted) {
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
            Err("duplicate volume name".to_owned())
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

/// Describes a volume that no plugin supports.
fn unmatched(volume: &Volume, spec: &Spec) -> String {
    if spec.is_kubelet_expandable() {
        let driver = spec.kubelet_expandable_plugin_name();
        return format!("driver {driver:?} not found in the folder of --flex-volumes");
    }
    if spec.persistent_volume.is_some() {
        let name = spec.name();
        return format!("persistentvolume {name:?} must be hostPath, local or flexVolume");
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

/// Returns the user of all containers if they have the same one, who owns tokens.
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
            .ok_or_else(|| format!("{field}: Invalid value: {id}: must be a user or group ID"))
    })
    .transpose()
}
