//! A running control plane.

use std::path::Path;

use kube::{Client, Config};
use tokio::sync::OnceCell;

use crate::servers::Servers;
use crate::{Builder, Error};

/// A control plane of this test process.
///
/// It stops, and its folder is removed, when it is dropped, as it is when a test panics; and also
/// when the test process ends without dropping it: by Ctrl-C, by any other signal, or because it
/// is [shared](Self::shared). A process of its own sees to that, which knows the servers and
/// waits for the test process to end. Only who kills that one first leaves servers behind.
pub struct ControlPlane {
    servers: Servers,
    config: Config,
}

impl ControlPlane {
    /// Starts one with every alpha and beta API and feature on.
    ///
    /// # Errors
    ///
    /// Where the programs are not there, or no server is ready in time; the error has the last
    /// lines that the server wrote.
    pub async fn start() -> Result<Self, Error> {
        Self::builder().start().await
    }

    /// For one that is different.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The one that all tests of this process share, started when it is first asked for. Tests
    /// that use it give their objects names of their own.
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

    /// A client of the administrator. It belongs to the runtime of the caller, so each test asks
    /// for its own.
    ///
    /// # Errors
    ///
    /// None that is known; they are those of kube's constructor.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, as kube's constructor does.
    pub fn client(&self) -> kube::Result<Client> {
        Client::try_from(self.config.clone())
    }

    /// What the client is made of: the address, the certificate to trust and the token.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The folder of this control plane, with the servers' logs and a `kubeconfig`.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.servers.folder()
    }
}
