//! A running control plane.

use std::path::{Path, PathBuf};

use kube::{Client, Config};
use tokio::sync::OnceCell;

use crate::servers::Servers;
use crate::{Builder, Error};

/// The name of the kubeconfig in the folder of a control plane.
pub(crate) const KUBECONFIG: &str = "kubeconfig";

/// A control plane of this test process.
///
/// It stops, and its folder is removed, when it is dropped, as it is when a test panics; and also
/// when the test process ends without dropping it: by Ctrl-C, by any other signal, or because it
/// is [shared](Self::shared). A watchdog process waits for the test process to end and then kills
/// the servers. Servers are left behind only if the watchdog itself is killed first.
pub struct ControlPlane {
    servers: Servers,
    config: Config,
}

impl ControlPlane {
    /// Starts a control plane with all alpha and beta APIs and features enabled.
    ///
    /// # Errors
    ///
    /// When a program is missing or a server isn't ready in time; the error has the last lines of
    /// the server's log.
    pub async fn start() -> Result<Self, Error> {
        Self::builder().start().await
    }

    /// Returns a builder for a control plane with other options.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Returns the control plane that all tests of this process share; the first call starts it.
    /// Tests that use it give their objects names of their own.
    ///
    /// # Errors
    ///
    /// As for [`start`](Self::start); it is not tried again.
    pub async fn shared() -> Result<&'static Self, Error> {
        // Nothing in a static is ever dropped: the end of the process stops it.
        static SHARED: OnceCell<Result<ControlPlane, Error>> = OnceCell::const_new();
        SHARED.get_or_init(Self::start).await.as_ref().map_err(Clone::clone)
    }

    pub(crate) fn new(servers: Servers, config: Config) -> Self {
        Self { servers, config }
    }

    /// Returns a client of the administrator. It belongs to the runtime of the caller, so each test
    /// needs its own.
    ///
    /// # Errors
    ///
    /// Those of kube's constructor; none is known.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, as kube's constructor does.
    pub fn client(&self) -> kube::Result<Client> {
        Client::try_from(self.config.clone())
    }

    /// Returns the configuration of the client: the address, the certificate to trust and the token.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the kubeconfig of the administrator, for other programs: `KUBECONFIG`, `--kubeconfig`.
    #[must_use]
    pub fn kubeconfig(&self) -> PathBuf {
        self.folder().join(KUBECONFIG)
    }

    /// Returns the folder of this control plane, with the servers' logs and the kubeconfig.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.servers.folder()
    }
}
