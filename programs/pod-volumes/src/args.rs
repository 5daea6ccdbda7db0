//! The command line arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Mounts the volumes of Pods from manifests, without a cluster
///
/// Reads Pods and the ConfigMaps, Secrets, PersistentVolumes, PersistentVolumeClaims and
/// ClusterTrustBundles that they name, and mounts each volume under a root folder, where a kubelet
/// would: ROOT/pods/UID/volumes/PLUGIN/NAME. The UID of a Pod without one is NAMESPACE.NAME. As a
/// kubelet does, it leaves out volumes that no container mounts, and Pods that have ended.
///
/// Supported volumes: emptyDir, hostPath, configMap, secret, downwardAPI, projected, nfs, image (to
/// be mounted by a container runtime), flexVolume, and claims (also of ephemeral volumes) of
/// hostPath, local, nfs and flexVolume PersistentVolumes.
/// Certificates of Pods in projected volumes need a cluster, which issues them.
/// Mounting needs root.
#[derive(Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Log level on standard error, or levels of modules, such as `info,kubernetes_volume=debug`
    #[arg(
        long,
        global = true,
        env = "RUST_LOG",
        value_name = "FILTER",
        default_value = "warn"
    )]
    pub(crate) log: String,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Mounts volumes, follows the manifests, and unmounts the volumes on SIGINT or SIGTERM
    ///
    /// Files of ConfigMaps, Secrets and fields of Pods change when the manifests change, all files
    /// of a volume at once. New Pods are mounted and deleted ones unmounted. A manifest that can't
    /// be read changes nothing.
    Run {
        #[command(flatten)]
        input: Input,

        /// Seconds between set-ups, which renew tokens and retry failed volumes
        #[arg(long, value_name = "SECONDS", default_value_t = 60)]
        #[arg(value_parser = clap::value_parser!(u64).range(1..))]
        interval: u64,
    },
    /// Mounts volumes and ends; `unmount` unmounts them
    ///
    /// Can be repeated: mounted volumes stay, and their files are updated. The other volumes are
    /// mounted even if one fails.
    Mount {
        #[command(flatten)]
        input: Input,

        /// Prepare the parts of volumes (`subPath`) that containers mount, too, and print the
        /// mounts of each container as a line of JSON instead of the table
        #[arg(long)]
        containers: bool,
    },
    /// Unmounts the volumes under the root, also after a crash
    ///
    /// Needs no manifests: the folders under the root list the volumes. Never removes files of a
    /// mount inside of a volume, nor files of a hostPath or local volume.
    Unmount {
        #[command(flatten)]
        folders: Folders,

        /// Pod to unmount, as NAMESPACE/NAME or UID (default: all)
        #[arg(long = "pod", value_name = "POD")]
        pods: Vec<String>,
    },
    /// Shows the usage of the mounted volumes
    Metrics {
        #[command(flatten)]
        folders: Folders,
    },
}

#[derive(Args)]
pub(crate) struct Folders {
    /// Folder under which volumes are mounted, an absolute path
    #[arg(long, env = "POD_VOLUMES_ROOT", value_name = "PATH")]
    pub(crate) root: PathBuf,

    /// Folder of the FlexVolume drivers; the driver `example.com/nas` is `example.com~nas/nas` in
    /// it
    #[arg(long, env = "POD_VOLUMES_FLEX_VOLUMES", value_name = "PATH")]
    pub(crate) flex_volumes: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Input {
    #[command(flatten)]
    pub(crate) folders: Folders,

    /// Files with manifests in YAML or JSON, or folders of *.yaml, *.yml and *.json files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) given: Given,
}

/// Inputs of Pods that are in no manifest.
#[derive(Args, Clone, Default)]
pub(crate) struct Given {
    /// Folder with the tokens of service accounts for projected volumes, each in the file
    /// NAMESPACE/NAME
    #[arg(long, value_name = "PATH")]
    pub(crate) tokens: Option<PathBuf>,

    /// Allocatable resource of the node, such as `memory=2Gi`: the limit of emptyDir volumes in
    /// memory and of containers without a limit in the downward API
    #[arg(long, value_name = "RESOURCE=AMOUNT", value_parser = resource)]
    pub(crate) allocatable: Vec<(String, String)>,
}

fn resource(text: &str) -> Result<(String, String), String> {
    let Some((name, amount)) = text.split_once('=') else {
        return Err("expected RESOURCE=AMOUNT, such as memory=2Gi".to_owned());
    };
    Ok((name.to_owned(), amount.to_owned()))
}
