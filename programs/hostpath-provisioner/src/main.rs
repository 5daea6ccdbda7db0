//! The program `hostpath-provisioner`; see README.md.

use std::error::Error;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use hostpath_provisioner::{Folders, HostPath};
use kube::Client;
use kubernetes_provisioner::Controller;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing::info;
use tracing_subscriber::EnvFilter;

/// Provisions folders of a node as volumes
///
/// Each PersistentVolumeClaim whose StorageClass has the name of this provisioner gets a folder
/// below the root. The folder is deleted with the claim, unless the reclaim policy is Retain.
///
/// The cluster is that of KUBECONFIG or ~/.kube/config, or in a Pod, that of the Pod.
#[derive(Parser)]
#[command(version)]
struct Options {
    /// The folder for volumes; it has to exist, and Pods mount the same path of their node
    #[arg(long, env = "HOSTPATH_ROOT", value_name = "PATH")]
    root: PathBuf,

    /// The name of this provisioner, as in `provisioner` of its StorageClasses
    #[arg(
        long,
        env = "HOSTPATH_PROVISIONER",
        value_name = "NAME",
        default_value = "hostpath.kubernetes-storage.example"
    )]
    provisioner: String,

    /// The node of the folders; without it, all nodes share them
    ///
    /// Run one instance on each node. Its StorageClasses need
    /// `volumeBindingMode: WaitForFirstConsumer`, and its volumes can only be used on the node.
    /// There is no leader election then.
    #[arg(long, env = "NODE_NAME", value_name = "NAME")]
    node: Option<String>,

    /// The namespace of the Lease for leader election; that of the Pod without it
    #[arg(long, env = "HOSTPATH_LEASE_NAMESPACE", value_name = "NAME")]
    lease_namespace: Option<String>,

    /// The seconds after which a leader that stopped renewing its Lease is replaced, at least 1
    #[arg(
        long,
        env = "HOSTPATH_LEASE_DURATION",
        value_name = "SECONDS",
        default_value_t = 15
    )]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    lease_duration: u32,

    /// The number of claims, and of volumes, that are worked on at a time
    #[arg(
        long,
        env = "HOSTPATH_WORKERS",
        value_name = "NUMBER",
        default_value_t = 4
    )]
    workers: usize,

    /// The seconds that one call may take before it is repeated
    #[arg(
        long,
        env = "HOSTPATH_TIMEOUT",
        value_name = "SECONDS",
        default_value_t = 60
    )]
    timeout: u64,

    /// The address for metrics and health
    #[arg(
        long,
        env = "HOSTPATH_METRICS_ADDRESS",
        value_name = "IP",
        default_value = "0.0.0.0"
    )]
    metrics_address: IpAddr,

    /// The port of /metrics, /healthz and /readyz; 0 is none
    #[arg(
        long,
        env = "HOSTPATH_METRICS_PORT",
        value_name = "PORT",
        default_value_t = 0
    )]
    metrics_port: u16,

    /// The log level, or levels of modules, as in `info,kube=debug`
    #[arg(long, env = "RUST_LOG", value_name = "FILTER", default_value = "info")]
    log: String,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: Options) -> Result<(), Box<dyn Error + Send + Sync>> {
    let filter = EnvFilter::try_new(&options.log)
        .map_err(|error| format!("--log {:?}: {error}", options.log))?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    let folders = Folders::open(&options.root)?;
    let provisioner = match &options.node {
        Some(node) => HostPath::of_node(folders, node),
        None => HostPath::shared(folders),
    };
    let stop = stop()?;
    let timeout = Duration::from_secs(options.timeout);
    let mut builder = Controller::builder(
        Client::try_default().await?,
        &options.provisioner,
        provisioner,
    )
    .threadiness(options.workers)
    .provision_timeout(timeout)
    .delete_timeout(timeout)
    .leader_election(options.node.is_none())
    .metrics_address(options.metrics_address)
    .metrics_port(options.metrics_port);
    if options.node.is_none() {
        let lease = Duration::from_secs(options.lease_duration.into());
        // 15 s result in the times of Kubernetes' own controllers: 15, 10 and 2.
        builder = builder
            .lease_duration(lease)
            .renew_deadline(lease * 2 / 3)
            .retry_period(lease * 2 / 15);
        if let Some(namespace) = options.lease_namespace {
            builder = builder.leader_election_namespace(namespace);
        }
    }
    builder.build()?.run(stop).await?;
    Ok(())
}

/// Returns a token that SIGTERM and SIGINT cancel.
fn stop() -> std::io::Result<CancellationToken> {
    let (mut terminate, mut interrupt) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    );
    let token = CancellationToken::new();
    let cancelled = token.clone();
    tokio::spawn(async move {
        let name = tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
        };
        info!("{name}: stopping");
        cancelled.cancel();
    });
    Ok(token)
}
