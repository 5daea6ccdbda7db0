//! `fsGroup` of volumes.

use std::path::Path;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{ObjectReference, Pod};

use super::names;
use crate::interfaces::{Event, EventRecorder, EventType, VolumeHost};
use crate::ownership::{FsGroupChangePolicy, Ownership, progress_events};

/// Gives the files of a volume to a group, and records an event of the Pod if that takes long.
#[derive(Clone)]
pub(crate) struct Owner {
    pod: ObjectReference,
    volume: String,
    recorder: Option<Arc<dyn EventRecorder>>,
}

impl Owner {
    pub(crate) fn new(host: &dyn VolumeHost, pod: &Pod, volume: &str) -> Self {
        let pod = ObjectReference {
            api_version: Some("v1".to_owned()),
            kind: Some("Pod".to_owned()),
            namespace: Some(names::pod_namespace(pod).to_owned()),
            name: pod.metadata.name.clone(),
            uid: pod.metadata.uid.clone(),
            ..ObjectReference::default()
        };
        Self {
            pod,
            volume: volume.to_owned(),
            recorder: host.event_recorder(),
        }
    }

    /// Records a warning of the Pod.
    pub(crate) fn warn(&self, reason: &str, message: String) {
        if let Some(recorder) = &self.recorder {
            recorder.record(Event {
                object: self.pod.clone(),
                event_type: EventType::Warning,
                reason: reason.to_owned(),
                message,
            });
        }
    }

    /// Gives a directory to a group, if there is one.
    pub(crate) fn give(
        &self,
        dir: &Path,
        group: Option<u32>,
        policy: Option<FsGroupChangePolicy>,
        read_only: bool,
    ) -> kubernetes_mount::Result<()> {
        let Some(group) = group else { return Ok(()) };
        let ownership = Ownership::new(group)
            .policy(policy.unwrap_or_default())
            .read_only(read_only);
        let ownership = match &self.recorder {
            Some(recorder) => {
                let events = progress_events(self.pod.clone(), &self.volume, recorder.clone());
                ownership.report(events)
            }
            None => ownership,
        };
        ownership.apply(dir).map(drop)
    }
}
