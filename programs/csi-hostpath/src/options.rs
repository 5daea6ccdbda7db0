//! The options of the program.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser};
use kubernetes_csi_driver::Endpoint;

use crate::pools::Pool;

/// A command of the program.
#[derive(Clone, Debug)]
pub enum Command {
    /// Be a driver.
    Serve(Box<Options>),
    /// Print the CSIDriver and a StorageClass.
    PrintManifests(Declaration),
}

impl Command {
    /// Reads the arguments of the process. Ends it if they are wrong.
    pub fn parse() -> Self {
        let print = Declaration::augment_args(clap::Command::new("print-manifests"));
        let all = Options::command()
            .args_conflicts_with_subcommands(true)
            .subcommand_negates_reqs(true)
            .subcommand(print.about("Print the CSIDriver and a StorageClass of the driver"));
        let mut matches = all.get_matches();
        let read = match matches.remove_subcommand() {
            Some((_, mut matches)) => {
                Declaration::from_arg_matches_mut(&mut matches).map(Self::PrintManifests)
            }
            None => Options::from_arg_matches_mut(&mut matches)
                .map(|options| Self::Serve(Box::new(options))),
        };
        read.unwrap_or_else(|error| error.exit())
    }
}

/// Options on which the objects of the cluster depend.
#[derive(Clone, Debug, Args)]
pub struct Declaration {
    /// The name of the driver, as in `provisioner` of its StorageClasses
    #[arg(
        long = "drivername",
        value_name = "NAME",
        default_value = "hostpath.csi.k8s.io"
    )]
    pub driver_name: String,

    /// Volumes are attached to nodes before they are used
    #[arg(long)]
    pub enable_attach: bool,
}

/// A CSI driver whose volumes are folders and files of one node
///
/// For tests and demonstrations. The sizes of folders are counted, but nothing keeps a Pod from
/// writing more.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub struct Options {
    /// The socket: unix:///PATH, unix-abstract:NAME or tcp://ADDRESS:PORT
    #[arg(long, env = "CSI_ENDPOINT", value_name = "URL")]
    pub endpoint: Endpoint,

    /// A socket of its own for the controller part
    #[arg(long, value_name = "URL")]
    pub controller_endpoint: Option<Endpoint>,

    /// The address and port at which metrics and health are served: 0.0.0.0:9808
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub http_endpoint: Option<SocketAddr>,

    /// Options on which the objects of the cluster depend.
    #[command(flatten)]
    pub declaration: Declaration,

    /// The name of the node
    #[arg(long = "nodeid", env = "NODE_NAME", value_name = "NAME")]
    pub node_id: String,

    /// The folder of volumes, snapshots and of what is known of them
    #[arg(
        long = "statedir",
        value_name = "PATH",
        default_value = "/csi-data-dir"
    )]
    pub state_dir: PathBuf,

    /// The most volumes that the node can have at a time
    #[arg(long = "maxvolumespernode", value_name = "NUMBER")]
    pub max_volumes_per_node: Option<u32>,

    /// The size of the largest volume, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 40)]
    pub max_volume_size: u64,

    /// The space for volumes, such as 100Gi, or for those of a class with a parameter `kind`, such
    /// as fast=10Gi; may be repeated. Without it, there is no limit
    #[arg(long, value_name = "[KIND=]QUANTITY")]
    pub capacity: Vec<Pool>,

    /// A parameter that a VolumeAttributesClass can change; may be repeated
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub accepted_mutable_parameter_names: Vec<String>,

    /// The folder `plugins_registry` of the kubelet, to register with it without a sidecar
    #[arg(long, value_name = "PATH", requires = "kubelet_endpoint")]
    pub kubelet_registration: Option<PathBuf>,

    /// The path of the socket on the host, as the kubelet sees it
    #[arg(long, value_name = "PATH", requires = "kubelet_registration")]
    pub kubelet_endpoint: Option<PathBuf>,
}
