//! The provision controller of Kubernetes: an author of storage writes
//! [`provision`](Provisioner::provision) and [`delete`](Provisioner::delete), and [`Controller`]
//! does the rest, as sig-storage-lib-external-provisioner does for Go.
//!
//! ```no_run
//! use core_v1::{HostPathVolumeSource, PersistentVolume};
//! use kubernetes_provisioner::{Controller, DeleteError, ProvisionError, ProvisionRequest, Provisioner};
//! use tokio_util::sync::CancellationToken;
//!
//! struct Folders;
//!
//! impl Provisioner for Folders {
//!     async fn provision(
//!         &self,
//!         request: &ProvisionRequest,
//!     ) -> Result<PersistentVolume, ProvisionError> {
//!         let path = format!("/srv/volumes/{}", request.volume_name);
//!         // Not an error if it exists: calls are repeated.
//!         std::fs::create_dir_all(&path).map_err(ProvisionError::failed)?;
//!         let mut volume = request.volume();
//!         volume.spec.get_or_insert_default().host_path = Some(HostPathVolumeSource::new(path));
//!         Ok(volume)
//!     }
//!
//!     async fn delete(&self, volume: &PersistentVolume) -> Result<(), DeleteError> {
//!         let spec = volume.spec.as_ref();
//!         let Some(source) = spec.and_then(|spec| spec.host_path.as_ref()) else {
//!             return Err(DeleteError::ignored("it is no folder of this node"));
//!         };
//!         match std::fs::remove_dir_all(&source.path) {
//!             Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
//!                 Err(DeleteError::failed(error))
//!             }
//!             _ => Ok(()),
//!         }
//!     }
//! }
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = kube::Client::try_default().await?;
//! let stop = CancellationToken::new(); // Cancelled by the handler of SIGTERM.
//! Controller::builder(client, "example.com/folders", Folders)
//!     .threadiness(8)
//!     .metrics_port(8080)
//!     .build()?
//!     .run(stop)
//!     .await?;
//! # Ok(())
//! # }
//! ```
//!
//! | module | what it has |
//! |---|---|
//! | [`controller`] | the controller: rules, options, what happens after a crash |
//! | [`queue`] | a queue of work with delays and limits |
//! | [`election`] | leader election by a Lease |
//! | `testing`, with the feature `testing` | an API server in the process, with faults on demand |
//!
//! Features:
//!
//! * `http`, on by default: a server for metrics and health.
//! * `testing`: an API server for tests.

pub mod controller;
pub mod election;
mod lock;
pub mod queue;
#[cfg(feature = "testing")]
pub mod testing;

#[doc(inline)]
pub use controller::{
    Backoff, BuildError, Builder, Controller, DeleteError, ProvisionError, ProvisionRequest,
    Provisioner, RunError, RunState,
};

/// The example of the README is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
