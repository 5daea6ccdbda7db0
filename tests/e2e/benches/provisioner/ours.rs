//! The program on our crate.

use std::env;
use std::time::Duration;

use core_v1::{HostPathVolumeSource, PersistentVolume};
use kube::Client;
use kubernetes_controller_utils::workqueue::Exponential;
use kubernetes_provisioner::{
    Controller, DeleteError, ProvisionError, ProvisionRequest, Provisioner,
};
use tokio_util::sync::CancellationToken;

/// Says to this program that it is the provisioner: its name, a comma, and the number of workers.
pub(crate) const CHILD: &str = "E2E_PROVISIONER";

struct Nothing;

impl Provisioner for Nothing {
    async fn provision(
        &self,
        request: &ProvisionRequest,
    ) -> Result<PersistentVolume, ProvisionError> {
        let mut volume = request.volume();
        let path = format!("/srv/{}", request.volume_name);
        volume.spec.get_or_insert_default().host_path = Some(HostPathVolumeSource::new(path));
        Ok(volume)
    }

    async fn delete(&self, _volume: &PersistentVolume) -> Result<(), DeleteError> {
        Ok(())
    }
}

pub(crate) fn options() -> Option<(String, usize)> {
    let text = env::var(CHILD).ok()?;
    let (name, workers) = text.split_once(',').unwrap();
    Some((name.to_owned(), workers.parse().unwrap()))
}

pub(crate) async fn provision((name, workers): (String, usize)) {
    let limiter = Exponential::new(Duration::from_millis(5), Duration::from_secs(1000)).unwrap();
    let client = Client::try_default().await.unwrap();
    let controller = Controller::builder(client, name, Nothing)
        .threadiness(workers)
        .leader_election(false)
        .create_volume_limiter(limiter)
        .build()
        .unwrap();
    controller.run(CancellationToken::new()).await.unwrap();
}
