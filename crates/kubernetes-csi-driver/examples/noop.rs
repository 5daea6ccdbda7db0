//! A CSI driver that does nothing: it only knows the ids and sizes of its volumes. The benchmark
//! `noop` measures what the kit costs with it.
//!
//! ```text
//! noop unix:///csi/csi.sock multi-thread   # threads for all processors
//! noop unix:///csi/csi.sock current-thread # one thread
//! ```

use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Mutex, PoisonError};

use kubernetes_csi_driver::controller::*;
use kubernetes_csi_driver::model::{AccessMode, ListedVolume, Page, PageRequest, Volume};
use kubernetes_csi_driver::node::*;
use kubernetes_csi_driver::{Driver, Endpoint, Error, Result, async_trait};
use tokio::runtime::Builder;

#[derive(Default)]
struct Noop(Mutex<HashMap<String, u64>>);

impl Noop {
    fn with<T>(&self, run: impl FnOnce(&mut HashMap<String, u64>) -> T) -> T {
        run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Controller for Noop {
    async fn validate_volume(&self, request: ValidateVolume) -> Result<Validation> {
        match self.with(|sizes| sizes.contains_key(&request.volume_id)) {
            true => Ok(Validation::Confirmed),
            false => Err(Error::not_found("there is no such volume")),
        }
    }
}

#[async_trait]
impl Volumes for Noop {
    async fn create_volume(&self, request: CreateVolume) -> Result<Volume> {
        let known = self.with(|sizes| sizes.get(&request.name).copied());
        let size = match known {
            Some(size) => size,
            None => {
                let size = request.size.choose(1, 1)?;
                self.with(|sizes| sizes.insert(request.name.clone(), size));
                size
            }
        };
        match request.size.allows(size) {
            true => Ok(Volume::new(request.name, size)),
            false => Err(Error::already_exists(format!(
                "it exists, with {size} bytes"
            ))),
        }
    }

    async fn delete_volume(&self, request: DeleteVolume) -> Result<()> {
        self.with(|sizes| sizes.remove(&request.volume_id));
        Ok(())
    }
}

#[async_trait]
impl ListVolumes for Noop {
    async fn list_volumes(&self, page: PageRequest) -> Result<Page<ListedVolume>> {
        let mut all = self.with(|sizes| {
            let all = sizes.iter().map(|(id, size)| Volume::new(id, *size));
            all.collect::<Vec<_>>()
        });
        all.sort_by(|a, b| a.id.cmp(&b.id));
        let all = all.into_iter().map(ListedVolume::from);
        page.of_sorted(all, |listed| &listed.volume.id, |_| true)
    }
}

#[async_trait]
impl Node for Noop {
    async fn info(&self) -> Result<NodeInfo> {
        Ok(NodeInfo {
            id: "node".to_owned(),
            ..NodeInfo::default()
        })
    }

    async fn publish(&self, _: NodePublish) -> Result<()> {
        Ok(())
    }

    async fn unpublish(&self, _: NodeUnpublish) -> Result<()> {
        Ok(())
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [endpoint, threads] = &args[..] else {
        return Err("usage: noop ENDPOINT multi-thread|current-thread".into());
    };
    let mut runtime = match threads.as_str() {
        "multi-thread" => Builder::new_multi_thread(),
        "current-thread" => Builder::new_current_thread(),
        _ => return Err(format!("there are no {threads} runtimes").into()),
    };
    let endpoint: Endpoint = endpoint.parse()?;
    let noop = Arc::new(Noop::default());
    let driver = Driver::new("noop.csi.example.com", env!("CARGO_PKG_VERSION"))
        .access_modes([AccessMode::SingleNodeWriter])
        .controller(noop.clone())
        .volumes(noop.clone())
        .list_volumes(noop.clone())
        .node(noop)
        .build()?;
    let runtime = runtime.enable_all().build()?;
    Ok(runtime.block_on(driver.serve(&endpoint, pending()))?)
}
