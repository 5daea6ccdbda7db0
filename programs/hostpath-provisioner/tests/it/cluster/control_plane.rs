//! A control plane with the manifests of `deploy/` applied, and programs that run as their service
//! account.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use core_v1::{
    PersistentVolume, PersistentVolumeAccessMode, PersistentVolumeClaim,
    PersistentVolumeClaimPhase, PersistentVolumeClaimSpec, VolumeResourceRequirements,
};
use e2e::{ControlPlane, VOLUME_CONTROLLERS};
use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::api::{ApiResource, DeleteParams, DynamicObject, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::GroupVersionKind;
use kube::discovery::pinned_kind;
use kube::{Api, Client, Config};
use serde_json::{Value, json};
use storage_v1::StorageClass;
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// The namespace and the service account of the manifests.
const NAME: &str = "hostpath-provisioner";
pub(crate) const CLASS: &str = "hostpath";
/// The provisioner of the class.
pub(crate) const PROVISIONER: &str = "hostpath.kubernetes-storage.example";

pub(crate) struct Cluster {
    pub(crate) server: ControlPlane,
    pub(crate) client: Client,
    pub(crate) claims: Api<PersistentVolumeClaim>,
    pub(crate) volumes: Api<PersistentVolume>,
    folder: TempDir,
    /// The file for the logs of programs; without one they go to that of the test.
    log: Option<fs::File>,
}

impl Cluster {
    /// Starts a control plane and applies manifests.
    pub(crate) async fn start(manifests: &[&str]) -> Self {
        let builder = ControlPlane::builder().defaults_only().scheduler();
        let server = builder
            .controllers(VOLUME_CONTROLLERS)
            .start()
            .await
            .unwrap();
        let client = server.client().unwrap();
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        for manifest in manifests {
            apply(&client, manifest).await;
        }
        let cluster = Self {
            claims: Api::default_namespaced(client.clone()),
            volumes: Api::all(client.clone()),
            server,
            client,
            folder,
            log: None,
        };
        cluster.write_kubeconfig().await;
        cluster
    }

    /// Writes the kubeconfig of the service account.
    async fn write_kubeconfig(&self) {
        let accounts: Api<ServiceAccount> = Api::namespaced(self.client.clone(), NAME);
        let request = TokenRequest {
            spec: Some(TokenRequestSpec::default()),
            ..TokenRequest::default()
        };
        let params = PostParams::default();
        let token = accounts.create_token_request(NAME, &params, &request).await;
        let token = token.unwrap().status.unwrap().token;
        let text = fs::read_to_string(self.server.kubeconfig()).unwrap();
        let mut config: Value = serde_json::from_str(&text).unwrap();
        config["users"][0]["user"] = json!({"token": token});
        config["contexts"][0]["context"]["namespace"] = NAME.into();
        fs::write(self.kubeconfig(), config.to_string()).unwrap();
    }

    fn kubeconfig(&self) -> PathBuf {
        self.folder.path().join("kubeconfig")
    }

    /// A client with what the service account may do.
    pub(crate) async fn account(&self) -> Client {
        let config = Kubeconfig::read_from(self.kubeconfig()).unwrap();
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(config, &options)
            .await
            .unwrap();
        Client::try_from(config).unwrap()
    }

    /// Lets programs use another server, without a user.
    pub(crate) fn use_server(&self, address: &str) {
        let text = fs::read_to_string(self.kubeconfig()).unwrap();
        let mut config: Value = serde_json::from_str(&text).unwrap();
        config["clusters"][0]["cluster"] = json!({"server": address});
        config["users"][0]["user"] = json!({});
        fs::write(self.kubeconfig(), config.to_string()).unwrap();
    }

    /// Lets the programs that are started from now on write their logs to a file.
    pub(crate) fn log_to(&mut self, log: fs::File) {
        self.log = Some(log);
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// The names of the folders that are not known to be stored.
    pub(crate) fn notes(&self) -> Vec<String> {
        names(&self.root().join(".unstored"))
    }

    /// The names of the folders that there are.
    pub(crate) fn folders(&self) -> Vec<String> {
        let mut names = names(&self.root());
        names.retain(|name| name != ".unstored");
        names
    }

    /// Runs the program.
    pub(crate) fn run(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    /// Runs the program, whose log goes to a file.
    pub(crate) fn run_with_log(&self, arguments: &[&str], log: fs::File) -> Child {
        self.command(arguments).stderr(log).spawn().unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hostpath-provisioner"));
        command
            .args(arguments)
            .env("KUBECONFIG", self.kubeconfig())
            .env("HOSTPATH_ROOT", self.root())
            .env("HOSTPATH_LEASE_NAMESPACE", NAME)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        if let Some(log) = &self.log {
            command.stderr(log.try_clone().unwrap());
        }
        command
    }

    pub(crate) async fn add_claim(&self, name: &str, class: &str) -> PersistentVolumeClaim {
        self.create_claim(&claim(name, class, "1Gi")).await
    }

    pub(crate) async fn create_claim(
        &self,
        claim: &PersistentVolumeClaim,
    ) -> PersistentVolumeClaim {
        self.claims
            .create(&PostParams::default(), claim)
            .await
            .unwrap()
    }

    pub(crate) async fn create_class(&self, class: &StorageClass) {
        let classes: Api<StorageClass> = Api::all(self.client.clone());
        classes.create(&PostParams::default(), class).await.unwrap();
    }

    /// Waits until a claim is bound, and returns its volume.
    pub(crate) async fn bound(&self, name: &str) -> PersistentVolume {
        self.bound_within(name, Duration::from_secs(30)).await
    }

    pub(crate) async fn bound_within(&self, name: &str, limit: Duration) -> PersistentVolume {
        let is_bound = |claim: &PersistentVolumeClaim| {
            let phase = claim
                .status
                .as_ref()
                .and_then(|status| status.phase.as_ref());
            phase == Some(&PersistentVolumeClaimPhase::Bound)
        };
        let claim = self.server.object(&self.claims, name).within(limit);
        let claim = claim.until("to be bound", is_bound).await.unwrap();
        let volume = claim.spec.unwrap().volume_name.unwrap();
        self.volumes.get(&volume).await.unwrap()
    }

    pub(crate) async fn delete_claim(&self, name: &str) {
        self.claims
            .delete(name, &DeleteParams::default())
            .await
            .unwrap();
        self.server
            .object(&self.claims, name)
            .until_gone()
            .await
            .unwrap();
    }
}

/// Returns a claim that the cluster doesn't have yet.
pub(crate) fn claim(name: &str, class: &str, size: &str) -> PersistentVolumeClaim {
    let size = [("storage", Quantity(size.to_owned()))];
    let spec = PersistentVolumeClaimSpec::new()
        .with_access_modes([PersistentVolumeAccessMode::ReadWriteOnce])
        .with_storage_class_name(class)
        .with_resources(VolumeResourceRequirements::new().with_requests(size));
    PersistentVolumeClaim::new(name).with_spec(spec)
}

/// The number that an environment variable has, or another.
pub(crate) fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

pub(crate) fn path(volume: &PersistentVolume) -> &str {
    &volume
        .spec
        .as_ref()
        .unwrap()
        .host_path
        .as_ref()
        .unwrap()
        .path
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Creates the objects of a manifest of `deploy/`.
async fn apply(client: &Client, manifest: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
    let text = fs::read_to_string(folder.join(manifest)).unwrap();
    let objects: Vec<DynamicObject> = serde_saphyr::from_multiple(&text).unwrap();
    for object in objects {
        let types = object.types.clone().unwrap();
        let kind = GroupVersionKind::try_from(&types).unwrap();
        let (resource, _) = pinned_kind(client, &kind).await.unwrap();
        create(client, &resource, &object).await;
    }
}

async fn create(client: &Client, resource: &ApiResource, object: &DynamicObject) {
    let api: Api<DynamicObject> = match &object.metadata.namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, resource),
        None => Api::all_with(client.clone(), resource),
    };
    let name = object.metadata.name.clone().unwrap();
    let created = api.create(&PostParams::default(), object).await;
    created.unwrap_or_else(|error| panic!("{} {name}: {error}", resource.kind));
}

/// Sends SIGTERM, and expects an end without an error.
pub(crate) async fn stop(mut program: Child) {
    let id = program.id().unwrap().to_string();
    let sent = Command::new("kill")
        .args(["-TERM", &id])
        .status()
        .await
        .unwrap();
    assert!(sent.success());
    let ended = tokio::time::timeout(Duration::from_secs(30), program.wait()).await;
    assert!(ended.expect("it stops").unwrap().success());
}
