//! A provisioner of the types of k8s-openapi.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use core_v1::PersistentVolumeReclaimPolicy;
use k8s_openapi::api::core::v1::{
    HostPathVolumeSource, PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec,
};
use k8s_openapi::api::storage::v1::StorageClass;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kubernetes_provisioner::{
    BoxError, Controller, DeleteError, ProvisionError, ProvisionRequest, Provisioner,
};
use kubernetes_test_apiserver::binder;
use tokio_util::sync::CancellationToken;

use super::world::{NAME, World, claim, until};

/// A claim that this provisioner refuses.
const REFUSED: &str = "refused";
/// The path of storage without a volume.
const ABANDONED: &str = "/abandoned";

#[derive(Default)]
struct Folders {
    /// The volumes whose storage was deleted, and its paths.
    deleted: Mutex<BTreeMap<String, String>>,
}

impl Folders {
    fn is_deleted(&self, name: &str) -> bool {
        self.deleted.lock().unwrap().contains_key(name)
    }
}

fn source(path: &str) -> Option<HostPathVolumeSource> {
    Some(HostPathVolumeSource {
        path: path.to_owned(),
        type_: None,
    })
}

impl Provisioner<PersistentVolume> for Folders {
    async fn provision(
        &self,
        request: &ProvisionRequest<PersistentVolume>,
    ) -> Result<PersistentVolume, ProvisionError> {
        let parameter = request.parameters().get("root");
        let root = parameter.ok_or_else(|| ProvisionError::failed("no root"))?;
        let claim: &PersistentVolumeClaim = &request.claim;
        let name = claim.metadata.name.as_deref().unwrap_or_default();
        let mut volume = request.volume();
        volume.spec.get_or_insert_default().host_path = source(&format!("{root}/{name}"));
        Ok(volume)
    }

    fn volume_name(&self, claim: &PersistentVolumeClaim) -> Option<String> {
        let uid = claim.metadata.uid.as_deref()?;
        Some(format!("folder-{uid}"))
    }

    async fn delete(&self, volume: &PersistentVolume) -> Result<(), DeleteError> {
        let name = volume.metadata.name.clone().unwrap_or_default();
        let source = volume.spec.as_ref().and_then(|spec| spec.host_path.clone());
        let source = source.ok_or_else(|| DeleteError::failed("no folder"))?;
        self.deleted.lock().unwrap().insert(name, source.path);
        Ok(())
    }

    async fn unstored(&self) -> Result<Vec<PersistentVolume>, BoxError> {
        let spec = PersistentVolumeSpec {
            host_path: source(ABANDONED),
            persistent_volume_reclaim_policy: Some("Delete".to_owned()),
            ..PersistentVolumeSpec::default()
        };
        let metadata = ObjectMeta {
            name: Some("pvc-abandoned".to_owned()),
            ..ObjectMeta::default()
        };
        Ok(vec![PersistentVolume {
            metadata,
            spec: Some(spec),
            status: None,
        }])
    }

    async fn should_provision(&self, claim: &PersistentVolumeClaim) -> bool {
        claim.metadata.name.as_deref() != Some(REFUSED)
    }

    async fn should_delete(&self, volume: &PersistentVolume) -> bool {
        let spec = volume.spec.as_ref();
        spec.is_some_and(|spec| spec.persistent_volume_reclaim_policy.as_deref() == Some("Delete"))
    }
}

#[tokio::test]
async fn volumes_of_k8s_openapi_are_provisioned_and_deleted() {
    let world = World::new().await;
    let class = super::world::class("rooted").with_parameters([("root", "/srv")]);
    world.server.create(&class).unwrap();
    let refused = world.claim(&claim(REFUSED, "rooted"));
    let name = world.claim(&claim("data", "rooted"));
    let name = name.replace("pvc-", "folder-");

    let folders = Arc::new(Folders::default());
    let controller = Controller::builder(world.server.client(), NAME, Arc::clone(&folders))
        .leader_election(false)
        .build()
        .unwrap();
    let stop = CancellationToken::new();
    let running = tokio::spawn(controller.run(stop.clone()));

    until("the volume", || world.stored(&name).is_some()).await;
    let spec = world.stored(&name).unwrap().spec.unwrap();
    assert_eq!(spec.host_path.unwrap().path, "/srv/data");
    assert_eq!(spec.capacity.unwrap()["storage"].0, "1Gi");
    assert_eq!(spec.access_modes.unwrap().len(), 1);
    assert_eq!(
        spec.persistent_volume_reclaim_policy,
        Some(PersistentVolumeReclaimPolicy::Delete)
    );
    until("the deletion of abandoned storage", || {
        folders.is_deleted("pvc-abandoned")
    })
    .await;

    world.delete_claim("data");
    binder::release(&world.server, &name).unwrap();
    until("the deletion", || world.stored(&name).is_none()).await;
    assert_eq!(world.stored(&refused), None);
    let expected = [("pvc-abandoned", ABANDONED), (&name, "/srv/data")];
    let expected = expected.map(|(name, path)| (name.to_owned(), path.to_owned()));
    assert_eq!(*folders.deleted.lock().unwrap(), BTreeMap::from(expected));

    stop.cancel();
    running.await.unwrap().unwrap();
}

/// A test of a provisioner makes its requests of the types that it uses.
#[tokio::test]
async fn requests_have_the_types_of_their_claim() {
    let mut claim = PersistentVolumeClaim::default();
    claim.metadata.uid = Some("1234".to_owned());
    let class = StorageClass {
        parameters: Some(BTreeMap::from([("root".to_owned(), "/srv".to_owned())])),
        reclaim_policy: Some("Retain".to_owned()),
        ..StorageClass::default()
    };
    let request = ProvisionRequest::new(claim, class);
    assert_eq!(
        request.reclaim_policy(),
        PersistentVolumeReclaimPolicy::Retain
    );
    let volume = Folders::default().provision(&request).await.unwrap();
    assert_eq!(volume.metadata.name.as_deref(), Some("pvc-1234"));
    let policy = volume.spec.unwrap().persistent_volume_reclaim_policy;
    assert_eq!(policy.as_deref(), Some("Retain"));
}
