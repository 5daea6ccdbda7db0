//! The Pod that empties a volume.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Pod, Volume};
use kubernetes_kinds::quantity::Amount;

use crate::interfaces::EventRecorder;
use crate::recycler::{persistent_volume_recycler_pod_template, timeout};
use crate::{Error, Result, Spec, VolumeConfig};

/// Runs a Pod to its end.
pub(crate) type RunPod = Arc<dyn Fn(&Pod, &dyn EventRecorder) -> Result<()> + Send + Sync>;

/// How the volumes of a plugin are emptied.
pub(crate) struct Recycler {
    pub(crate) config: VolumeConfig,
    pub(crate) run: Option<RunPod>,
}

impl Recycler {
    pub(crate) fn new(config: VolumeConfig) -> Self {
        Self { config, run: None }
    }

    /// Empties what the volume is.
    pub(crate) fn recycle(
        &self,
        pv_name: &str,
        spec: &Spec,
        volume: Volume,
        recorder: &dyn EventRecorder,
    ) -> Result<()> {
        let pod = pod(&self.config, pv_name, volume, spec)?;
        match &self.run {
            Some(run) => run(&pod, recorder),
            None => Err(Error::NotSupported(format!(
                "emptying the volume {pv_name:?} without a cluster"
            ))),
        }
    }
}

/// Returns the Pod of the configuration with the volume and the time that it gets.
///
/// Its name follows from that of the PersistentVolume: whoever creates it a second time, after a
/// restart, gets the error that it exists, and waits for the first one.
fn pod(config: &VolumeConfig, pv_name: &str, source: Volume, spec: &Spec) -> Result<Pod> {
    let template = config.recycler_pod_template.as_ref();
    let mut pod = template.map_or_else(persistent_volume_recycler_pod_template, |pod| {
        Pod::clone(pod)
    });
    pod.metadata.name = Some(format!("recycler-for-{pv_name}"));
    pod.metadata.generate_name = None;
    let pod_spec = pod.spec.get_or_insert_default();
    let Some(volume) = pod_spec
        .volumes
        .as_mut()
        .and_then(|volumes| volumes.first_mut())
    else {
        return Err(Error::invalid(format!(
            "the Pod that empties the PersistentVolume {pv_name:?} has no volume to put it at"
        )));
    };
    *volume = Volume {
        name: volume.name.clone(),
        ..source
    };
    pod_spec.active_deadline_seconds = Some(seconds(config, spec));
    Ok(pod)
}

/// Returns the timeout of the Pod. A volume without capacity gets the minimum.
fn seconds(config: &VolumeConfig, spec: &Spec) -> i64 {
    let volume = spec
        .persistent_volume
        .as_ref()
        .and_then(|volume| volume.spec.as_ref());
    let capacity = volume.and_then(|volume| volume.capacity.as_ref()?.get("storage"));
    let bytes = capacity.and_then(|size| Amount::try_from(size).ok()?.to_i64());
    let bytes = bytes
        .and_then(|bytes| u64::try_from(bytes).ok())
        .unwrap_or_default();
    i64::try_from(timeout(config, bytes)).unwrap_or(i64::MAX)
}
