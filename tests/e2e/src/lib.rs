//! A Kubernetes control plane for tests: etcd and kube-apiserver, and kube-controller-manager,
//! kube-scheduler and a kubelet on request, each a process of its own on loopback.
//!
//! As with envtest, the environment variable `KUBEBUILDER_ASSETS` names the folder of the
//! programs. `cargo xtask e2e` sets it, and builds the programs if necessary.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let server = e2e::ControlPlane::start().await?;
//! let version = server.client()?.apiserver_version().await?;
//! println!("{}", version.git_version);
//! # Ok(())
//! # }
//! ```
//!
//! Nothing runs containers. With a [kubelet](Builder::kubelet), Pods become Running and their
//! volumes are mounted. With [`VOLUME_CONTROLLERS`] and a [scheduler](Builder::scheduler) instead,
//! a claim is bound and a [Pod that uses it](pod_with_claim) is assigned to a [Node](add_node) as
//! in a cluster, and a provisioner sees the same as there. [`ControlPlane::object`] waits for what
//! becomes of an object.
//!
//! The servers and their folder are gone when the test process has ended, however it ends: see
//! [`ControlPlane`]. This needs a Unix with a POSIX shell as `sh`.

mod assets;
mod builder;
mod control_plane;
mod credentials;
mod error;
mod kubelet;
mod nodes;
mod ports;
mod request;
mod server;
mod servers;
mod wait;
mod watchdog;

pub use builder::Builder;
pub use control_plane::{ControlPlane, VOLUME_CONTROLLERS};
pub use error::Error;
pub use kubelet::{ContainerDevice, ContainerMount, CreatedContainer, Kubelet};
pub use nodes::{add_node, pod_with_claim};
pub use request::{Answer, send, send_as};
pub use wait::Awaited;
