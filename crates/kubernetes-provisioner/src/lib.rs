//! The provision controller of Kubernetes: implement [`provision`](Provisioner::provision) and
//! [`delete`](Provisioner::delete) for your storage, and [`Controller`] does the rest, as
//! sig-storage-lib-external-provisioner does for Go.
//!
//! ```no_run
//! use core_v1::{HostPathVolumeSource, PersistentVolume};
//! use kubernetes_provisioner::{
//!     Controller, DeleteError, ProvisionError, ProvisionRequest, Provisioner,
//! };
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
//!         let source = HostPathVolumeSource::new(path);
//!         volume.spec.get_or_insert_default().host_path = Some(source.into());
//!         Ok(volume)
//!     }
//!
//!     async fn delete(&self, volume: &PersistentVolume) -> Result<(), DeleteError> {
//!         let spec = volume.spec.as_ref();
//!         let Some(source) = spec.and_then(|spec| spec.host_path.as_ref()) else {
//!             return Err(DeleteError::ignored("not a folder of this node"));
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
//! | item | purpose |
//! |---|---|
//! | [`Provisioner`] | the trait to implement, for our types of volumes or those of k8s-openapi |
//! | [`ProvisionRequest`], [`ProvisionError`], [`DeleteError`] | its arguments and errors |
//! | [`Controller`], [`Builder`] | the controller and its options |
//! | [`Metrics`], [`RunState`], [`RunError`] | observing a controller |
//! | [`prometheus_client`] | the library of metrics, for a registry that programs share |
//! | [`names`] | annotations and finalizers |
//!
//! The feature `http`, on by default, has a server for metrics and health.
//!
//! The controller watches claims, volumes and classes. Workers take claims by their UID and volumes
//! by their name from two [work queues](kubernetes_controller_utils::workqueue). Of several
//! replicas only the [leader](kubernetes_controller_utils::leaderelection) works.
//!
//! # Formats
//!
//! Claims, volumes and classes are read and written in Kubernetes' protobuf, by
//! [`kubernetes_protobuf`]. A server that refuses that gets JSON, and the choice is kept until the
//! process ends. Patches, reviews of permissions, Leases, nodes and events are always JSON; so is a
//! claim whose node is unselected, which is written back whole, so that the fields of a newer
//! server stay. Streams that the [builder](Builder::claims) is given are read by your program, in
//! any format.
//!
//! # Which claims
//!
//! A claim is provisioned if it has no volume, is not being deleted, its annotation
//! `volume.kubernetes.io/storage-provisioner` (or the older
//! `volume.beta.kubernetes.io/storage-provisioner`) is the controller's name or an additional
//! one, [`should_provision`](Provisioner::should_provision) agrees, and the provisioner of its
//! class is one of these names too. If the class waits for the first consumer, the scheduler has
//! to have selected a node.
//!
//! # Which volumes
//!
//! The storage of a volume is deleted if its phase is `Released`, its reclaim policy is
//! `Delete`, [it is this controller's](Ownership), and
//! [`should_delete`](Provisioner::should_delete) agrees.
//!
//! # After errors
//!
//! A claim or volume that failed waits 15 s, twice as long after each further failure, and 1000 s
//! at most. After 15 retries it is given up until it is changed or the process is started again.
//!
//! It is tried at once, as if it had never failed, when something that matters changes:
//!
//! | of a | change |
//! |---|---|
//! | claim | its specification, class or selected node, or an [annotation](Builder::claim_annotations) that the provisioner reads |
//! | class | it is new or replaced, or anything but its metadata changes |
//! | volume | its specification, finalizers or phase, or its deletion begins; a claim waits for its name and it goes |
//!
//! Labels and other annotations don't matter, so that controllers that write them cause no calls.
//!
//! # What a crash leaves
//!
//! All state of the controller is in the API server. If the process ends, or loses the leadership
//! or an answer, this is left and happens next:
//!
#![doc = include_str!("crashes.md")]
//!
//! Within one process, a claim that is deleted while its provisioning
//! [goes on in the background](ProvisionError::InBackground) is provisioned until that ends, and
//! its volume is stored, which the control plane then releases.
//!
//! Before the storage of a volume that could not be stored is deleted, the controller makes sure
//! that no such volume exists: an attempt without an answer may have created it. Storage whose
//! volume exists for another claim is never deleted.
//!
//! # Permissions
//!
//! | group | resource | verbs |
//! |---|---|---|
//! | | persistentvolumes | get, list, watch, create, patch, delete |
//! | | persistentvolumeclaims | get, list, watch, update |
//! | storage.k8s.io | storageclasses | list, watch |
//! | | nodes | get, unless [nodes are not read](Builder::read_selected_node) |
//! | | events | create, patch |
//! | coordination.k8s.io | leases | get, create, update, in the namespace of the lease |
//!
//! The controller logs missing permissions when it begins to work.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod abandoned;
mod adapter;
mod affinity;
mod api;
mod attempts;
mod backlog;
mod builder;
mod cache;
mod calls;
mod check;
mod controller;
mod delete;
mod error;
mod events;
mod fingerprint;
#[cfg(feature = "http")]
mod http;
mod metrics;
pub mod names;
mod options;
mod parts;
mod permissions;
mod prepare;
mod provision;
mod provisioner;
mod reports;
mod request;
mod rules;
mod state;
mod store;
mod streams;
mod unsaved;
mod volume;
mod watch;
mod work;

pub use builder::Builder;
pub use controller::Controller;
pub use error::{BoxError, DeleteError, ProvisionError};
pub use metrics::Metrics;
pub use options::{Backoff, BuildError};
/// The library of metrics, in the version of [`Metrics::register`] and
/// [`Builder::metrics_registry`].
pub use prometheus_client;
pub use provisioner::Provisioner;
pub use request::ProvisionRequest;
pub use rules::Ownership;
pub use state::{RunError, RunState};
pub use streams::WatchItem;
pub use volume::{Claim, Volume};

/// The example of the README is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
