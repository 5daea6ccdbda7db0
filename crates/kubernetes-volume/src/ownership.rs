//! `fsGroup` of a volume that a plugin has mounted.

use std::path::Path;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ObjectReference;
pub use kubernetes_mount::ownership::{Applied, FsGroupChangePolicy, Ownership};

use crate::Result;
use crate::interfaces::{Event, EventRecorder, EventType, Mounter};

/// Gives the files of a mounted volume to a group, as its Pod asks for (`SetVolumeOwnership`).
/// Without a group nothing is done.
///
/// # Errors
///
/// As [`Ownership::apply`].
pub fn set_volume_ownership(
    mounter: &dyn Mounter,
    dir: &Path,
    fs_group: Option<u32>,
    policy: Option<FsGroupChangePolicy>,
) -> Result<Applied> {
    let Some(group) = fs_group else {
        return Ok(Applied::default());
    };
    let read_only = mounter.attributes().read_only;
    let applied = Ownership::new(group)
        .policy(policy.unwrap_or_default())
        .read_only(read_only)
        .apply(dir)?;
    Ok(applied)
}

/// Returns a [report](Ownership::report) that records an event of the Pod,
/// `VolumePermissionChangeInProgress`.
pub fn progress_events(
    pod: ObjectReference,
    volume: &str,
    recorder: Arc<dyn EventRecorder>,
) -> impl FnMut(u64) + Send + 'static {
    let volume = volume.to_owned();
    move |files| recorder.record(in_progress(&pod, &volume, files))
}

fn in_progress(pod: &ObjectReference, volume: &str, files: u64) -> Event {
    Event {
        object: pod.clone(),
        event_type: EventType::Warning,
        reason: "VolumePermissionChangeInProgress".to_owned(),
        message: format!(
            "the files of volume {volume:?} are being given to the group, {files} so far; \
             fsGroupChangePolicy OnRootMismatch avoids that if they have it already"
        ),
    }
}
