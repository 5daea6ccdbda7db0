//! Requests to the API server. Each has a time limit.

use std::collections::HashSet;
use std::time::Duration;

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use k8s_openapi::api::core::v1::Node;
use kube::Client;
use kube::api::{
    Api, ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams,
    Preconditions,
};
use kubernetes_kinds::Lean;
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

pub(crate) async fn claim(
    client: &Client,
    namespace: &str,
    name: &str,
) -> Result<Option<PersistentVolumeClaim>, ApiError> {
    let api = Api::<Lean<PersistentVolumeClaim>>::namespaced(client.clone(), namespace);
    Ok(limit(api.get_opt(name)).await?.map(Lean::into_inner))
}

fn volumes(client: &Client) -> Api<Lean<PersistentVolume>> {
    Api::all(client.clone())
}

pub(crate) async fn volume(
    client: &Client,
    name: &str,
) -> Result<Option<PersistentVolume>, ApiError> {
    let volume = limit(volumes(client).get_opt(name)).await?;
    Ok(volume.map(Lean::into_inner))
}

pub(crate) async fn create_volume(
    client: &Client,
    volume: &PersistentVolume,
) -> Result<(), ApiError> {
    let api = Api::<PersistentVolume>::all(client.clone());
    // The answer isn't needed, but has to be read.
    limit(api.create(&PostParams::default(), volume))
        .await
        .map(drop)
}

/// Deletes a volume. Returns it if finalizers keep it.
pub(crate) async fn delete_volume(
    client: &Client,
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
    match limit(volumes(client).delete(name, &params)).await {
        Ok(answer) => Ok(answer.left().map(Lean::into_inner)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Adds the finalizer to a volume or removes it, unless the volume has been changed since it was
/// read.
pub(crate) async fn change_finalizer(
    client: &Client,
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
    let (api, params) = (volumes(client), PatchParams::default());
    match limit(api.patch(name, &params, &Patch::Merge(patch))).await {
        Ok(_) => Ok(()),
        Err(error) if error.is_not_found() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Returns the node, without the list of its images.
pub(crate) async fn node(client: &Client, name: &str) -> Result<Option<Node>, ApiError> {
    let api = Api::<Lean<Node>>::all(client.clone());
    let mut node = limit(api.get_opt(name)).await?.map(Lean::into_inner);
    if let Some(status) = node.as_mut().and_then(|node| node.status.as_mut()) {
        status.images = None;
    }
    Ok(node)
}

/// Removes the selected node from a claim, so that the scheduler selects again. Does nothing if
/// the claim is gone or the scheduler has selected another one.
pub(crate) async fn unselect_node(
    client: &Client,
    claim: &PersistentVolumeClaim,
) -> Result<(), ApiError> {
    // Untyped, so that fields of a newer server are kept. Replaced, not patched: roles
    // of provisioners commonly have the permission to update claims only.
    let resource = ApiResource::erase::<PersistentVolumeClaim>(&());
    let namespace = claim.metadata.namespace.as_deref().unwrap_or_default();
    let name = claim.metadata.name.as_deref().unwrap_or_default();
    let api = Api::<DynamicObject>::namespaced_with(client.clone(), namespace, &resource);
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
pub(crate) async fn claim_uids(client: &Client) -> Result<HashSet<String>, ApiError> {
    let api = Api::<PersistentVolumeClaim>::all(client.clone());
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
