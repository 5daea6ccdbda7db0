//! The VolumeAttachments of a cluster.

use storage_v1::VolumeAttachment;

use crate::Result;

/// The VolumeAttachments of the cluster. A program implements it with a client of its API server,
/// or with a cache and a client.
pub trait VolumeAttachments: Send + Sync {
    /// Returns the VolumeAttachment of that name, or nothing if it doesn't exist.
    ///
    /// # Errors
    ///
    /// When that can't be found out.
    fn get(&self, name: &str) -> Result<Option<VolumeAttachment>>;

    /// Creates a VolumeAttachment. That one of this name exists is no error.
    ///
    /// # Errors
    ///
    /// When the API server refuses it.
    fn create(&self, attachment: &VolumeAttachment) -> Result<()>;

    /// Deletes a VolumeAttachment. That it doesn't exist is no error.
    ///
    /// # Errors
    ///
    /// When the API server refuses it.
    fn delete(&self, name: &str) -> Result<()>;
}
