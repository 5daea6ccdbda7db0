//! Calls of the provisioner. A panic, or a call that takes too long, ends that call only.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use futures::FutureExt;
use tracing::warn;

use crate::error::{BoxError, DeleteError, ProvisionError, report};
use crate::options::Settings;
use crate::provisioner::Provisioner;
use crate::request::ProvisionRequest;

/// An error of a call that did not return.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Abnormal {
    #[error("the provisioner panicked: {0}")]
    Panic(String),
    #[error("the provisioner did not return within {0:?}")]
    Timeout(Duration),
}

/// The provisioner, and the time limits of its calls.
pub(crate) struct Calls<P> {
    provisioner: P,
    provision_timeout: Option<Duration>,
    delete_timeout: Option<Duration>,
}

impl<P: Provisioner> Calls<P> {
    pub(crate) fn new(provisioner: P, settings: &Settings) -> Self {
        Self {
            provisioner,
            provision_timeout: settings.provision_timeout,
            delete_timeout: settings.delete_timeout,
        }
    }

    pub(crate) async fn provision(
        &self,
        request: &ProvisionRequest,
    ) -> Result<PersistentVolume, ProvisionError> {
        let call = async { self.provisioner.provision(request).await };
        limited(call, self.provision_timeout)
            .await
            .unwrap_or_else(|error| Err(ProvisionError::in_background(error)))
    }

    /// Returns the name that the provisioner gives to the volume of a claim.
    pub(crate) async fn volume_name(
        &self,
        claim: &PersistentVolumeClaim,
    ) -> Result<Option<String>, Abnormal> {
        limited(async { self.provisioner.volume_name(claim) }, None).await
    }

    pub(crate) async fn delete(&self, volume: &PersistentVolume) -> Result<(), DeleteError> {
        let call = async { self.provisioner.delete(volume).await };
        limited(call, self.delete_timeout)
            .await
            .unwrap_or_else(|error| Err(DeleteError::failed(error)))
    }

    /// Reports to the provisioner that a volume is stored. An error is only logged: the next
    /// listing has the volume again.
    pub(crate) async fn confirm(&self, name: &str) {
        let call = async { self.provisioner.stored(name).await };
        let result = limited(call, self.provision_timeout).await;
        if let Err(error) = result.unwrap_or_else(|error| Err(error.into())) {
            let error = report(&*error);
            warn!(
                volume = name,
                error, "the provisioner failed to record that the volume is stored"
            );
        }
    }

    pub(crate) async fn unstored(&self) -> Result<Vec<PersistentVolume>, BoxError> {
        let call = async { self.provisioner.unstored().await };
        limited(call, self.provision_timeout).await?
    }

    pub(crate) fn supports_block(&self) -> bool {
        self.provisioner.supports_block()
    }

    pub(crate) async fn should_provision(
        &self,
        claim: &PersistentVolumeClaim,
    ) -> Result<bool, Abnormal> {
        let call = async { self.provisioner.should_provision(claim).await };
        limited(call, self.provision_timeout).await
    }

    pub(crate) async fn should_delete(&self, volume: &PersistentVolume) -> Result<bool, Abnormal> {
        let call = async { self.provisioner.should_delete(volume).await };
        limited(call, self.delete_timeout).await
    }
}

/// Awaits a call, catches its panic, and drops it after the timeout.
async fn limited<T>(
    call: impl Future<Output = T>,
    timeout: Option<Duration>,
) -> Result<T, Abnormal> {
    let caught = AssertUnwindSafe(call).catch_unwind();
    let result = match timeout {
        Some(timeout) => tokio::time::timeout(timeout, caught)
            .await
            .map_err(|_| Abnormal::Timeout(timeout))?,
        None => caught.await,
    };
    result.map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Abnormal::Panic(text.unwrap_or_else(|| "no message".to_owned()))
    })
}
