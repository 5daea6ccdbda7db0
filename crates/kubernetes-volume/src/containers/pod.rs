//! The fields that containers of all kinds have in common.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{EnvFromSource, EnvVar, Pod, VolumeMount};

/// The members of a container that say what it sees of volumes.
pub(super) struct Part<'a> {
    pub(super) name: &'a str,
    pub(super) volume_mounts: &'a [VolumeMount],
    pub(super) devices: Vec<&'a str>,
    run_as_user: Option<i64>,
    pub(super) env: &'a [EnvVar],
    pub(super) env_from: &'a [EnvFromSource],
}

/// Returns all containers of a Pod: init containers, containers, and ephemeral ones.
pub(super) fn parts(pod: &Pod) -> impl Iterator<Item = Part<'_>> {
    /// The kinds are types without a common trait.
    macro_rules! part {
        ($container:expr) => {
            Part {
                name: &$container.name,
                volume_mounts: $container.volume_mounts.as_deref().unwrap_or_default(),
                devices: ($container.volume_devices.iter().flatten())
                    .map(|device| device.name.as_str())
                    .collect(),
                run_as_user: ($container.security_context.as_ref())
                    .and_then(|context| context.run_as_user),
                env: $container.env.as_deref().unwrap_or_default(),
                env_from: $container.env_from.as_deref().unwrap_or_default(),
            }
        };
    }
    let spec = pod.spec.iter();
    spec.flat_map(|spec| {
        let init = spec.init_containers.iter().flatten();
        let ephemeral = spec.ephemeral_containers.iter().flatten();
        init.chain(&spec.containers)
            .map(|container| part!(container))
            .chain(ephemeral.map(|container| part!(container)))
    })
}

/// Returns the user of all containers if they have the same one (`runAsUser`), who owns the tokens
/// of the Pod: [`MounterArgs::fs_user`](crate::MounterArgs::fs_user).
#[must_use]
pub fn fs_user(pod: &Pod) -> Option<i64> {
    let context = pod.spec.as_ref()?.security_context.as_ref();
    let of_pod = context.and_then(|context| context.run_as_user);
    let mut users = parts(pod).map(|part| part.run_as_user.or(of_pod));
    let first = users.next()?;
    first.filter(|_| users.all(|user| user == first))
}

/// Returns the names of all containers of a Pod in the order in which a kubelet starts them: init
/// containers, containers, and ephemeral ones.
pub fn container_names(pod: &Pod) -> impl Iterator<Item = &str> {
    parts(pod).map(|part| part.name)
}

/// Returns the names of the volumes that a container mounts, or has as a device. A kubelet mounts
/// no others.
#[must_use]
pub fn used_volumes(pod: &Pod) -> BTreeSet<&str> {
    let mut used = BTreeSet::new();
    for part in parts(pod) {
        used.extend(part.volume_mounts.iter().map(|mount| mount.name.as_str()));
        used.extend(part.devices);
    }
    used
}
