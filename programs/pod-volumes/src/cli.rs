//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use tracing_subscriber::EnvFilter;

use crate::manifests::Objects;
use crate::node::Node;
use crate::{run, table};

/// What the commands fail with: one line for each error.
pub(crate) type Errors = Vec<String>;

/// Mounts the volumes of Pods from manifests, without a cluster
///
/// Reads Pods and the ConfigMaps, Secrets, PersistentVolumes and PersistentVolumeClaims that they name, and
/// mounts each volume under a root folder, where a kubelet would: ROOT/pods/UID/volumes/PLUGIN/NAME. A Pod
/// without a UID gets NAMESPACE.NAME for one.
///
/// Volumes can be emptyDir, hostPath, configMap, secret, downwardAPI, projected, flexVolume, and claims, also
/// those of ephemeral volumes, of PersistentVolumes that are hostPath, local or flexVolume. Mounting needs root.
#[derive(Parser)]
#[command(version)]
struct Options {
    #[command(subcommand)]
    command: Command,

    /// What is logged on standard error: a level, or levels of modules, as in `info,volume=debug`
    #[arg(
        long,
        global = true,
        env = "RUST_LOG",
        value_name = "FILTER",
        default_value = "warn"
    )]
    log: String,
}

#[derive(Subcommand)]
enum Command {
    /// Mounts volumes, keeps their files as the manifests say, and unmounts them on SIGINT or SIGTERM
    ///
    /// Files of ConfigMaps, Secrets and fields of Pods change when the manifests change, all files of a volume
    /// at once. New Pods are mounted and deleted ones unmounted. A manifest that can't be read changes nothing.
    Run {
        #[command(flatten)]
        input: Input,

        /// How many seconds pass before volumes are set up again, to renew tokens and to repeat what failed
        #[arg(long, value_name = "SECONDS", default_value_t = 60)]
        #[arg(value_parser = clap::value_parser!(u64).range(1..))]
        interval: u64,
    },
    /// Mounts volumes and ends; `unmount` unmounts them
    ///
    /// Can be repeated: what is mounted stays, and files are brought up to date. A volume that fails doesn't
    /// keep others from being mounted.
    Mount {
        #[command(flatten)]
        input: Input,
    },
    /// Unmounts what is mounted under the root, also after a crash
    ///
    /// Needs no manifests: the folders under the root say what there is. Never removes anything that is mounted
    /// inside of a volume, nor what a hostPath or a local volume shows.
    Unmount {
        #[command(flatten)]
        folders: Folders,

        /// The Pod to unmount, as NAMESPACE/NAME or as its UID; all without it
        #[arg(long = "pod", value_name = "POD")]
        pods: Vec<String>,
    },
    /// Shows what the mounted volumes use
    Metrics {
        #[command(flatten)]
        folders: Folders,
    },
}

#[derive(Args)]
pub(crate) struct Folders {
    /// The folder under which volumes are mounted; an absolute path
    #[arg(long, env = "POD_VOLUMES_ROOT", value_name = "PATH")]
    pub(crate) root: PathBuf,

    /// The folder with the drivers of FlexVolumes; that of the driver `example.com/nas` is
    /// `example.com~nas/nas` in it
    #[arg(long, env = "POD_VOLUMES_FLEX_VOLUMES", value_name = "PATH")]
    pub(crate) flex_volumes: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Input {
    #[command(flatten)]
    folders: Folders,

    /// Files with manifests in YAML or JSON, or folders of *.yaml, *.yml and *.json files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    given: Given,
}

/// What Pods get that is in no manifest.
#[derive(Args, Clone, Default)]
pub(crate) struct Given {
    /// A folder with a token of each service account, at NAMESPACE/NAME; projected volumes get these
    #[arg(long, value_name = "PATH")]
    pub(crate) tokens: Option<PathBuf>,

    /// What Pods can use of the node, such as `memory=2Gi`: limits emptyDir volumes in memory, and is what
    /// the downward API reports for a container without a limit
    #[arg(long, value_name = "RESOURCE=AMOUNT", value_parser = resource)]
    pub(crate) allocatable: Vec<(String, String)>,
}

fn resource(text: &str) -> Result<(String, String), String> {
    let Some((name, amount)) = text.split_once('=') else {
        return Err("no `=`; `memory=2Gi` has one".to_owned());
    };
    Ok((name.to_owned(), amount.to_owned()))
}

pub(crate) fn main() -> ExitCode {
    let options = Options::parse();
    match logging(&options.log).and_then(|()| execute(options.command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(errors) => {
            for error in errors {
                eprintln!("error: {error}");
            }
            ExitCode::FAILURE
        }
    }
}

fn logging(filter: &str) -> Result<(), Errors> {
    let parsed =
        EnvFilter::try_new(filter).map_err(|error| one(format!("--log {filter:?}: {error}")))?;
    tracing_subscriber::fmt()
        .with_env_filter(parsed)
        .with_writer(std::io::stderr)
        .init();
    Ok(())
}

pub(crate) fn one(error: impl ToString) -> Errors {
    vec![error.to_string()]
}

fn execute(command: Command) -> Result<(), Errors> {
    match command {
        Command::Run { input, interval } => {
            // Before any other thread begins: they inherit what is blocked.
            let signals = run::block_signals()?;
            let node = open(&input)?;
            run::run(&node, &input.files, interval, &signals)
        }
        Command::Mount { input } => {
            let node = open(&input)?;
            let mounted = node.mount_all();
            table::print(&mounted.volumes);
            if mounted.errors.is_empty() {
                Ok(())
            } else {
                Err(mounted.errors)
            }
        }
        Command::Unmount { folders, pods } => {
            let node = Node::open(&folders, Objects::default(), Given::default())?;
            node.unmount(&pods)
        }
        Command::Metrics { folders } => {
            let node = Node::open(&folders, Objects::default(), Given::default())?;
            table::print(&node.on_disk()?);
            Ok(())
        }
    }
}

fn open(input: &Input) -> Result<Node, Errors> {
    let objects = Objects::read(&input.files)?;
    Node::open(&input.folders, objects, input.given.clone())
}
