//! The trait that an author of storage implements.

use std::future::{Future, ready};
use std::sync::Arc;

use core_v1::PersistentVolume;

use crate::error::{BoxError, DeleteError, ProvisionError};
use crate::request::ProvisionRequest;
use crate::volume::Volume;

/// Creates and deletes the storage of volumes. The controller does the rest.
///
/// Methods are called by several workers at a time, but never twice at a time for one claim or
/// one volume.
///
/// # Calls are repeated
///
/// The controller keeps no state that survives its process. After a crash, a lost response or
/// a change of the leader it calls again, so both methods have to be idempotent:
///
/// * [`provision`](Self::provision) with a [`volume_name`](ProvisionRequest::volume_name) for
///   which storage exists returns that storage.
/// * [`delete`](Self::delete) of storage that is gone already returns `Ok`.
///
/// # Types
///
/// Volumes, claims and classes are those of `core_v1` and `storage_v1`, unless the trait is
/// implemented for another [`Volume`]:
///
/// ```
/// use k8s_openapi::api::core::v1::{HostPathVolumeSource, PersistentVolume};
/// use kubernetes_provisioner::{DeleteError, ProvisionError, ProvisionRequest, Provisioner};
///
/// struct Folders;
///
/// impl Provisioner<PersistentVolume> for Folders {
///     async fn provision(
///         &self,
///         request: &ProvisionRequest<PersistentVolume>,
///     ) -> Result<PersistentVolume, ProvisionError> {
///         let mut volume = request.volume();
///         volume.spec.get_or_insert_default().host_path = Some(HostPathVolumeSource {
///             path: format!("/srv/volumes/{}", request.volume_name),
///             type_: None,
///         });
///         Ok(volume)
///     }
///
///     async fn delete(&self, _volume: &PersistentVolume) -> Result<(), DeleteError> {
///         Ok(())
///     }
/// }
/// ```
///
/// # Cancellation, panics and timeouts
///
/// A future is dropped at an `await` when the process is no longer the leader, or when it has
/// to stop and the [drain timeout](crate::Builder::drain_timeout) is over. A panic is caught.
/// After a panic or a [timeout](crate::Builder::provision_timeout) nobody knows whether
/// provisioning goes on: both are treated as
/// [`InBackground`](ProvisionError::InBackground).
pub trait Provisioner<V: Volume = PersistentVolume>: Send + Sync + 'static {
    /// Creates storage and returns the volume that describes it, best made from
    /// [`ProvisionRequest::volume`].
    ///
    /// The controller adds the reference to the claim, the class, the annotation
    /// `pv.kubernetes.io/provisioned-by`, the finalizer, and the name and the reclaim policy
    /// where they are absent. A volume that the claim can't use is deleted again and reported:
    /// one with another name, less capacity than requested, without a requested access mode,
    /// with another volume mode, or with no source or several.
    fn provision(
        &self,
        request: &ProvisionRequest<V>,
    ) -> impl Future<Output = Result<V, ProvisionError>> + Send;

    /// Returns the name of the volume of a claim, or `None` for the
    /// [prefix](crate::Builder::volume_name_prefix), a hyphen and the UID of the claim, which is
    /// the default.
    ///
    /// It has to return the same name in each attempt and in each process, so it may use only what
    /// never changes: the UID, namespace and name of the claim. A name that isn't a DNS subdomain
    /// of at most 253 characters, and one that another claim or volume has, is an event
    /// `ProvisioningFailed`. A name without the UID can be that of a later claim too, which then
    /// gets storage that was kept of the earlier one.
    ///
    /// The volumes of [`unstored`](Self::unstored) have to name their claim then.
    fn volume_name(&self, claim: &V::Claim) -> Option<String> {
        let _ = claim;
        None
    }

    /// Deletes the storage of a volume. The controller deletes the PersistentVolume after that.
    fn delete(&self, volume: &V) -> impl Future<Output = Result<(), DeleteError>> + Send;

    /// Records that the volume of this name is stored: [`unstored`](Self::unstored) need not return
    /// it any more.
    ///
    /// Called again if that may have been missed. Does nothing by default.
    fn stored(&self, volume_name: &str) -> impl Future<Output = Result<(), BoxError>> + Send {
        let _ = volume_name;
        ready(Ok(()))
    }

    /// Returns the storage for which [`stored`](Self::stored) was not called yet, each as a volume
    /// with the [name of its request](ProvisionRequest::volume_name), the reclaim policy of its
    /// class, and what [`delete`](Self::delete) needs. If it isn't named after the UID of its
    /// claim, `spec.claimRef.uid` is that UID; [`ProvisionRequest::volume`] sets it.
    ///
    /// Without it, which is the default, storage can stay behind in one case: its claim is deleted
    /// after the call of [`provision`](Self::provision) and before the volume is stored, while the
    /// process is killed. Then nothing in the cluster names the storage, and only the storage
    /// system knows of it.
    ///
    /// The controller calls this when it begins to work, at each
    /// [resync](crate::Builder::resync_period), at least each minute while it returns storage whose
    /// claim exists without a volume, and when the selected node of a claim is gone. It deletes
    /// storage that has no volume, if its claim or that node is gone and its reclaim policy is
    /// `Delete`. Storage whose volume was stored once must never be returned again: an
    /// administrator may delete a retained volume, and its storage has to stay. If several clusters
    /// share the storage system, return the storage of this cluster only.
    fn unstored(&self) -> impl Future<Output = Result<Vec<V>, BoxError>> + Send {
        ready(Ok(Vec::new()))
    }

    /// Returns true if volumes can be raw block devices. Otherwise claims that ask for one are
    /// refused.
    fn supports_block(&self) -> bool {
        false
    }

    /// Returns true if a claim may be provisioned. The controller asks before it checks anything
    /// else, and leaves a refused claim alone until it changes.
    fn should_provision(&self, claim: &V::Claim) -> impl Future<Output = bool> + Send {
        let _ = claim;
        ready(true)
    }

    /// Returns true if a released volume may be deleted. The controller leaves a refused volume
    /// alone until it changes.
    fn should_delete(&self, volume: &V) -> impl Future<Output = bool> + Send {
        let _ = volume;
        ready(true)
    }
}

/// Lets programs keep a handle of their provisioner.
impl<V: Volume, P: Provisioner<V>> Provisioner<V> for Arc<P> {
    fn provision(
        &self,
        request: &ProvisionRequest<V>,
    ) -> impl Future<Output = Result<V, ProvisionError>> + Send {
        P::provision(self, request)
    }

    fn volume_name(&self, claim: &V::Claim) -> Option<String> {
        P::volume_name(self, claim)
    }

    fn delete(&self, volume: &V) -> impl Future<Output = Result<(), DeleteError>> + Send {
        P::delete(self, volume)
    }

    fn stored(&self, volume_name: &str) -> impl Future<Output = Result<(), BoxError>> + Send {
        P::stored(self, volume_name)
    }

    fn unstored(&self) -> impl Future<Output = Result<Vec<V>, BoxError>> + Send {
        P::unstored(self)
    }

    fn supports_block(&self) -> bool {
        P::supports_block(self)
    }

    fn should_provision(&self, claim: &V::Claim) -> impl Future<Output = bool> + Send {
        P::should_provision(self, claim)
    }

    fn should_delete(&self, volume: &V) -> impl Future<Output = bool> + Send {
        P::should_delete(self, volume)
    }
}
