//! Options of a control plane, and its start.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use http::Method;
use kube::{Client, Config};
use serde_json::json;
use tokio::sync::OnceCell;
use tokio::time::{Instant, sleep, timeout};

use crate::assets::Assets;
use crate::control_plane::KUBECONFIG;
use crate::credentials::Credentials;
use crate::kubelet::{self, Kubelet};
use crate::ports::Ports;
use crate::servers::Servers;
use crate::{ControlPlane, Error, request};

const APISERVER: &str = "kube-apiserver";
const MANAGER: &str = "kube-controller-manager";
const SCHEDULER: &str = "kube-scheduler";

/// The number of attempts with other ports when another process has taken one.
const ATTEMPTS: usize = 5;

/// The time that a server may take to answer a readiness request.
const PATIENCE: Duration = Duration::from_secs(2);

/// Options of a control plane.
///
/// ```no_run
/// # async fn example() -> Result<(), e2e::Error> {
/// let server = e2e::ControlPlane::builder()
///     .feature_gate("MutableCSINodeAllocatableCount", false)
///     .controllers(e2e::VOLUME_CONTROLLERS)
///     .scheduler()
///     .start()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Builder {
    assets: Option<PathBuf>,
    defaults_only: bool,
    gates: Vec<String>,
    flags: Vec<String>,
    controllers: Vec<String>,
    scheduler: bool,
    kubelet: bool,
    ready_within: Duration,
}

/// The programs of a control plane.
struct Programs {
    etcd: PathBuf,
    apiserver: PathBuf,
    manager: Option<PathBuf>,
    scheduler: Option<PathBuf>,
    kubelet: Option<kubelet::Programs>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            assets: None,
            defaults_only: false,
            gates: Vec::new(),
            flags: Vec::new(),
            controllers: Vec::new(),
            scheduler: false,
            kubelet: false,
            ready_within: Duration::from_secs(60),
        }
    }
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
        SHARED
            .get_or_init(Self::start)
            .await
            .as_ref()
            .map_err(Clone::clone)
    }
}

impl Builder {
    /// The folder of the programs, instead of the one that `KUBEBUILDER_ASSETS` names.
    pub fn assets(mut self, folder: impl Into<PathBuf>) -> Self {
        self.assets = Some(folder.into());
        self
    }

    /// Keeps Kubernetes' defaults for alpha and beta APIs and features.
    pub fn defaults_only(mut self) -> Self {
        self.defaults_only = true;
        self
    }

    /// Enables or disables one feature.
    pub fn feature_gate(mut self, name: &str, on: bool) -> Self {
        self.gates.push(format!("{name}={on}"));
        self
    }

    /// Adds a flag of kube-apiserver, such as `--v=4`. If a flag is given twice, the server takes
    /// the last.
    pub fn apiserver_flag(mut self, flag: impl Into<String>) -> Self {
        self.flags.push(flag.into());
        self
    }

    /// Runs kube-controller-manager with these controllers, such as [`VOLUME_CONTROLLERS`].
    ///
    /// [`VOLUME_CONTROLLERS`]: crate::VOLUME_CONTROLLERS
    pub fn controllers(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.controllers.extend(names.into_iter().map(Into::into));
        self
    }

    /// Runs kube-scheduler, which assigns Pods to Nodes and selects the Node of a claim whose
    /// StorageClass waits for the first consumer. [`add_node`](crate::add_node) adds Nodes.
    pub fn scheduler(mut self) -> Self {
        self.scheduler = true;
        self
    }

    /// Runs a kubelet, whose Node is ready when the control plane is: see [`Kubelet`].
    pub fn kubelet(mut self) -> Self {
        self.kubelet = true;
        self
    }

    /// Sets how long the servers may take until they are ready; 60 s by default.
    pub fn ready_within(mut self, limit: Duration) -> Self {
        self.ready_within = limit;
        self
    }

    /// Starts the servers and waits until they are ready.
    ///
    /// # Errors
    ///
    /// When a program is missing, ends, or isn't ready in time; the error has the last lines of its
    /// log.
    pub async fn start(&self) -> Result<ControlPlane, Error> {
        let mut attempt = 1;
        loop {
            match self.attempt().await {
                Err(error) if error.port_taken && attempt < ATTEMPTS => attempt += 1,
                result => return result,
            }
        }
    }

