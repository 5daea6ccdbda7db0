//! A control plane with claims.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use core_v1::{
    HostPathVolumeSource, ObjectReference, PersistentVolume, PersistentVolumeAccessMode,
    PersistentVolumeClaim, PersistentVolumeClaimSpec, PersistentVolumeReclaimPolicy,
    PersistentVolumeSpec, VolumeResourceRequirements,
};
use e2e::ControlPlane;
use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::Api;
use kube::api::{Patch, PatchParams, PostParams};
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, watcher};
use serde_json::json;
use storage_v1::StorageClass;

/// The name of the provisioner, and of the class.
pub(crate) const NAME: &str = "bench.example.com";

/// The annotation of a claim whose calls succeed, of programs whose calls fail otherwise.
pub(crate) const READY: &str = "bench.example.com/ready";

/// The number of concurrent requests that fill the cluster.
const PARALLEL: usize = 32;

const FINALIZER: &str = "external-provisioner.volume.kubernetes.io/finalizer";

pub(crate) struct Cluster {
    pub(crate) server: ControlPlane,
    claims: Api<PersistentVolumeClaim>,
    volumes: Api<PersistentVolume>,
}

impl Cluster {
    pub(crate) async fn start() -> Self {
        let server = ControlPlane::builder()
            .defaults_only()
            .start()
            .await
            .unwrap();
        let client = server.client().unwrap();
        let classes: Api<StorageClass> = Api::all(client.clone());
        let class = StorageClass::new(NAME, NAME);
        classes
            .create(&PostParams::default(), &class)
            .await
            .unwrap();
        Self {
            server,
            claims: Api::default_namespaced(client.clone()),
            volumes: Api::all(client),
        }
    }

    /// The volumes that are new from now on.
    pub(crate) async fn volumes(&self) -> Volumes {
        let config = watcher::Config::default().streaming_lists();
        let mut events = watcher(self.volumes.clone(), config).boxed();
        while !matches!(
            events.try_next().await.unwrap(),
            Some(watcher::Event::InitDone)
        ) {}
        Volumes(events.applied_objects().boxed())
    }

    /// Adds a claim that is to be provisioned.
    pub(crate) async fn add_claim(&self, name: &str) -> PersistentVolumeClaim {
        self.claims
            .create(&PostParams::default(), &claim(name))
            .await
            .unwrap()
    }

    /// Sets an annotation of a claim.
    pub(crate) fn annotate(
        &self,
        name: &str,
        key: &str,
        value: &str,
    ) -> impl Future<Output = ()> + Send + 'static {
        let (claims, name) = (self.claims.clone(), name.to_owned());
        let patch = Patch::Merge(json!({"metadata": {"annotations": {key: value}}}));
        async move {
            let params = PatchParams::default();
            claims.patch_metadata(&name, &params, &patch).await.unwrap();
        }
    }

    /// Adds claims as fast as the server takes them.
    pub(crate) async fn add_claims(&self, number: usize) {
        let claims = (0..number).map(async |at| {
            self.add_claim(&format!("data-{at}")).await;
        });
        stream::iter(claims)
            .buffer_unordered(PARALLEL)
            .collect::<()>()
            .await;
    }

    /// Adds claims at a steady rate. Returns when the server had answered, by name.
    pub(crate) async fn add_claims_every(
        &self,
        interval: Duration,
        number: usize,
    ) -> HashMap<String, Instant> {
        let mut ticks = tokio::time::interval(interval);
        let adding = stream::FuturesUnordered::new();
        for at in 0..number {
            ticks.tick().await;
            let (claims, name) = (self.claims.clone(), format!("data-{at}"));
            adding.push(tokio::spawn(async move {
                claims
                    .create(&PostParams::default(), &claim(&name))
                    .await
                    .unwrap();
                (name, Instant::now())
            }));
        }
        adding.map(Result::unwrap).collect().await
    }

    /// Adds claims with volumes.
    pub(crate) async fn add_bound(&self, number: usize) {
        let bound = (0..number).map(async |at| {
            let mut claim = claim(&format!("bound-{at}"));
            let volume = format!("bound-volume-{at}");
            claim.spec.get_or_insert_default().volume_name = Some(volume.clone());
            let annotations = claim.metadata.annotations.get_or_insert_default();
            let key = "pv.kubernetes.io/bind-completed";
            annotations.insert(key.to_owned(), "yes".to_owned());
            let params = PostParams::default();
            let claim = self.claims.create(&params, &claim).await.unwrap();
            self.volumes
                .create(&params, &bound_volume(volume, claim))
                .await
                .unwrap();
        });
        stream::iter(bound)
            .buffer_unordered(PARALLEL)
            .collect::<()>()
            .await;
    }
}

/// Volumes as they are stored.
pub(crate) struct Volumes(BoxStream<'static, watcher::Result<PersistentVolume>>);

impl Volumes {
    /// Returns the time at which the volume of a claim was seen.
    pub(crate) async fn of(&mut self, wanted: &str) -> Instant {
        loop {
            let (claim, at) = self.next().await;
            if claim == wanted {
                return at;
            }
        }
    }

    /// The name of the claim of the next volume, and when it was seen.
    pub(crate) async fn next(&mut self) -> (String, Instant) {
        let volume = tokio::time::timeout(Duration::from_secs(120), self.0.next());
        let volume = volume.await.expect("there is a volume in time");
        let volume = volume.unwrap().unwrap();
        let at = Instant::now();
        let claim = volume.spec.unwrap().claim_ref.unwrap();
        (claim.name.unwrap(), at)
    }
}

fn storage() -> [(&'static str, Quantity); 1] {
    [("storage", Quantity("1Gi".to_owned()))]
}

/// A claim as the binder of kube-controller-manager hands it to the provisioner.
fn claim(name: &str) -> PersistentVolumeClaim {
    let spec = PersistentVolumeClaimSpec::new()
        .with_access_modes([PersistentVolumeAccessMode::ReadWriteOnce])
        .with_storage_class_name(NAME)
        .with_resources(VolumeResourceRequirements::new().with_requests(storage()));
    let mut claim = PersistentVolumeClaim::new(name).with_spec(spec);
    let annotations = claim.metadata.annotations.get_or_insert_default();
    annotations.insert(
        "volume.kubernetes.io/storage-provisioner".to_owned(),
        NAME.to_owned(),
    );
    claim
}

fn bound_volume(name: String, claim: PersistentVolumeClaim) -> PersistentVolume {
    let reference = ObjectReference {
        api_version: Some("v1".to_owned()),
        kind: Some("PersistentVolumeClaim".to_owned()),
        name: claim.metadata.name,
        namespace: claim.metadata.namespace,
        uid: claim.metadata.uid,
        resource_version: claim.metadata.resource_version,
        ..ObjectReference::default()
    };
    let spec = PersistentVolumeSpec::new()
        .with_access_modes([PersistentVolumeAccessMode::ReadWriteOnce])
        .with_capacity(storage())
        .with_claim_ref(reference)
        .with_host_path(HostPathVolumeSource::new(format!("/srv/{name}")))
        .with_persistent_volume_reclaim_policy(PersistentVolumeReclaimPolicy::Delete)
        .with_storage_class_name(NAME);
    let mut volume = PersistentVolume::new(name).with_spec(spec);
    volume.metadata.finalizers = Some(vec![FINALIZER.to_owned()]);
    let annotations = volume.metadata.annotations.get_or_insert_default();
    annotations.insert(
        "pv.kubernetes.io/provisioned-by".to_owned(),
        NAME.to_owned(),
    );
    volume
}
