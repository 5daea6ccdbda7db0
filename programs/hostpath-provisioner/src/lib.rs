//! Volumes that are folders of a node, under one root: a [`Provisioner`] for clusters whose Pods
//! may mount folders of their nodes.
//!
//! The program of this package runs it; its README has the flags and the manifests. The library is
//! an example of a provisioner and of its tests.
//!
//! A volume is the folder `ROOT/pvc-UID`. Its size is not limited: the capacity of
//! a volume is the request of its claim, and quotas of the filesystem are up to the user.

mod folders;

use std::collections::BTreeMap;
use std::io;

use core_v1::{
    HostPathType, HostPathVolumeSource, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm,
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeReclaimPolicy, PersistentVolumeSpec,
    VolumeNodeAffinity,
};
use k8s_openapi::api::core::v1::Node;
use kubernetes_provisioner::{
    BoxError, DeleteError, ProvisionError, ProvisionRequest, Provisioner,
};
use tokio::task::spawn_blocking;

pub use folders::{Folders, RootError};

/// The label of nodes by which volumes are bound to one.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// The annotation of a claim with the node that the scheduler selected.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// The annotation of a volume with the node whose folder it is.
pub const NODE: &str = "hostpath-provisioner/node";

/// The parameter of a class with the permissions of its folders, in octal digits.
const MODE: &str = "mode";

/// Anybody may write, since nobody knows here which user a Pod has.
const DEFAULT_MODE: u32 = 0o777;

/// Provisions folders.
#[derive(Clone, Debug)]
pub struct HostPath {
    folders: Folders,
    node: Option<String>,
}

impl HostPath {
    /// Returns a provisioner of folders that every node has, as those of a network filesystem, or
    /// of a cluster of one node.
    #[must_use]
    pub const fn shared(folders: Folders) -> Self {
        Self {
            folders,
            node: None,
        }
    }

    /// Returns a provisioner of folders that only a node has. It provisions the claims for which
    /// the scheduler selected that node, so their class has to wait for the first consumer.
    #[must_use]
    pub fn of_node(folders: Folders, node: impl Into<String>) -> Self {
        Self {
            folders,
            node: Some(node.into()),
        }
    }
}

impl Provisioner for HostPath {
    async fn provision(
        &self,
        request: &ProvisionRequest,
    ) -> Result<PersistentVolume, ProvisionError> {
        let mode = mode(request.parameters()).map_err(ProvisionError::failed)?;
        check_claim(&request.claim).map_err(ProvisionError::infeasible)?;
        let (folders, name) = (self.folders.clone(), request.volume_name.clone());
        let policy = request.reclaim_policy();
        let path = blocking(move || folders.create(&name, mode, policy.as_str())).await;
        let path = path.map_err(ProvisionError::failed)?;
        let mut volume = request.volume();
        let spec = volume.spec.get_or_insert_default();
        let source = HostPathVolumeSource::new(path).with_type(HostPathType::Directory);
        spec.host_path = Some(source.into());
        if let Some(node) = &self.node {
            let hostname = request.selected_node.as_ref().and_then(hostname);
            spec.node_affinity = Some(affinity(hostname.unwrap_or(node)));
            let annotations = volume.metadata.annotations.get_or_insert_default();
            annotations.insert(NODE.to_owned(), node.clone());
        }
        Ok(volume)
    }

    async fn delete(&self, volume: &PersistentVolume) -> Result<(), DeleteError> {
        let name = volume.metadata.name.clone().unwrap_or_default();
        let source = volume
            .spec
            .as_ref()
            .and_then(|spec| spec.host_path.as_ref());
        if !source.is_some_and(|source| self.folders.is(&source.path, &name)) {
            return Err(DeleteError::ignored("not a folder of this root"));
        }
        let folders = self.folders.clone();
        blocking(move || folders.remove(&name))
            .await
            .map_err(DeleteError::failed)
    }

    async fn stored(&self, volume_name: &str) -> Result<(), BoxError> {
        let (folders, name) = (self.folders.clone(), volume_name.to_owned());
        Ok(blocking(move || folders.confirm(&name)).await?)
    }

    async fn unstored(&self) -> Result<Vec<PersistentVolume>, BoxError> {
        let folders = self.folders.clone();
        let unconfirmed = blocking(move || folders.unconfirmed()).await?;
        let volumes = unconfirmed.into_iter().map(|(name, policy)| {
            let source = HostPathVolumeSource::new(self.folders.path_of(&name));
            // The folder of an empty note was never returned to anybody.
            let policy = Some(policy).filter(|policy| !policy.is_empty());
            let policy =
                policy.unwrap_or_else(|| PersistentVolumeReclaimPolicy::Delete.as_str().to_owned());
            let spec = PersistentVolumeSpec::new()
                .with_host_path(source)
                .with_persistent_volume_reclaim_policy(policy.as_str());
            PersistentVolume::new(name).with_spec(spec)
        });
        Ok(volumes.collect())
    }

    async fn should_provision(&self, claim: &PersistentVolumeClaim) -> bool {
        let annotations = claim.metadata.annotations.as_ref();
        let selected = annotations.and_then(|all| all.get(SELECTED_NODE));
        self.node.is_none() || selected == self.node.as_ref()
    }

    async fn should_delete(&self, volume: &PersistentVolume) -> bool {
        let annotations = volume.metadata.annotations.as_ref();
        annotations.and_then(|all| all.get(NODE)) == self.node.as_ref()
    }
}

/// Filesystems can hang, and workers must not.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// The permissions that a class asks for; it may ask for nothing else.
fn mode(parameters: &BTreeMap<String, String>) -> Result<u32, String> {
    if let Some(unknown) = parameters.keys().find(|name| *name != MODE) {
        return Err(format!(
            "unknown parameter `{unknown}` of the class; the only one is `{MODE}`"
        ));
    }
    let Some(text) = parameters.get(MODE) else {
        return Ok(DEFAULT_MODE);
    };
    let mode = u32::from_str_radix(text, 8).ok();
    mode.filter(|mode| *mode <= 0o7777).ok_or_else(|| {
        format!("parameter `{MODE}` of the class is `{text}`, not permissions such as `0770`")
    })
}

/// Refuses claims that a folder can't satisfy.
fn check_claim(claim: &PersistentVolumeClaim) -> Result<(), &'static str> {
    let Some(spec) = &claim.spec else {
        return Ok(());
    };
    if spec.selector.is_some() {
        return Err(
            "volumes can't be provisioned for a selector; remove the selector of the claim",
        );
    }
    if spec.data_source.is_some() || spec.data_source_ref.is_some() {
        return Err("folders have no data sources; remove the data source of the claim");
    }
    Ok(())
}

fn hostname(node: &Node) -> Option<&str> {
    node.metadata
        .labels
        .as_ref()?
        .get(HOSTNAME)
        .map(String::as_str)
}

/// Binds a volume to the node of a hostname.
fn affinity(hostname: &str) -> VolumeNodeAffinity {
    let requirement = NodeSelectorRequirement::new(HOSTNAME, "In").with_values([hostname]);
    let term = NodeSelectorTerm::new().with_match_expressions([requirement]);
    VolumeNodeAffinity::new().with_required(NodeSelector::new([term]))
}

/// The examples of the README are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