    async fn attempt(&self) -> Result<ControlPlane, Error> {
        let programs = self.programs()?;
        let ports = Ports::free()?;
        let mut servers = Servers::new()?;
        let credentials = Credentials::make(servers.folder())?;
        let config = credentials.config(&url(ports.apiserver))?;
        let kubeconfig = servers.folder().join(KUBECONFIG);
        fs::write(&kubeconfig, credentials.kubeconfig(&url(ports.apiserver)))
            .map_err(|e| Error::because("write a kubeconfig", &e))?;

        let deadline = Instant::now() + self.ready_within;
        servers.start(&programs.etcd, &etcd_flags(&servers, ports))?;
        let flags = self.apiserver_flags(&servers, &credentials, ports);
        servers.start(&programs.apiserver, &flags)?;
        self.wait(&servers, APISERVER, "/readyz", &config, deadline)
            .await?;
        // All start at the same time.
        if let Some(manager) = &programs.manager {
            let flags = self.manager_flags(&kubeconfig, &credentials, ports);
            servers.start(manager, &flags)?;
        }
        if let Some(scheduler) = &programs.scheduler {
            let flags = self.scheduler_flags(&kubeconfig, &credentials, ports)?;
            servers.start(scheduler, &flags)?;
        }
        let kubelet = programs.kubelet.as_ref().map(|programs| {
            let (port, gates) = (ports.kubelet, self.gate_flag());
            Kubelet::start(
                programs,
                &mut servers,
                &credentials,
                &kubeconfig,
                port,
                gates,
            )
        });
        let kubelet = kubelet.transpose()?;
        if programs.manager.is_some() {
            let config = credentials.config(&url(ports.manager))?;
            self.wait(&servers, MANAGER, "/healthz", &config, deadline)
                .await?;
        }
        if programs.scheduler.is_some() {
            let config = credentials.config(&url(ports.scheduler))?;
            self.wait(&servers, SCHEDULER, "/readyz", &config, deadline)
                .await?;
        }
        if kubelet.is_some() {
            kubelet::wait_for_node(&config, &servers, deadline).await?;
        }
        Ok(ControlPlane::new(servers, config, kubelet))
    }

    /// Finds the programs, if this machine can run them.
    fn programs(&self) -> Result<Programs, Error> {
        if self.kubelet {
            kubelet::check_machine()?;
        }
        let assets = Assets::find(self.assets.as_deref())?;
        let wanted = |is_wanted: bool, name| is_wanted.then(|| assets.program(name)).transpose();
        let kubelet = self.kubelet.then(|| kubelet::Programs::find(&assets));
        Ok(Programs {
            etcd: assets.program("etcd")?,
            apiserver: assets.program(APISERVER)?,
            manager: wanted(!self.controllers.is_empty(), MANAGER)?,
            scheduler: wanted(self.scheduler, SCHEDULER)?,
            kubelet: kubelet.transpose()?,
        })
    }

