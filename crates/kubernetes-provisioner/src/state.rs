//! The state of a controller, and the errors that end it.

use std::fmt;
use std::net::SocketAddr;

use kubernetes_controller_utils::leaderelection::{ConfigError, Loss};

/// The reason why a controller stopped by itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Another process may be the leader now. The process should end, and be started again.
    #[error("the controller stopped because it is no longer the leader")]
    LeadershipLost(#[from] Loss),
    /// The options of the election are invalid.
    #[error("can't start the leader election")]
    Election(#[from] ConfigError),
    /// The server for metrics and health can't listen.
    #[error("the server for metrics and health can't listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The reason.
        source: std::io::Error,
    },
    /// A stream that was given to the builder ended.
    #[error("the stream of {0} ended; it must not end while the controller runs")]
    StreamEnded(&'static str),
}

/// The state of a controller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RunState {
    /// It has not been started.
    #[default]
    Idle,
    /// It waits for the leadership.
    Standby,
    /// It reads all claims, volumes and classes.
    Syncing,
    /// It provisions and deletes volumes.
    Running,
    /// It ends its work in hand.
    Stopping,
    /// It has ended.
    Stopped,
}

impl RunState {
    /// Returns true if the process should be kept, as for `/healthz`.
    #[must_use]
    pub fn is_healthy(self) -> bool {
        self != Self::Stopped
    }

    /// Returns true if the controller works or waits for the leadership, as for `/readyz`.
    #[must_use]
    pub fn is_ready(self) -> bool {
        matches!(self, Self::Running | Self::Standby)
    }
}

impl fmt::Display for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Idle => "idle",
            Self::Standby => "waiting for the leadership",
            Self::Syncing => "reading claims, volumes and classes",
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Stopped => "stopped",
        })
    }
}
