//! Attaching volumes to nodes, by VolumeAttachments that the driver's controller sees.

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use storage_v1::{VolumeAttachment, VolumeAttachmentSource, VolumeAttachmentSpec, VolumeError};

use super::node::Node;
use super::paths::{SEPARATOR, attachment_name};
use super::source::Persistent;
use crate::interfaces::{Attacher, Detacher};
use crate::{Error, Result, Spec};

/// The time between two looks at a VolumeAttachment, at first and at most. Each is a twentieth
/// longer than the one before, as in Kubernetes.
const WAIT: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(7));

impl Attacher for Node {
    /// Creates the VolumeAttachment and waits for the driver's controller. The path is empty: the
    /// driver finds the device.
    fn attach(&self, spec: &Spec, node_name: &str) -> Result<PathBuf> {
        let source = Persistent::of(spec)?;
        let (driver, handle) = (&source.csi.driver, &source.csi.volume_handle);
        let name = attachment_name(handle, driver, node_name);
        let attachments = self.attachments()?;
        if attachments.get(&name)?.is_none() {
            let inline = spec.inline_volume_spec_for_csi_migration;
            let from = VolumeAttachmentSource {
                inline_volume_spec: inline.then(|| Box::new(source.spec.clone())),
                persistent_volume_name: (!inline).then(|| spec.name().to_owned()),
            };
            attachments.create(&VolumeAttachment {
                metadata: ObjectMeta {
                    name: Some(name.clone()),
                    ..ObjectMeta::default()
                },
                spec: VolumeAttachmentSpec::new(driver.as_str(), node_name, from),
                status: None,
            })?;
        }
        self.wait("attached", handle, || match attachments.get(&name)? {
            Some(attachment) => is_attached(&attachment, handle),
            // A cache may lag behind.
            None => Ok(false),
        })?;
        Ok(PathBuf::new())
    }

    /// Returns false for volumes that can't be asked for, as Kubernetes does.
    fn volumes_are_attached(&self, specs: &[Spec], node_name: &str) -> Result<Vec<bool>> {
        let attachments = self.attachments()?;
        let attached = |spec: &Spec| {
            let csi = Persistent::of(spec)?.csi;
            if !self.needs_attachment(&csi.driver)? {
                return Ok(true);
            }
            let name = attachment_name(&csi.volume_handle, &csi.driver, node_name);
            let found = attachments.get(&name)?;
            Ok::<_, Error>(
                found
                    .and_then(|found| found.status)
                    .is_some_and(|s| s.attached),
            )
        };
        Ok(specs
            .iter()
            .map(|spec| attached(spec).unwrap_or(false))
            .collect())
    }

    /// Returns the name of the VolumeAttachment if the volume is attached. It doesn't wait: the
    /// caller tries again.
    fn wait_for_attach(
        &self,
        spec: &Spec,
        _device_path: &Path,
        _pod: &Pod,
        _timeout: Duration,
    ) -> Result<PathBuf> {
        let csi = Persistent::of(spec)?.csi;
        let name = attachment_name(&csi.volume_handle, &csi.driver, &self.host.node_name());
        let found = self.attachments()?.get(&name)?.ok_or(Error::NotFound {
            kind: "volumeattachment",
            name: name.clone(),
        })?;
        if is_attached(&found, &csi.volume_handle)? {
            return Ok(PathBuf::from(name));
        }
        Err(Error::invalid(format!(
            "the volume {:?} is not attached, says the VolumeAttachment {name}",
            csi.volume_handle
        )))
    }
}

impl Detacher for Node {
    /// Deletes the VolumeAttachment and waits until it is gone.
    fn detach(&self, volume_name: &str, node_name: &str) -> Result<()> {
        let parts = volume_name.split_once(SEPARATOR);
        let parts = parts.filter(|(driver, handle)| !driver.is_empty() && !handle.is_empty());
        let (driver, handle) = parts.ok_or_else(|| {
            Error::invalid(format!(
                "the name {volume_name:?} of a volume is not DRIVER{SEPARATOR}HANDLE"
            ))
        })?;
        let name = attachment_name(handle, driver, node_name);
        let attachments = self.attachments()?;
        attachments.delete(&name)?;
        self.wait("detached", handle, || {
            let Some(attachment) = attachments.get(&name)? else {
                return Ok(true);
            };
            let status = attachment.status.unwrap_or_default();
            reported(status.detach_error, "detach", handle)?;
            Ok(false)
        })
    }
}

impl Node {
    fn wait(&self, state: &str, handle: &str, is: impl Fn() -> Result<bool>) -> Result<()> {
        let end = Instant::now() + self.attach_limit;
        let mut pause = WAIT.0;
        loop {
            if is()? {
                return Ok(());
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::invalid(format!(
                    "the volume {handle:?} was not {state} within {:?}",
                    self.attach_limit
                )));
            }
            sleep(pause.min(left));
            pause = (pause * 21 / 20).min(WAIT.1);
        }
    }
}

fn is_attached(attachment: &VolumeAttachment, handle: &str) -> Result<bool> {
    if attachment.metadata.deletion_timestamp.is_some() {
        return Err(Error::invalid(format!(
            "the VolumeAttachment of the volume {handle:?} is being deleted"
        )));
    }
    let Some(status) = &attachment.status else {
        return Ok(false);
    };
    if !status.attached {
        reported(status.attach_error.clone(), "attach", handle)?;
    }
    Ok(status.attached)
}

/// Returns the error that a driver's controller has reported.
fn reported(error: Option<VolumeError>, verb: &str, handle: &str) -> Result<()> {
    error.map_or(Ok(()), |error| {
        let message = error.message.unwrap_or_default();
        Err(Error::invalid(format!(
            "the driver can't {verb} the volume {handle:?}: {message}"
        )))
    })
}
