//! The requests of an API.

use std::fmt::Debug;

use either::Either;
use futures::Stream;
use kube::api::{
    DeleteParams, GetParams, ListParams, ObjectList, Patch, PatchParams, PostParams, WatchEvent,
    WatchParams,
};
use kube::core::{Status, request};
use kube::{Error, Result};
use serde::Serialize;

use crate::exchange::{self, Answer};
use crate::{Api, Object, frames};

/// The subresource of a status.
const STATUS: &str = "status";

/// A request of kube's builder, in which JSON may be.
type Built = Result<http::Request<Vec<u8>>, request::Error>;

impl<K: Object> Api<K> {
    /// Gets an object.
    ///
    /// # Errors
    ///
    /// When the server returns an error, such as `NotFound`, or its answer can't be read.
    pub async fn get(&self, name: &str) -> Result<K> {
        self.get_with(name, &GetParams::default()).await
    }

    /// Gets an object, with a resource version that it must not be older than.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub async fn get_with(&self, name: &str, params: &GetParams) -> Result<K> {
        self.fetch("get", self.request.get(name, params)).await
    }

    /// Gets an object, or `None` if there is none of this name.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get), except for `NotFound`.
    pub async fn get_opt(&self, name: &str) -> Result<Option<K>> {
        match self.get(name).await {
            Ok(object) => Ok(Some(object)),
            Err(Error::Api(status)) if status.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Gets an object by its subresource `status`, which needs a permission of its own.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub async fn get_status(&self, name: &str) -> Result<K> {
        self.fetch("get_status", self.request.get_subresource(STATUS, name))
            .await
    }

    /// Lists objects: all that the parameters select, or one page of them.
    ///
    /// With `limit`, `metadata.continue_` of the list is the `continue_token` of the next page, as
    /// for [`kube::Api::list`].
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get); `Expired` (410) when a token for the next page is too old.
    pub async fn list(&self, params: &ListParams) -> Result<ObjectList<K>> {
        self.send("list", self.request.list(params), None)
            .await?
            .list()
    }

    /// Creates an object, and returns what the server stored.
    ///
    /// A strict `field_validation` has no effect on protobuf, which has no unknown names of fields.
    ///
    /// # Errors
    ///
    /// When the server returns an error, such as `AlreadyExists` or `Invalid`, or its answer can't
    /// be read.
    pub async fn create(&self, params: &PostParams, object: &K) -> Result<K> {
        self.store("create", self.request.create(params, Vec::new()), object)
            .await
    }

    /// Replaces an object, and returns what the server stored.
    ///
    /// Fields that the type doesn't have are lost, such as those of a newer server. With
    /// `metadata.resourceVersion`, an object that has changed since is left as it is.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create); `Conflict` when the object has changed.
    pub async fn replace(&self, name: &str, params: &PostParams, object: &K) -> Result<K> {
        let request = self.request.replace(name, params, Vec::new());
        self.store("replace", request, object).await
    }

    /// Replaces the status of an object, and returns what the server stored.
    ///
    /// # Errors
    ///
    /// As [`replace`](Self::replace).
    pub async fn replace_status(&self, name: &str, params: &PostParams, object: &K) -> Result<K> {
        let request = self
            .request
            .replace_subresource(STATUS, name, params, Vec::new());
        self.store("replace_status", request, object).await
    }

    /// Changes an object by a patch, and returns what the server stored.
    ///
    /// Patches are JSON or YAML; the answer is protobuf.
    ///
    /// # Errors
    ///
    /// As [`replace`](Self::replace), and when the patch can't be written.
    pub async fn patch<P: Serialize + Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<K> {
        self.fetch("patch", self.request.patch(name, params, patch))
            .await
    }

    /// Changes the status of an object by a patch, and returns what the server stored.
    ///
    /// # Errors
    ///
    /// As [`patch`](Self::patch).
    pub async fn patch_status<P: Serialize + Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<K> {
        let request = self.request.patch_subresource(STATUS, name, params, patch);
        self.fetch("patch_status", request).await
    }

    /// Deletes an object: returns it while its deletion isn't complete, and a `Status` otherwise.
    ///
    /// Some kinds are returned even when they are gone.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get); `Conflict` when a precondition doesn't hold.
    pub async fn delete(&self, name: &str, params: &DeleteParams) -> Result<Either<K, Status>> {
        self.send("delete", self.request.delete(name, params), None)
            .await?
            .status_or(Answer::object)
    }

    /// Deletes the objects that the parameters select: returns them or a `Status`.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub async fn delete_collection(
        &self,
        params: &DeleteParams,
        list: &ListParams,
    ) -> Result<Either<ObjectList<K>, Status>> {
        let request = self.request.delete_collection(params, list);
        self.send("delete_collection", request, None)
            .await?
            .status_or(Answer::list)
    }

    /// Watches objects from a resource version on.
    ///
    /// Most programs want [`watcher`](crate::watcher()), which lists and watches again when a watch
    /// ends.
    ///
    /// # Errors
    ///
    /// The call, when the server returns an error. The stream, when an event can't be read, which
    /// is then missing, or when the connection fails, which ends the stream. A connection that
    /// ends, inside an event too, ends the stream without an error.
    pub async fn watch(
        &self,
        params: &WatchParams,
        version: &str,
    ) -> Result<impl Stream<Item = Result<WatchEvent<K>>> + Send + use<K>> {
        let mut request = labelled("watch", self.request.watch(params, version))?;
        frames::accept_uncompressed(&mut request);
        let response = exchange::send::<K>(&self.client, &self.formats, request, None).await?;
        Ok(frames::events(response))
    }

    async fn fetch(&self, label: &'static str, request: Built) -> Result<K> {
        self.send(label, request, None).await?.object()
    }

    async fn store(&self, label: &'static str, request: Built, object: &K) -> Result<K> {
        self.send(label, request, Some(object)).await?.object()
    }

    async fn send(
        &self,
        label: &'static str,
        request: Built,
        object: Option<&K>,
    ) -> Result<Answer> {
        let request = labelled(label, request)?;
        let response = exchange::send(&self.client, &self.formats, request, object).await?;
        exchange::answer(response).await
    }
}

/// Gives a request the label by which kube's tracing names it.
fn labelled(label: &'static str, request: Built) -> Result<http::Request<Vec<u8>>> {
    let mut request = request.map_err(Error::BuildRequest)?;
    request.extensions_mut().insert(label);
    Ok(request)
}
