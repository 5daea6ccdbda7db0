//! A server at a socket in a temporary folder.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kubernetes_csi_driver::{Endpoint, ServeError, Services};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tonic::transport::Channel;

/// A driver that is served.
pub(crate) struct Server {
    folder: TempDir,
    pub(crate) channel: Channel,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<Result<(), ServeError>>,
}

impl Server {
    pub(crate) async fn of(services: Services) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("csi.sock");
        let (stop, stopped) = oneshot::channel();
        let endpoint = Endpoint::Unix(path.clone());
        let served = async move {
            let stopped = async { drop(stopped.await) };
            services.serve(&endpoint, stopped).await
        };
        let served = tokio::spawn(served);
        ready(&path).await;
        Self {
            channel: channel(&path),
            folder,
            stop: Some(stop),
            served,
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("csi.sock")
    }

    /// Tells the server to stop, and doesn't wait for that.
    pub(crate) fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.served.is_finished()
    }

    /// Waits until the server has stopped.
    pub(crate) async fn ended(&mut self) {
        let served = timeout(Duration::from_secs(120), &mut self.served);
        let served = served.await.expect("the server doesn't stop");
        served.unwrap().unwrap();
    }
}

/// Waits for a socket.
pub(crate) async fn ready(path: &Path) {
    for _ in 0..10_000 {
        if path.exists() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("nothing is at {}", path.display());
}

/// Returns a channel that connects to a socket when it is used.
pub(crate) fn channel(path: &Path) -> Channel {
    let uri = format!("unix://{}", path.display());
    let endpoint = tonic::transport::Endpoint::from_shared(uri).unwrap();
    endpoint.connect_lazy()
}