    /// Waits until a server says that it is ready.
    async fn wait(
        &self,
        servers: &Servers,
        name: &str,
        path: &str,
        config: &Config,
        deadline: Instant,
    ) -> Result<(), Error> {
        let mut config = config.clone();
        // The server isn't ready as long as it refuses.
        config.default_retry = false;
        let client = Client::try_from(config).map_err(|e| Error::because("make a client", &e))?;
        loop {
            let answer = request::send(&client, Method::GET, path, None);
            let said = match timeout(PATIENCE, answer).await {
                Ok(Ok(answer)) if answer.is_success() => return servers.check(),
                Ok(Ok(answer)) => format!("{} {}", answer.status, answer.body),
                Ok(Err(error)) => error.to_string(),
                Err(_) => "nothing".to_owned(),
            };
            servers.check()?;
            if Instant::now() >= deadline {
                return Err(Error::new(format!(
                    "{name} is not ready after {:?}, it says: {said}; {}",
                    self.ready_within,
                    servers.last_lines(name)
                )));
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    fn apiserver_flags(
        &self,
        servers: &Servers,
        credentials: &Credentials,
        ports: Ports,
    ) -> Vec<String> {
        let key = credentials.key.display();
        let mut flags = serving_flags(credentials, ports.apiserver);
        flags.extend([
            format!("--etcd-servers=http://127.0.0.1:{}", ports.etcd_clients),
            format!("--cert-dir={}", servers.folder().display()),
            format!(
                "--service-account-key-file={}",
                credentials.public_key.display()
            ),
            format!("--service-account-signing-key-file={key}"),
            "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
            format!("--token-auth-file={}", credentials.tokens.display()),
            "--authorization-mode=RBAC".to_owned(),
            "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
            // Pods then need no service account, which a controller would have to make.
            "--disable-admission-plugins=ServiceAccount".to_owned(),
        ]);
        if !self.defaults_only {
            flags.push("--runtime-config=api/all=true".to_owned());
        }
        flags.extend(self.gate_flag());
        flags.extend(self.flags.iter().cloned());
        flags
    }

    fn manager_flags(
        &self,
        kubeconfig: &Path,
        credentials: &Credentials,
        ports: Ports,
    ) -> Vec<String> {
        let mut flags = serving_flags(credentials, ports.manager);
        flags.extend([
            format!("--kubeconfig={}", kubeconfig.display()),
            format!("--controllers={}", self.controllers.join(",")),
            "--leader-elect=false".to_owned(),
            // By default it is slower than what is tested: 20 requests a second.
            "--kube-api-qps=1000".to_owned(),
            "--kube-api-burst=1000".to_owned(),
        ]);
        flags.extend(self.gate_flag());
        flags
    }

    /// Returns the scheduler's flags, and writes its configuration for what has no flag.
    fn scheduler_flags(
        &self,
        kubeconfig: &Path,
        credentials: &Credentials,
        ports: Ports,
    ) -> Result<Vec<String>, Error> {
        let config = json!({
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "clientConnection": {"kubeconfig": kubeconfig},
            "leaderElection": {"leaderElect": false},
            // A Pod that didn't fit is tried again after a second, however often.
            "podInitialBackoffSeconds": 1,
            "podMaxBackoffSeconds": 1,
        });
        let path = kubeconfig.with_file_name("scheduler.config");
        fs::write(&path, format!("{config:#}\n"))
            .map_err(|e| Error::because("write the scheduler's configuration", &e))?;
        let mut flags = serving_flags(credentials, ports.scheduler);
        flags.push(format!("--config={}", path.display()));
        flags.extend(self.gate_flag());
        Ok(flags)
    }

    /// The features of every server.
    fn gate_flag(&self) -> Option<String> {
        let all = ["AllAlpha=true", "AllBeta=true"].map(str::to_owned);
        let all = all.into_iter().filter(|_| !self.defaults_only);
        let gates: Vec<_> = all.chain(self.gates.iter().cloned()).collect();
        (!gates.is_empty()).then(|| format!("--feature-gates={}", gates.join(",")))
    }
}

/// The address of a server of Kubernetes.
fn url(port: u16) -> String {
    format!("https://127.0.0.1:{port}")
}

/// Flags of every server of Kubernetes. Only kube-apiserver knows the administrator's token; the
/// others answer nobody but those who ask for their health, which needs none.
fn serving_flags(credentials: &Credentials, port: u16) -> Vec<String> {
    vec![
        "--bind-address=127.0.0.1".to_owned(),
        format!("--secure-port={port}"),
        format!("--tls-cert-file={}", credentials.certificate.display()),
        format!("--tls-private-key-file={}", credentials.key.display()),
    ]
}

fn etcd_flags(servers: &Servers, ports: Ports) -> Vec<String> {
    let client = format!("http://127.0.0.1:{}", ports.etcd_clients);
    let peer = format!("http://127.0.0.1:{}", ports.etcd_peers);
    vec![
        format!("--data-dir={}", servers.folder().join("etcd").display()),
        format!("--listen-client-urls={client}"),
        format!("--advertise-client-urls={client}"),
        format!("--listen-peer-urls={peer}"),
        format!("--initial-advertise-peer-urls={peer}"),
        format!("--initial-cluster=default={peer}"),
        // The data need not outlive the machine.
        "--unsafe-no-fsync".to_owned(),
        "--log-level=warn".to_owned(),
    ]
}
