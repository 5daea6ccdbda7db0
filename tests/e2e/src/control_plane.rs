//! A running control plane.

use std::path::{Path, PathBuf};

use kube::{Client, Config};
use rustix::process::Signal;

use crate::servers::Servers;
use crate::{Error, Kubelet};

/// The controllers of kube-controller-manager that work on volumes: one binds claims to volumes,
/// asks provisioners for them and releases them, the others keep what is in use from being deleted.
///
/// They are what [`Builder::controllers`](crate::Builder::controllers) takes.
pub const VOLUME_CONTROLLERS: [&str; 3] = [
    "persistentvolume-binder-controller",
    "persistentvolume-protection-controller",
    "persistentvolumeclaim-protection-controller",
];

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
    kubelet: Option<Kubelet>,
}

impl ControlPlane {
    pub(crate) fn new(servers: Servers, config: Config, kubelet: Option<Kubelet>) -> Self {
        Self {
            servers,
            config,
            kubelet,
        }
    }

    /// Returns the kubelet, if there is [one](crate::Builder::kubelet).
    #[must_use]
    pub fn kubelet(&self) -> Option<&Kubelet> {
        self.kubelet.as_ref()
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

    /// Returns the configuration of the client: the address, the certificate to trust and the
    /// token.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the kubeconfig of the administrator, for other programs: `KUBECONFIG`,
    /// `--kubeconfig`.
    #[must_use]
    pub fn kubeconfig(&self) -> PathBuf {
        self.folder().join(KUBECONFIG)
    }

    /// Returns the folder of this control plane, with the servers' logs and the kubeconfig.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.servers.folder()
    }

    /// Returns the id of the process of a server, such as `kube-apiserver`, for what only `/proc`
    /// says.
    #[must_use]
    pub fn process(&self, name: &str) -> Option<u32> {
        self.servers.process(name)
    }

    /// Returns the last lines of every server's log, for the message of a test that fails.
    #[must_use]
    pub fn logs(&self) -> String {
        self.servers.logs()
    }

    /// Starts a program in the kubelet's mount namespace, as one of the servers, which has the name
    /// of its file. It sees what the kubelet mounts, and the kubelet sees what it mounts.
    ///
    /// # Errors
    ///
    /// When there is no kubelet, or no program can be started.
    pub fn start_on_node(&mut self, program: &Path, arguments: &[String]) -> Result<(), Error> {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let words = [&[program.display().to_string()], arguments].concat();
        let kubelet = self.kubelet.as_ref();
        let kubelet = kubelet.ok_or_else(|| Error::new("there is no kubelet"))?;
        let started = self.servers.start_by(&name, &kubelet.inside(&words));
        started.map(|_| ())
    }

    /// Starts the kubelet again, after it was [ended](Self::end): with what is mounted, and with
    /// the containers that run. The Node is as the earlier one left it until the new one changes
    /// it.
    ///
    /// # Errors
    ///
    /// When there was no kubelet, or it can't be started.
    pub fn start_kubelet_again(&mut self) -> Result<(), Error> {
        let kubelet = self.kubelet.as_ref();
        let kubelet = kubelet.ok_or_else(|| Error::new("there is no kubelet"))?;
        kubelet.run(&mut self.servers)
    }

    /// Ends a server, such as `kubelet`, by a signal, and waits until it has ended.
    ///
    /// # Errors
    ///
    /// When no such server is running, or it doesn't end in time.
    pub fn end(&mut self, name: &str, signal: Signal) -> Result<(), Error> {
        self.servers.end(name, signal)
    }

    /// Returns an error if a server has ended by itself, with the last lines of its log.
    ///
    /// # Errors
    ///
    /// See above.
    pub fn check(&self) -> Result<(), Error> {
        self.servers.check()
    }
}
