//! Serves a driver at a socket.

use std::io;
use std::time::Duration;

use futures::FutureExt;
use thiserror::Error;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;
use tokio::time::sleep;
use tonic::transport::Server;
use tracing::{info, warn};

use crate::connection;
use crate::endpoint::{Access, Endpoint, Listener};
use crate::service::Services;

/// The time that calls under way have to end when the driver stops.
const DRAIN: Duration = Duration::from_secs(30);

/// The reason for which a driver can't be served.
#[derive(Debug, Error)]
pub enum ServeError {
    /// Nobody can listen at the endpoint.
    #[error("can't listen at {endpoint}")]
    Listen {
        /// The endpoint.
        endpoint: Endpoint,
        /// The reason.
        source: io::Error,
    },
    /// The server of gRPC failed.
    #[error("the server of gRPC failed")]
    Transport(#[from] tonic::transport::Error),
    /// The server for metrics and health failed.
    #[cfg(feature = "http")]
    #[error("the server for metrics and health failed")]
    Http(#[source] io::Error),
}

/// Returns what is done when the process gets SIGTERM, which the kubelet sends to end a Pod, or
/// SIGINT: a `stop` for [`Services::serve`] and all that runs beside it. From now on, these signals
/// don't end the process by themselves.
///
/// # Errors
///
/// When the process can't wait for signals.
///
/// # Panics
///
/// Outside of a runtime of Tokio, or in one without IO.
pub fn stop_signal() -> io::Result<impl Future<Output = ()> + Clone + Send + Unpin> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let received = async move {
        let name = tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
        };
        info!("{name}: stopping");
    };
    Ok(received.boxed().shared())
}

impl Services {
    /// Serves the driver at an endpoint until `stop` is done. Then no more calls are accepted, and
    /// those under way have half a minute to end.
    ///
    /// A socket that an earlier process has left is replaced. Only the user of the process may
    /// connect; [`serve_with`](Self::serve_with) has other choices.
    ///
    /// # Errors
    ///
    /// When nobody can listen there, such as because another process does.
    pub async fn serve(
        &self,
        endpoint: &Endpoint,
        stop: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        self.serve_with(endpoint, Access::default(), stop).await
    }

    /// Serves the driver as [`serve`](Self::serve) does, at a socket that others may connect to.
    ///
    /// # Errors
    ///
    /// As [`serve`](Self::serve).
    pub async fn serve_with(
        &self,
        endpoint: &Endpoint,
        access: Access,
        stop: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let listener = Listener::bind(endpoint, access).await;
        let listener = listener.map_err(|source| ServeError::Listen {
            endpoint: endpoint.clone(),
            source,
        })?;
        info!(driver = self.name(), %endpoint, "listening");
        let server = Server::builder();
        #[cfg(feature = "http")]
        let server = server.layer(self.metrics());
        let mut server = server;
        let router = server
            .add_service(self.identity())
            .add_optional_service(self.controller())
            .add_optional_service(self.group_controller())
            .add_optional_service(self.snapshot_metadata())
            .add_optional_service(self.node());
        let stopping = Notify::new();
        let stop = async {
            stop.await;
            stopping.notify_one();
        };
        // What is made is removed when it is dropped.
        let (incoming, _made) = match listener {
            Listener::Unix(listener, made) => (connection::unix(listener), made),
            Listener::Tcp(listener) => (connection::tcp(listener), None),
        };
        let served = async {
            router.serve_with_incoming_shutdown(incoming, stop).await?;
            self.calls.drained().await;
            Ok::<_, ServeError>(())
        };
        tokio::select! {
            served = served => served?,
            () = after(&stopping, DRAIN) => {
                warn!("stopped with {} calls under way", self.calls.count());
            }
        }
        info!(driver = self.name(), "stopped");
        Ok(())
    }
}

/// Waits until a server is stopping, and then for a time: a connection that its peer keeps without
/// an end keeps the server, too.
pub(crate) async fn after(stopping: &Notify, time: Duration) {
    stopping.notified().await;
    sleep(time).await;
}
