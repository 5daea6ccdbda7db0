//! A Kubernetes control plane for tests: etcd and kube-apiserver, and kube-controller-manager
//! on request, each a process of its own on loopback.
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
//! The servers and their folder are gone when the test process has ended, however it ends: see
//! [`ControlPlane`]. This needs a Unix with a POSIX shell as `sh`.

mod assets;
mod builder;
mod control_plane;
mod credentials;
mod error;
mod ports;
mod request;
mod server;
mod servers;
mod watchdog;

pub use builder::Builder;
pub use control_plane::ControlPlane;
pub use error::Error;
pub use request::{Answer, send, send_as};
