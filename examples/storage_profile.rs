//! A custom resource that embeds types of the storage API, and its controller: a StorageProfile
//! registers a CSI driver and offers a StorageClass of it, both under the name of the profile.
//!
//! ```text
//! cargo run -p examples --bin storage_profile -- crd | kubectl apply -f -
//! cargo run -p examples --bin storage_profile -- run
//! ```
//!
//! The API server refuses a profile that breaks the schemas of the types. The controller checks
//! what no schema can say, and writes it to the status. `KUBECONFIG` or `~/.kube/config` names the
//! cluster; in a Pod, it is the Pod's own.

use std::error::Error;
use std::fmt::Debug;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use futures::StreamExt;
use k8s_openapi::api::core::v1::TopologySelectorTerm;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::{Api, ListParams, Patch, PatchParams};
use kube::runtime::controller::{self, Action, Controller};
use kube::runtime::watcher;
use kube::{Client, CustomResource, CustomResourceExt, Resource, ResourceExt};
use kubernetes_kinds::Release;
use kubernetes_kinds::apply::Apply;
use kubernetes_validation::{SetDefaults as _, Target, Validate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use storage_v1::{
    CSIDriver, CSIDriverSpec, PersistentVolumeReclaimPolicy, StorageClass, VolumeBindingMode, apply,
};
use tracing::{info, warn};

/// Offers StorageClasses as StorageProfiles say
#[derive(Parser)]
enum Command {
    /// Print the CustomResourceDefinition of StorageProfile, as YAML
    Crd,
    /// Run the controller
    Run,
}

/// A CSI driver, and a class of volumes of it. The profile has the name of the driver.
#[derive(Clone, CustomResource, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "StorageProfile")]
#[kube(status = "StorageProfileStatus")]
#[serde(rename_all = "camelCase")]
struct StorageProfileSpec {
    /// The specification of the driver's CSIDriver.
    driver: CSIDriverSpec,
    /// The time at which a claim gets its volume.
    volume_binding_mode: VolumeBindingMode,
    /// The fate of a volume when its claim is deleted.
    reclaim_policy: PersistentVolumeReclaimPolicy,
    /// Set if volumes can grow.
    allow_volume_expansion: Option<bool>,
    /// The parts of the cluster in which volumes can be; everywhere if unset.
    allowed_topologies: Option<Vec<TopologySelectorTerm>>,
}

/// The state of a profile's driver and class.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct StorageProfileStatus {
    /// True if the driver and the class are as the profile says.
    ready: bool,
    /// The reason if they aren't; empty if they are.
    message: String,
    /// The `metadata.generation` of the profile that this is about.
    observed_generation: Option<i64>,
}

/// The field manager, which owns the fields that the controller applies.
fn manager() -> PatchParams {
    PatchParams::apply("example-profiles").force()
}

/// The time after which a profile is looked at again, unless something changes before.
const AGAIN: Duration = Duration::from_secs(30);

/// The reason why a profile can't be followed, for the person who has written it.
type Refusal = Box<dyn Error + Send + Sync>;

struct Provider {
    client: Client,
    /// The server whose rules apply.
    target: Target,
}

impl Provider {
    /// Makes the driver and the class what the profile says.
    async fn provide(&self, profile: &StorageProfile) -> Result<(), Refusal> {
        let (name, spec) = (profile.name_any(), &profile.spec);
        // The garbage collector deletes the driver and the class with their owner, the profile.
        let metadata = ObjectMeta {
            name: Some(name.clone()),
            owner_references: profile.controller_owner_ref(&()).map(|owner| vec![owner]),
            ..ObjectMeta::default()
        };
        let driver = CSIDriver::new(&name, spec.driver.clone());
        let driver = driver.with_metadata(metadata.clone());
        let class = StorageClass {
            metadata,
            provisioner: name,
            volume_binding_mode: Some(spec.volume_binding_mode.clone()),
            reclaim_policy: Some(spec.reclaim_policy.clone()),
            allow_volume_expansion: spec.allow_volume_expansion,
            allowed_topologies: spec.allowed_topologies.clone(),
            ..StorageClass::default()
        };
        self.apply::<apply::CSIDriver>(driver).await?;
        self.apply::<apply::StorageClass>(class).await
    }

