//! What the parts of the plugin share: the driver of a volume, its CSIDriver object, secrets.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{Pod, SecretReference};
use kubernetes_mount::mount::Mount;
use storage_v1::{CSIDriver, CSIDriverSpec, VolumeLifecycleMode};

use super::attachments::VolumeAttachments;
use super::paths::attachment_name;
use super::{CsiError, DriversStore, NodeCapability, NodeClient, Secrets};
use crate::interfaces::VolumeHost;
use crate::plugins::CSI;
use crate::plugins::shared::names;
use crate::{Error, Result};

/// The plugin on the node of a host.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) host: Arc<dyn VolumeHost>,
    pub(super) drivers: Arc<DriversStore>,
    pub(super) attachments: Option<Arc<dyn VolumeAttachments>>,
    pub(super) attach_limit: Duration,
}

/// A registered driver, whose errors become those of this crate.
pub(super) struct Driver {
    pub(super) name: String,
    pub(super) client: Arc<dyn NodeClient>,
}

impl Node {
    pub(super) fn mounter(&self) -> Arc<dyn Mount> {
        self.host.mounter(CSI)
    }

    /// Returns a registered driver. One that isn't may be on its way, as after a restart of the
    /// node.
    pub(super) fn driver(&self, name: &str) -> Result<Driver> {
        match self.drivers.get(name) {
            Some(driver) => Ok(Driver {
                name: name.to_owned(),
                client: driver.client,
            }),
            None => {
                let error = Error::invalid(format!(
                    "the CSI driver {name:?} is not registered on this node"
                ));
                Err(error.transient())
            }
        }
    }

    /// Returns the spec of the CSIDriver object. A driver need not have one.
    pub(super) fn csi_driver(&self, name: &str) -> Result<Option<CSIDriverSpec>> {
        let kubelet = self
            .host
            .as_kubelet()
            .ok_or_else(|| Error::NotSupported("reading CSIDrivers".to_owned()))?;
        kubelet.wait_for_cache_sync()?;
        let found: Option<Arc<CSIDriver>> = kubelet.csi_driver_lister().get(name);
        Ok(found.map(|driver| driver.spec.clone()))
    }

    /// Returns true unless the driver says that its volumes need not be attached.
    pub(super) fn needs_attachment(&self, driver: &str) -> Result<bool> {
        let spec = self.csi_driver(driver)?;
        Ok(spec.is_none_or(|spec| spec.attach_required != Some(false)))
    }

    /// Returns what attaching the volume to this node has answered. Every error is transient: an
    /// attachment may be on its way.
    pub(super) fn publish_context(
        &self,
        driver: &str,
        handle: &str,
    ) -> Result<BTreeMap<String, String>> {
        let read = || {
            if !self.needs_attachment(driver)? {
                return Ok(BTreeMap::new());
            }
            let name = attachment_name(handle, driver, &self.host.node_name());
            let attachment = self.attachments()?.get(&name)?.ok_or(Error::NotFound {
                kind: "volumeattachment",
                name,
            })?;
            let status = attachment.status.unwrap_or_default();
            Ok(status.attachment_metadata.unwrap_or_default())
        };
        read().map_err(Error::transient)
    }

    pub(super) fn attachments(&self) -> Result<&dyn VolumeAttachments> {
        self.attachments.as_deref().ok_or_else(|| {
            Error::NotSupported("reading VolumeAttachments, which the plugin was not given".into())
        })
    }

    /// Returns the content of a Secret, or nothing if there is no reference. Every error is
    /// transient: the Secret may be on its way.
    pub(super) fn secrets(&self, reference: Option<&SecretReference>) -> Result<Secrets> {
        let Some(reference) = reference else {
            return Ok(Secrets::default());
        };
        let namespace = reference.namespace.as_deref().unwrap_or_default();
        let name = reference.name.as_deref().unwrap_or_default();
        let secret = self
            .host
            .secret(namespace, name)
            .map_err(Error::transient)?;
        let mut secrets = BTreeMap::new();
        for (key, value) in secret.data.iter().flatten() {
            let value = String::from_utf8(value.0.clone()).map_err(|_| {
                Error::invalid(format!(
                    "the key {key:?} of the secret {namespace}/{name} is not UTF-8, which CSI wants"
                ))
                .transient()
            })?;
            secrets.insert(key.clone(), value);
        }
        Ok(Secrets(secrets))
    }
}

impl Driver {
    /// Returns the capabilities. Nothing has happened if that fails.
    pub(super) fn capabilities(&self) -> Result<Vec<NodeCapability>> {
        let answer = self.client.node_get_capabilities();
        answer.map_err(|error| self.error("NodeGetCapabilities", error).transient())
    }

    /// Gives the error of a call that mounts or grows its class.
    pub(super) fn done<T>(
        &self,
        call: &'static str,
        answer: std::result::Result<T, CsiError>,
    ) -> Result<T> {
        answer.map_err(|error| {
            let is_final = error.is_final();
            let error = self.error(call, error);
            if is_final { error } else { error.uncertain() }
        })
    }

    /// Gives the error of a call that unmounts. The caller repeats it whatever the error is.
    pub(super) fn undone(
        &self,
        call: &'static str,
        answer: std::result::Result<(), CsiError>,
    ) -> Result<()> {
        answer.map_err(|error| self.error(call, error))
    }

    fn error(&self, call: &'static str, source: CsiError) -> Error {
        Error::Csi {
            driver: self.name.clone(),
            call,
            source,
        }
    }
}

/// Adds facts about the Pod to the attributes of a volume, if the driver wants them.
pub(super) fn add_pod_info(
    context: &mut BTreeMap<String, String>,
    csi_driver: Option<&CSIDriverSpec>,
    pod: &Pod,
    mode: &VolumeLifecycleMode,
) {
    if csi_driver.and_then(|spec| spec.pod_info_on_mount) != Some(true) {
        return;
    }
    let account = pod
        .spec
        .as_ref()
        .and_then(|spec| spec.service_account_name.clone());
    let ephemeral = *mode == VolumeLifecycleMode::Ephemeral;
    let facts = [
        ("pod.name", pod.metadata.name.clone().unwrap_or_default()),
        ("pod.namespace", names::pod_namespace(pod).to_owned()),
        ("pod.uid", pod.metadata.uid.clone().unwrap_or_default()),
        ("serviceAccount.name", account.unwrap_or_default()),
        ("ephemeral", ephemeral.to_string()),
    ];
    context.extend(facts.map(|(key, value)| (format!("csi.storage.k8s.io/{key}"), value)));
}
