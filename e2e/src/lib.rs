//! A Kubernetes control plane for tests: etcd and kube-apiserver, and kube-controller-manager
//! where it is wanted, each a process of its own on loopback.
//!
//! Which programs run is told as envtest does it: the environment variable `KUBEBUILDER_ASSETS`
//! names the folder that holds them. `cargo xtask e2e` sets it, and builds them where it has to.
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
//! However the test process ends, the servers and their folder go with it: see [`ControlPlane`].
//! All of this needs a Unix with a POSIX shell as `sh`.

mod assets;
mod builder;
mod control_plane;
mod credentials;
mod error;
mod keeper;
mod ports;
mod request;
mod server;
mod servers;

pub use builder::Builder;
pub use control_plane::ControlPlane;
pub use error::Error;
pub use request::{Answer, send, send_as};