    /// Applies what is set in an object, which takes back what was set before and isn't any more.
    /// Fails with all that the server would refuse, and if the object isn't of this profile.
    async fn apply<A>(&self, mut wanted: A::Kind) -> Result<(), Refusal>
    where
        A: Apply<Kind: Validate + Resource<DynamicType = ()>> + Debug,
    {
        let (kind, name) = (<A::Kind as Resource>::kind(&()), wanted.name_any());
        let objects: Api<A::Kind> = Api::all(self.client.clone());
        // Some defaults of the definition are of fields that the server doesn't have: it would
        // refuse to apply them.
        wanted.drop_disabled(None, &self.target);
        let (mut new, own) = (wanted.clone(), wanted.owner_references());
        let report = match objects.get_opt(&name).await? {
            Some(live) if !own.iter().all(|own| live.owner_references().contains(own)) => {
                return Err(format!("somebody else has a {kind} {name}").into());
            }
            Some(live) => {
                *new.meta_mut() = live.meta().clone();
                new.default_and_validate_update(&live, &self.target)
            }
            None => new.default_and_validate(&self.target),
        };
        report
            .into_result()
            .map_err(|error| format!("{kind}: {error}"))?;
        objects
            .patch(&name, &manager(), &Patch::Apply(A::from(wanted)))
            .await?;
        Ok(())
    }
}

/// Follows a profile, and writes to its status what has become of it.
async fn reconcile(profile: Arc<StorageProfile>, provider: Arc<Provider>) -> kube::Result<Action> {
    // Whoever waits for the deletion of what it owns doesn't want that made again.
    if profile.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let refusal = provider.provide(&profile).await.err();
    let status = StorageProfileStatus {
        ready: refusal.is_none(),
        message: refusal.map_or_else(String::new, |refusal| refusal.to_string()),
        observed_generation: profile.metadata.generation,
    };
    if profile.status.as_ref() != Some(&status) {
        let name = profile.name_any();
        info!("{name}: ready {} {}", status.ready, status.message);
        let (version, kind) = (StorageProfile::api_version(&()), StorageProfile::kind(&()));
        let told = json!({"apiVersion": version, "kind": kind, "status": status});
        let profiles: Api<StorageProfile> = Api::all(provider.client.clone());
        profiles
            .patch_status(&name, &manager(), &Patch::Apply(told))
            .await?;
    }
    Ok(Action::requeue(AGAIN))
}

/// A request has failed, which the loop in [`run`] logs.
fn retry(_: Arc<StorageProfile>, _: &kube::Error, _: Arc<Provider>) -> Action {
    Action::requeue(AGAIN)
}

async fn run() -> Result<(), Box<dyn Error>> {
    let client = Client::try_default().await?;
    let version = client.apiserver_version().await?;
    // Some providers call theirs 1.36+.
    let minor = version.minor.trim_end_matches('+').parse()?;
    let release = Release::new(version.major.parse()?, minor);
    let profiles: Api<StorageProfile> = Api::all(client.clone());
    // Fails at once without the definition, or without the right to read.
    profiles
        .list(&ListParams::default().limit(1))
        .await
        .map_err(|error| format!("can't list StorageProfiles, see the command crd: {error}"))?;
    info!("following StorageProfiles, rules of Kubernetes {release}");

    let (target, watched) = (Target::new(release), client.clone());
    let provider = Arc::new(Provider { client, target });
    Controller::new(profiles, watcher::Config::default())
        // Makes what somebody changes or deletes what it was.
        .owns(
            Api::<CSIDriver>::all(watched.clone()),
            watcher::Config::default(),
        )
        .owns(
            Api::<StorageClass>::all(watched),
            watcher::Config::default(),
        )
        .shutdown_on_signal()
        .run(reconcile, retry, provider)
        .for_each(async |result| match result {
            // Deleted since it was queued: nothing is left to do.
            Ok(_) | Err(controller::Error::ObjectNotFound(_)) => {}
            Err(error) => warn!("{error}"),
        })
        .await;
    info!("stopped");
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .init();
    let result = match Command::parse() {
        Command::Crd => serde_saphyr::to_string(&StorageProfile::crd())
            .map(|text| print!("{text}"))
            .map_err(Box::from),
        Command::Run => run().await,
    };
    if let Err(error) = result {
        eprintln!("error: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
