//! Requests to the API server. Each has a time limit.
//!
//! Claims and volumes are protobuf where the server has it. kube's requests in JSON remain for the
//! rest: nodes, whose type has no protobuf here; metadata alone; and a claim that is written back
//! whole, of which protobuf would drop the fields that our type doesn't have.

use std::collections::HashSet;
use std::time::Duration;

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use k8s_openapi::api::core::v1::Node;
use kube::Client;
use kube::api::{
    ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams,
    Preconditions,
};
use kubernetes_kinds::Lean;
use kubernetes_protobuf::Api;
use serde_json::json;

use crate::names::{FINALIZER, SELECTED_NODE};
use crate::rules;

/// The time limit of every request but a watch.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The number of objects in a page of a list.
const PAGE: u32 = 500;

/// A request that failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    #[error("{0}")]
    Kube(String, #[source] kube::Error),
    #[error("the API server did not answer within {TIMEOUT:?}")]
    Timeout,
}

impl From<kube::Error> for ApiError {
    fn from(error: kube::Error) -> Self {
        // The error's own text repeats the whole status.
        let text = match &error {
            kube::Error::Api(status) => status.message.clone(),
            other => other.to_string(),
        };
        Self::Kube(text, error)
    }
}

impl ApiError {
    fn status(&self) -> Option<&kube::core::Status> {
        match self {
            Self::Kube(_, kube::Error::Api(status)) => Some(status),
            _ => None,
        }
    }

    pub(crate) fn is_not_found(&self) -> bool {
        self.status().is_some_and(kube::core::Status::is_not_found)
    }

    pub(crate) fn is_conflict(&self) -> bool {
        self.status().is_some_and(kube::core::Status::is_conflict)
    }

    pub(crate) fn is_already_exists(&self) -> bool {
        self.status()
            .is_some_and(kube::core::Status::is_already_exists)
    }

    /// Returns true if the API server never accepts the object.
    pub(crate) fn is_invalid(&self) -> bool {
        self.status().is_some_and(kube::core::Status::is_invalid)
    }
}

async fn limit<T>(request: impl Future<Output = kube::Result<T>>) -> Result<T, ApiError> {
    match tokio::time::timeout(TIMEOUT, request).await {
        Ok(result) => result.map_err(ApiError::from),
        Err(_) => Err(ApiError::Timeout),
    }
}

/// The kinds of the API server that the controller reads and writes.
///
/// Made once for a controller: each `Api` finds out whether the server has protobuf.
#[derive(Clone)]
pub(crate) struct Cluster {
    client: Client,
    /// The claims of all namespaces.
    claims: Api<Lean<PersistentVolumeClaim>>,
    volumes: Api<Lean<PersistentVolume>>,
    /// Volumes as the provisioner returns them, to be created.
    new_volumes: Api<PersistentVolume>,
}

