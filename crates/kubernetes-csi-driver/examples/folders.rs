//! A CSI driver whose volumes are folders below one that all nodes share, such as one of NFS.
//!
//! ```text
//! CSI_ENDPOINT=unix:///csi/csi.sock folders /mnt/shared NODE [REGISTRATION SOCKET]
//! ```
//!
//! With the last two, it registers with the kubelet: in REGISTRATION, such as
//! `/var/lib/kubelet/plugins_registry`, for the socket above, which is SOCKET on the host.

use std::fs;
use std::io::ErrorKind::NotFound;
use std::path::PathBuf;
use std::sync::Arc;

use kubernetes_csi_driver::controller::*;
use kubernetes_csi_driver::model::{AccessMode, AccessType, Volume};
use kubernetes_csi_driver::node::*;
use kubernetes_csi_driver::request::is_file_name;
use kubernetes_csi_driver::{Driver, Endpoint, Error, KubeletRegistration, Result};
use kubernetes_csi_driver::{async_trait, mounts, stop_signal};

struct Folders {
    root: PathBuf,
    node: String,
}

impl Folders {
    /// Returns the folder of a volume, whose id is its name, and the file with its size.
    fn paths(&self, id: &str) -> Result<(PathBuf, PathBuf)> {
        let is_mine = is_file_name(id) && !id.ends_with(".size") && id.len() <= 128;
        let paths = || (self.root.join(id), self.root.join(format!("{id}.size")));
        is_mine
            .then(paths)
            .ok_or_else(|| Error::not_found(format!("there is no volume {id:?}")))
    }

    fn existing(&self, id: &str) -> Result<PathBuf> {
        let (folder, size) = self.paths(id)?;
        let missing = || Error::not_found(format!("there is no volume {id:?}"));
        size.exists().then_some(folder).ok_or_else(missing)
    }
}

#[async_trait]
impl Controller for Folders {
    async fn validate_volume(&self, request: ValidateVolume) -> Result<Validation> {
        self.existing(&request.volume_id)
            .map(|_| Validation::Confirmed)
    }
}

#[async_trait]
impl Volumes for Folders {
    async fn create_volume(&self, request: CreateVolume) -> Result<Volume> {
        let wrong =
            |_| Error::invalid(format!("name {:?} can't be that of a folder", request.name));
        let (folder, size) = self.paths(&request.name).map_err(wrong)?;
        // The file is what makes it a volume: it is written last.
        if let Ok(text) = fs::read_to_string(&size) {
            let has = text
                .trim()
                .parse()
                .map_err(|_| Error::internal("a bad size"))?;
            return match request.size.allows(has) {
                true => Ok(Volume::new(request.name, has)),
                false => Err(Error::already_exists(format!(
                    "it exists, with {has} bytes"
                ))),
            };
        }
        let bytes = request.size.choose(1 << 30, 1)?;
        fs::create_dir_all(&folder)?;
        let made = size.with_extension("size.new");
        fs::write(&made, bytes.to_string())?;
        fs::rename(made, size)?;
        Ok(Volume::new(request.name, bytes))
    }

    async fn delete_volume(&self, request: DeleteVolume) -> Result<()> {
        let Ok((folder, size)) = self.paths(&request.volume_id) else {
            return Ok(());
        };
        for removed in [fs::remove_dir_all(folder), fs::remove_file(size)] {
            removed.or_else(|error| {
                if error.kind() == NotFound {
                    Ok(())
                } else {
                    Err(error)
                }
            })?;
        }
        Ok(())
    }
}

#[async_trait]
impl Node for Folders {
    async fn info(&self) -> Result<NodeInfo> {
        Ok(NodeInfo {
            id: self.node.clone(),
            ..NodeInfo::default()
        })
    }

    async fn publish(&self, request: NodePublish) -> Result<()> {
        let folder = self.existing(&request.volume_id)?;
        let AccessType::Mount(mount) = request.capability.access_type else {
            return Err(Error::invalid("folders are no devices"));
        };
        let is_read_only = request.read_only || request.capability.access_mode.is_read_only();
        let bind =
            move || mounts::bind_directory(&folder, &request.target_path, &mount, is_read_only);
        mounts::blocking(bind).await
    }

    async fn unpublish(&self, request: NodeUnpublish) -> Result<()> {
        mounts::blocking(move || mounts::unbind(&request.target_path)).await
    }
}

#[tokio::main]
async fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(root), Some(node)) = (args.next(), args.next()) else {
        return Err("usage: folders FOLDER NODE [REGISTRATION SOCKET]".into());
    };
    let registration = args.next().zip(args.next());
    let registration = registration.map(|(folder, own)| KubeletRegistration::new(folder, own));
    let endpoint: Endpoint = std::env::var("CSI_ENDPOINT")?.parse()?;
    let folders = Arc::new(Folders {
        root: root.into(),
        node,
    });
    let driver = Driver::new("folders.csi.example.com", env!("CARGO_PKG_VERSION"))
        .access_modes([
            AccessMode::SingleNodeWriter,
            AccessMode::MultiNodeMultiWriter,
        ])
        .controller(folders.clone())
        .volumes(folders.clone())
        .node(folders)
        .build()?;
    let stop = stop_signal()?;
    let register = async {
        match &registration {
            Some(registration) => driver.register(registration, stop.clone()).await,
            None => Ok(()),
        }
    };
    tokio::try_join!(driver.serve(&endpoint, stop.clone()), register)?;
    Ok(())
}
