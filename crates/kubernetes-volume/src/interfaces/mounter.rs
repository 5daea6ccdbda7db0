//! Mounting for a Pod, and making and deleting volumes.

use std::path::{Path, PathBuf};

use k8s_openapi::api::core::v1::{Node, PersistentVolume, TopologySelectorTerm};
use kubernetes_mount::metrics::MetricsProvider;

use crate::{Attributes, MounterArgs, Result};

/// A directory that a Pod or a host uses. All operations can be repeated.
pub trait Volume: MetricsProvider + Send + Sync {
    /// Returns where the volume is mounted for the Pod.
    fn path(&self) -> PathBuf;
}

/// Mounts a volume.
pub trait Mounter: Volume {
    /// Checks that the node has what mounting needs, such as a program.
    ///
    /// # Errors
    ///
    /// When something is missing; then mounting is not attempted.
    fn can_mount(&self) -> Result<()> {
        Ok(())
    }

    /// Mounts the volume at its [`path`](Volume::path). Can be repeated.
    ///
    /// # Errors
    ///
    /// When it can't be mounted; see [`Error`](crate::Error) for the classes.
    fn set_up(&self, args: &MounterArgs) -> Result<()> {
        self.set_up_at(&self.path(), args)
    }

    /// Mounts the volume at a directory, which is made if it doesn't exist. Can be repeated.
    ///
    /// # Errors
    ///
    /// When it can't be mounted; see [`Error`](crate::Error) for the classes.
    fn set_up_at(&self, dir: &Path, args: &MounterArgs) -> Result<()>;

    /// Returns the attributes of the mounted volume.
    fn attributes(&self) -> Attributes;
}

/// Unmounts a volume and removes what mounting has left.
pub trait Unmounter: Volume {
    /// Unmounts the volume from its [`path`](Volume::path). Can be repeated.
    ///
    /// # Errors
    ///
    /// When something of it is still there.
    fn tear_down(&self) -> Result<()> {
        self.tear_down_at(&self.path())
    }

    /// Unmounts the volume from a directory. Can be repeated.
    ///
    /// # Errors
    ///
    /// When something of it is still there.
    fn tear_down_at(&self, dir: &Path) -> Result<()>;
}

/// Makes a volume in a storage system.
pub trait VolumeProvisioner: Send + Sync {
    /// Makes the volume and returns its PersistentVolume. Blocks until it is made.
    ///
    /// # Errors
    ///
    /// When it can't be made.
    fn provision(
        &self,
        selected_node: Option<&Node>,
        allowed_topologies: &[TopologySelectorTerm],
    ) -> Result<PersistentVolume>;
}

/// Deletes a volume in its storage system.
pub trait Deleter: Volume {
    /// Deletes the volume. Blocks until it is deleted.
    ///
    /// # Errors
    ///
    /// [`Error::InUse`](crate::Error::InUse) if it can't be deleted yet, which is reported as no
    /// failure; otherwise why it failed.
    fn delete(&self) -> Result<()>;
}
