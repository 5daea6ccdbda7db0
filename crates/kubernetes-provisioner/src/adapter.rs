//! Conversion between the types of a provisioner and those that the controller works with.

use std::any::Any;
use std::borrow::Cow;
use std::marker::PhantomData;

use core_v1::{PersistentVolume, PersistentVolumeClaim};

use crate::error::{BoxError, DeleteError, ProvisionError};
use crate::provisioner::Provisioner;
use crate::request::ProvisionRequest;
use crate::volume::{FromOurs, Volume};

/// A provisioner of volumes of any type, as one of those that the controller works with.
pub(crate) struct Adapter<P, V> {
    inner: P,
    volume: PhantomData<fn() -> V>,
}

impl<P, V> Adapter<P, V> {
    pub(crate) fn new(inner: P) -> Self {
        Self {
            inner,
            volume: PhantomData,
        }
    }
}

impl<V: Volume, P: Provisioner<V>> Provisioner for Adapter<P, V> {
    async fn provision(
        &self,
        request: &ProvisionRequest,
    ) -> Result<PersistentVolume, ProvisionError> {
        let request = same_or(request, typed::<V>);
        self.inner.provision(&request).await.map(V::into)
    }

    fn volume_name(&self, claim: &PersistentVolumeClaim) -> Option<String> {
        let claim = same_or(claim, convert::<_, V::Claim>);
        self.inner.volume_name(&claim)
    }

    async fn delete(&self, volume: &PersistentVolume) -> Result<(), DeleteError> {
        let volume = same_or(volume, convert::<_, V>);
        self.inner.delete(&volume).await
    }

    async fn stored(&self, volume_name: &str) -> Result<(), BoxError> {
        self.inner.stored(volume_name).await
    }

    async fn unstored(&self) -> Result<Vec<PersistentVolume>, BoxError> {
        let volumes = self.inner.unstored().await?;
        Ok(volumes.into_iter().map(V::into).collect())
    }

    fn supports_block(&self) -> bool {
        self.inner.supports_block()
    }

    async fn should_provision(&self, claim: &PersistentVolumeClaim) -> bool {
        let claim = same_or(claim, convert::<_, V::Claim>);
        self.inner.should_provision(&claim).await
    }

    async fn should_delete(&self, volume: &PersistentVolume) -> bool {
        let volume = same_or(volume, convert::<_, V>);
        self.inner.should_delete(&volume).await
    }
}

/// Returns the value itself if it has the wanted type, and converts it otherwise.
fn same_or<O: Any, T: Any + Clone>(ours: &O, convert: impl FnOnce(&O) -> T) -> Cow<'_, T> {
    match (ours as &dyn Any).downcast_ref() {
        Some(same) => Cow::Borrowed(same),
        None => Cow::Owned(convert(ours)),
    }
}

fn convert<O: Clone, T: FromOurs<O>>(ours: &O) -> T {
    T::from_ours(ours.clone())
}

fn typed<V: Volume>(request: &ProvisionRequest) -> ProvisionRequest<V> {
    ProvisionRequest {
        volume_name: request.volume_name.clone(),
        claim: convert(&request.claim),
        class: convert(&request.class),
        selected_node_name: request.selected_node_name.clone(),
        selected_node: request.selected_node.clone(),
    }
}
