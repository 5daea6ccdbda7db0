//! Mount points of other volumes inside of one that is read-only in its containers.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use k8s_openapi::api::core::v1::Pod;

use crate::interfaces::VolumeHost;
use crate::{Error, Result};

/// Makes the directories at which the Pod's containers mount other volumes inside of this one: a
/// runtime can't, because containers see the volume read-only.
pub(crate) fn make_mount_points(
    host: &dyn VolumeHost,
    pod: &Pod,
    volume_name: &str,
    dir: &Path,
) -> Result<()> {
    for inside in mount_points(pod, volume_name)? {
        host.subpather().safe_make_dir(&inside, dir, 0o755)?;
    }
    Ok(())
}

/// The paths inside of the volume, without those inside of another of them.
fn mount_points(pod: &Pod, volume_name: &str) -> Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let Some(spec) = &pod.spec else {
        return Ok(found);
    };
    let init = spec.init_containers.iter().flatten();
    for container in init.chain(&spec.containers) {
        let mounts = || container.volume_mounts.iter().flatten();
        for own in mounts().filter(|mount| mount.name == volume_name) {
            let own = Path::new(&own.mount_path);
            let mut inside: Vec<PathBuf> = mounts()
                .filter_map(|other| Path::new(&other.mount_path).strip_prefix(own).ok())
                .filter(|path| !path.as_os_str().is_empty())
                .map(Path::to_owned)
                .collect();
            inside.sort();
            for path in inside {
                if path
                    .components()
                    .any(|part| !matches!(part, Component::Normal(_)))
                {
                    return Err(Error::invalid(format!(
                        "the mount path {} of the container {:?} has `..`",
                        own.join(&path).display(),
                        container.name
                    )));
                }
                // Mount points inside of another volume are made there.
                if !found.iter().any(|above| path.starts_with(above)) {
                    found.insert(path);
                }
            }
        }
    }
    Ok(found)
}
