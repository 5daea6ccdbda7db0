//! Mount points of other volumes inside of one that is read-only in its containers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use k8s_openapi::api::core::v1::Pod;
use kubernetes_mount::mount::clean_path;

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

/// The paths inside of the volume. Mount points inside of another volume are made there, but only
/// if the same container has that one too.
fn mount_points(pod: &Pod, volume_name: &str) -> Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let Some(spec) = &pod.spec else {
        return Ok(found);
    };
    let init = spec.init_containers.iter().flatten();
    for container in init.chain(&spec.containers) {
        let mounts = container.volume_mounts.iter().flatten();
        // As a runtime uses the paths.
        let mounts: Vec<_> = mounts
            .map(|mount| (clean_path(Path::new(&mount.mount_path)), mount))
            .collect();
        for (own, mount) in mounts.iter().filter(|(_, m)| m.name == volume_name) {
            let own = own.as_ref().ok_or_else(|| {
                Error::invalid(format!(
                    "the mount path {} of the container {:?} begins with `..`",
                    mount.mount_path, container.name
                ))
            })?;
            let inside: BTreeSet<_> = mounts
                .iter()
                .filter_map(|(path, _)| path.as_ref()?.strip_prefix(own).ok())
                .filter(|path| !path.as_os_str().is_empty())
                .collect();
            let is_nested = |path: &Path| path.ancestors().skip(1).any(|up| inside.contains(up));
            let outermost = inside.iter().filter(|path| !is_nested(path));
            found.extend(outermost.map(|path| path.to_path_buf()));
        }
    }
    Ok(found)
}
