//! The program on our crate.

use std::env;
use std::time::Duration;

use core_v1::{HostPathVolumeSource, PersistentVolume};
use kube::{Client, Config};
use kubernetes_controller_utils::workqueue::{Constant, Exponential};
use kubernetes_provisioner::{
    Controller, DeleteError, ProvisionError, ProvisionRequest, Provisioner,
};
use tokio_util::sync::CancellationToken;

use crate::cluster::READY;

/// Says to this program that it is the provisioner: its name, the number of workers, and whether
/// calls fail for claims that aren't ready, with commas in between.
pub(crate) const CHILD: &str = "E2E_PROVISIONER";

struct Nothing {
    /// Fails for claims that aren't ready.
    fails: bool,
}

impl Provisioner for Nothing {
    async fn provision(
        &self,
        request: &ProvisionRequest,
    ) -> Result<PersistentVolume, ProvisionError> {
        if self.fails {
            let claim = &request.claim.metadata;
            println!("{}", claim.name.as_deref().unwrap());
            let annotations = claim.annotations.as_ref();
            if !annotations.is_some_and(|all| all.contains_key(READY)) {
                return Err(ProvisionError::failed("not ready"));
            }
        }
        let mut volume = request.volume();
        let path = format!("/srv/{}", request.volume_name);
        volume.spec.get_or_insert_default().host_path =
            Some(HostPathVolumeSource::new(path).into());
        Ok(volume)
    }

    async fn delete(&self, _volume: &PersistentVolume) -> Result<(), DeleteError> {
        Ok(())
    }
}

pub(crate) fn options() -> Option<(String, usize, bool)> {
    let text = env::var(CHILD).ok()?;
    let [name, workers, fails] = text.split(',').collect::<Vec<_>>().try_into().unwrap();
    Some((
        name.to_owned(),
        workers.parse().unwrap(),
        fails.parse().unwrap(),
    ))
}

pub(crate) async fn provision((name, workers, fails): (String, usize, bool)) {
    let limiter = Exponential::new(Duration::from_millis(5), Duration::from_secs(1000)).unwrap();
    let mut config = Config::infer().await.unwrap();
    // A program has it by a feature of kube, which tests beside this turn on.
    config.disable_compression = true;
    let client = Client::try_from(config).unwrap();
    let mut builder = Controller::builder(client, name, Nothing { fails })
        .threadiness(workers)
        .leader_election(false)
        .create_volume_limiter(limiter);
    if fails {
        builder = builder
            .rate_limiter(Constant::new(Duration::from_secs(3600)).unwrap())
            .claim_annotations([READY]);
    }
    let controller = builder.build().unwrap();
    controller.run(CancellationToken::new()).await.unwrap();
}
