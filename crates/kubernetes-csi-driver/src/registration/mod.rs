//! Registration with the kubelet, which Go's drivers leave to the sidecar node-driver-registrar.

#[allow(missing_docs, unreachable_pub, clippy::all)]
mod v1;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::sleep;
use tonic::transport::Server;
use tonic::{Request, Response, Status, async_trait};
use tracing::{error, info, warn};

use crate::connection;
use crate::endpoint::{Access, Endpoint, Listener};
use crate::serve::{ServeError, after};
use crate::service::Services;

use v1::registration_server::{Registration, RegistrationServer};
use v1::{InfoRequest, PluginInfo, RegistrationStatus, RegistrationStatusResponse};

/// The version of CSI that drivers register: what the kubelet compares is the first number.
const VERSION: &str = "1.0.0";

/// The time between two looks for the socket: a kubelet that starts anew may have removed it.
const LOOK: Duration = Duration::from_secs(1);

/// The pause before a registration that failed is tried again, and for a kubelet that keeps its
/// connection.
const PAUSE: Duration = Duration::from_secs(5);

/// The sockets by which the kubelet finds a driver.
///
/// In a container, the two folders are usually mounted from the host: the first one as
/// `/registration`, the second one as `/csi`. The path of the driver's own socket is the one on the
/// host, as the kubelet sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubeletRegistration {
    folder: PathBuf,
    socket: PathBuf,
}

impl KubeletRegistration {
    /// Returns the registration of a driver at `socket`, as the kubelet sees that, by a socket in
    /// `folder`, as this process sees that: `/var/lib/kubelet/plugins_registry` on the host.
    pub fn new(folder: impl Into<PathBuf>, socket: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            socket: socket.into(),
        }
    }
}

impl Services {
    /// Registers the driver with the kubelet until `stop` is done, beside
    /// [`serve`](Self::serve), which has to be running: the kubelet calls `NodeGetInfo` at once.
    ///
    /// After a restart of the kubelet, the driver is registered again. If the kubelet refuses it,
    /// the reason is logged, and it is tried again some seconds later.
    ///
    /// # Errors
    ///
    /// When nobody can listen in the folder.
    pub async fn register(
        &self,
        registration: &KubeletRegistration,
        stop: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let path = registration.folder.join(socket_name(self.name()));
        let serve = async {
            loop {
                self.register_once(registration, &path).await?;
                sleep(PAUSE).await;
            }
        };
        tokio::select! {
            failed = serve => failed,
            () = stop => Ok(()),
        }
    }

    /// Serves the registration until its socket is gone, or the kubelet refuses the driver.
    async fn register_once(
        &self,
        registration: &KubeletRegistration,
        path: &Path,
    ) -> Result<(), ServeError> {
        let endpoint = Endpoint::Unix(path.to_owned());
        let listener = Listener::bind(&endpoint, Access::default()).await;
        let listener = listener.map_err(|source| ServeError::Listen { endpoint, source })?;
        let Listener::Unix(listener, Some(made)) = listener else {
            return Ok(());
        };
        let refused = Arc::new(Notify::new());
        let service = Registered {
            info: PluginInfo {
                r#type: "CSIPlugin".to_owned(),
                name: self.name().to_owned(),
                endpoint: registration.socket.display().to_string(),
                supported_versions: vec![VERSION.to_owned()],
            },
            refused: refused.clone(),
        };
        let gone = async {
            while made.is_there() {
                sleep(LOOK).await;
            }
            warn!(path = %path.display(), "the socket of the registration is gone; making it anew");
        };
        let ending = Notify::new();
        let end = async {
            tokio::select! {
                () = gone => {}
                () = refused.notified() => {}
            }
            ending.notify_one();
        };
        let served = Server::builder()
            .add_service(RegistrationServer::new(service))
            .serve_with_incoming_shutdown(connection::unix(listener), end);
        tokio::select! {
            served = served => Ok(served?),
            () = after(&ending, PAUSE) => Ok(()),
        }
    }
}

/// Returns the name of the socket at which a driver registers.
///
/// The kubelet sends the path of the socket as the authority of its requests, with `%2F` for each
/// slash. As the name of a host, hyper refuses that with `PROTOCOL_ERROR`; before an `@`, where the
/// name of a user is, it is allowed.
fn socket_name(driver: &str) -> String {
    format!("{driver}@reg.sock")
}

/// The service that the kubelet calls.
struct Registered {
    info: PluginInfo,
    refused: Arc<Notify>,
}

#[async_trait]
impl Registration for Registered {
    async fn get_info(&self, _: Request<InfoRequest>) -> Result<Response<PluginInfo>, Status> {
        Ok(Response::new(self.info.clone()))
    }

    async fn notify_registration_status(
        &self,
        status: Request<RegistrationStatus>,
    ) -> Result<Response<RegistrationStatusResponse>, Status> {
        let status = status.into_inner();
        let driver = &self.info.name;
        if status.plugin_registered {
            info!(driver, "registered with the kubelet");
        } else {
            error!(driver, "the kubelet refuses the driver: {}", status.error);
            self.refused.notify_one();
        }
        Ok(Response::new(RegistrationStatusResponse {}))
    }
}