impl Cluster {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            claims: Api::all(client.clone()),
            volumes: Api::all(client.clone()),
            new_volumes: Api::all(client.clone()),
            client,
        }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn claims(&self) -> &Api<Lean<PersistentVolumeClaim>> {
        &self.claims
    }

    pub(crate) fn volumes(&self) -> &Api<Lean<PersistentVolume>> {
        &self.volumes
    }

    pub(crate) async fn claim(
        &self,
        namespace: &str,
        name: &str,
    ) -> Result<Option<PersistentVolumeClaim>, ApiError> {
        let api = self.claims.clone().constrain(namespace);
        Ok(limit(api.get_opt(name)).await?.map(Lean::into_inner))
    }

    pub(crate) async fn volume(&self, name: &str) -> Result<Option<PersistentVolume>, ApiError> {
        let volume = limit(self.volumes.get_opt(name)).await?;
        Ok(volume.map(Lean::into_inner))
    }

    pub(crate) async fn create_volume(&self, volume: &PersistentVolume) -> Result<(), ApiError> {
        // The answer isn't needed, but has to be read.
        limit(self.new_volumes.create(&PostParams::default(), volume))
            .await
            .map(drop)
    }

    /// Deletes a volume. Returns it if finalizers keep it.
    pub(crate) async fn delete_volume(
        &self,
        volume: &PersistentVolume,
    ) -> Result<Option<PersistentVolume>, ApiError> {
        let params = DeleteParams {
            // Not a newer volume of the same name.
            preconditions: Some(Preconditions {
                uid: volume.metadata.uid.clone(),
                resource_version: None,
            }),
            ..DeleteParams::default()
        };
        let name = volume.metadata.name.as_deref().unwrap_or_default();
        match limit(self.volumes.delete(name, &params)).await {
            Ok(answer) => Ok(answer.left().map(Lean::into_inner)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Adds the finalizer to a volume or removes it, unless the volume has been changed since it
    /// was read.
    pub(crate) async fn change_finalizer(
        &self,
        volume: &PersistentVolume,
        wanted: bool,
    ) -> Result<(), ApiError> {
        let mut finalizers = volume.metadata.finalizers.clone().unwrap_or_default();
        if rules::has_finalizer(volume) == wanted {
            return Ok(());
        }
        if wanted {
            finalizers.push(FINALIZER.to_owned());
        } else {
            finalizers.retain(|finalizer| finalizer != FINALIZER);
        }
        let patch = json!({
            "metadata": {
                "finalizers": finalizers,
                "resourceVersion": volume.metadata.resource_version,
            }
        });
        let name = volume.metadata.name.as_deref().unwrap_or_default();
        let (params, patch) = (PatchParams::default(), Patch::Merge(patch));
        match limit(self.volumes.patch(name, &params, &patch)).await {
            Ok(_) => Ok(()),
            Err(error) if error.is_not_found() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Returns the node, without the list of its images.
    pub(crate) async fn node(&self, name: &str) -> Result<Option<Node>, ApiError> {
        let api = kube::Api::<Lean<Node>>::all(self.client.clone());
        let mut node = limit(api.get_opt(name)).await?.map(Lean::into_inner);
        if let Some(status) = node.as_mut().and_then(|node| node.status.as_mut()) {
            status.images = None;
        }
        Ok(node)
    }

    /// Removes the selected node from a claim, so that the scheduler selects again. Does nothing if
    /// the claim is gone or the scheduler has selected another one.
    pub(crate) async fn unselect_node(
        &self,
        claim: &PersistentVolumeClaim,
    ) -> Result<(), ApiError> {
        // Untyped and in JSON, so that fields of a newer server are kept. Replaced, not patched:
        // roles of provisioners commonly have the permission to update claims only.
        let resource = ApiResource::erase::<PersistentVolumeClaim>(&());
        let namespace = claim.metadata.namespace.as_deref().unwrap_or_default();
        let name = claim.metadata.name.as_deref().unwrap_or_default();
        let client = self.client.clone();
        let api = kube::Api::<DynamicObject>::namespaced_with(client, namespace, &resource);
        let Some(mut current) = limit(api.get_opt(name)).await? else {
            return Ok(());
        };
        let selected = rules::annotation(&claim.metadata, SELECTED_NODE);
        let same = current.metadata.uid == claim.metadata.uid
            && rules::annotation(&current.metadata, SELECTED_NODE) == selected;
        if !same {
            return Ok(());
        }
        if let Some(annotations) = current.metadata.annotations.as_mut() {
            annotations.remove(SELECTED_NODE);
        }
        limit(api.replace(name, &PostParams::default(), &current))
            .await
            .map(drop)
    }

    /// Returns the UIDs of all claims.
    pub(crate) async fn claim_uids(&self) -> Result<HashSet<String>, ApiError> {
        let api = self.claims.as_kube();
        let mut uids = HashSet::new();
        let mut params = ListParams::default().limit(PAGE);
        loop {
            let page = limit(api.list_metadata(&params)).await?;
            uids.extend(
                page.items
                    .into_iter()
                    .filter_map(|claim| claim.metadata.uid),
            );
            match page.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => params = params.continue_token(&token),
                None => return Ok(uids),
            }
        }
    }
}
