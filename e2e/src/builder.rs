//! Options of a control plane, and its start.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use http::Method;
use kube::Client;
use tokio::time::{Instant, sleep, timeout};

use crate::assets::Assets;
use crate::control_plane::KUBECONFIG;
use crate::credentials::Credentials;
use crate::servers::Servers;
use crate::{ControlPlane, Error, ports, request};

/// How often other ports are tried when another process has taken one.
const ATTEMPTS: usize = 5;

/// How long a server may take to answer a readiness request.
const PATIENCE: Duration = Duration::from_secs(2);

/// Options of a control plane.
///
/// ```no_run
/// # async fn example() -> Result<(), e2e::Error> {
/// let server = e2e::ControlPlane::builder()
///     .feature_gate("MutableCSINodeAllocatableCount", false)
///     .controllers(["persistentvolume-binder-controller"])
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
    ready_within: Duration,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            assets: None,
            defaults_only: false,
            gates: Vec::new(),
            flags: Vec::new(),
            controllers: Vec::new(),
            ready_within: Duration::from_secs(60),
        }
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

    /// Runs kube-controller-manager with these controllers.
    pub fn controllers(
        mut self,
        names: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.controllers.extend(names.into_iter().map(Into::into));
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
        let assets = Assets::find(self.assets.as_deref())?;
        let etcd = assets.program("etcd")?;
        let apiserver = assets.program("kube-apiserver")?;
        let manager = (!self.controllers.is_empty())
            .then(|| assets.program("kube-controller-manager"))
            .transpose()?;
        let ports = ports::free()?;
        let mut servers = Servers::new()?;
        let credentials = Credentials::make(servers.folder())?;
        let [_, _, port] = ports;
        let url = format!("https://127.0.0.1:{port}");
        let config = credentials.config(&url)?;
        let kubeconfig = servers.folder().join(KUBECONFIG);
        fs::write(&kubeconfig, credentials.kubeconfig(&url))
            .map_err(|e| Error::because("write a kubeconfig", &e))?;

        let deadline = Instant::now() + self.ready_within;
        servers.start(&etcd, &etcd_flags(&servers, ports))?;
        let flags = self.apiserver_flags(&servers, &credentials, ports);
        servers.start(&apiserver, &flags)?;
        self.wait(&mut servers, &config, deadline).await?;
        if let Some(manager) = manager {
            let flags = self.manager_flags(&kubeconfig.display().to_string());
            servers.start(&manager, &flags)?;
        }
        Ok(ControlPlane::new(servers, config))
    }

    /// Waits until kube-apiserver says that it is ready.
    async fn wait(
        &self,
        servers: &mut Servers,
        config: &kube::Config,
        deadline: Instant,
    ) -> Result<(), Error> {
        let mut config = config.clone();
        // The server isn't ready as long as it refuses.
        config.default_retry = false;
        let client =
            Client::try_from(config).map_err(|e| Error::because("make a client", &e))?;
        loop {
            let answer = request::send(&client, Method::GET, "/readyz", None);
            let said = match timeout(PATIENCE, answer).await {
                Ok(Ok(answer)) if answer.is_success() => return servers.check(),
                Ok(Ok(answer)) => format!("{} {}", answer.status, answer.body),
                Ok(Err(error)) => error.to_string(),
                Err(_) => "nothing".to_owned(),
            };
            servers.check()?;
            if Instant::now() >= deadline {
                return Err(Error::new(format!(
                    "kube-apiserver is not ready after {:?}, it says: {said}; {}",
                    self.ready_within,
                    servers.last_lines()
                )));
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    fn apiserver_flags(
        &self,
        servers: &Servers,
        credentials: &Credentials,
        [client, _, port]: [u16; 3],
    ) -> Vec<String> {
        let key = credentials.key.display();
        let mut flags = vec![
            format!("--etcd-servers=http://127.0.0.1:{client}"),
            "--bind-address=127.0.0.1".to_owned(),
            format!("--secure-port={port}"),
            format!("--cert-dir={}", servers.folder().display()),
            format!("--tls-cert-file={}", credentials.certificate.display()),
            format!("--tls-private-key-file={key}"),
            format!("--service-account-key-file={}", credentials.public_key.display()),
            format!("--service-account-signing-key-file={key}"),
            "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
            format!("--token-auth-file={}", credentials.tokens.display()),
            "--authorization-mode=RBAC".to_owned(),
            "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
            // Pods then need no service account, which a controller would have to make.
            "--disable-admission-plugins=ServiceAccount".to_owned(),
        ];
        if !self.defaults_only {
            flags.push("--runtime-config=api/all=true".to_owned());
        }
        flags.extend(self.gate_flag());
        flags.extend(self.flags.iter().cloned());
        flags
    }

    fn manager_flags(&self, kubeconfig: &str) -> Vec<String> {
        let mut flags = vec![
            format!("--kubeconfig={kubeconfig}"),
            format!("--controllers={}", self.controllers.join(",")),
            "--leader-elect=false".to_owned(),
            "--secure-port=0".to_owned(),
        ];
        flags.extend(self.gate_flag());
        flags
    }

    /// The features of every server.
    fn gate_flag(&self) -> Option<String> {
        let all = ["AllAlpha=true", "AllBeta=true"].map(str::to_owned);
        let all = all.into_iter().filter(|_| !self.defaults_only);
        let gates: Vec<_> = all.chain(self.gates.iter().cloned()).collect();
        (!gates.is_empty()).then(|| format!("--feature-gates={}", gates.join(",")))
    }
}

fn etcd_flags(servers: &Servers, [client, peer, _]: [u16; 3]) -> Vec<String> {
    let client = format!("http://127.0.0.1:{client}");
    let peer = format!("http://127.0.0.1:{peer}");
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
