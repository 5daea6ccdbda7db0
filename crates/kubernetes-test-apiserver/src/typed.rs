//! Reading and writing objects by their types, behind the clients' backs.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::{Metadata, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::refusal::Refusal;
use crate::server::Server;
use crate::store::Store;
use crate::target::Target;

impl Server {
    /// Returns an object.
    ///
    /// # Errors
    ///
    /// When there is none, or when it can't be read as `K`.
    pub fn get<K>(&self, namespace: Option<&str>, name: &str) -> Result<K, Refusal>
    where
        K: Resource + DeserializeOwned,
    {
        let store = self.shared.store.lock();
        let object = store.get(&target::<K>(&store, namespace, Some(name))?)?;
        read(object.value())
    }

    /// Returns all objects of a namespace, or of the cluster.
    ///
    /// # Errors
    ///
    /// When one can't be read as `K`.
    pub fn list<K>(&self, namespace: Option<&str>) -> Result<Vec<K>, Refusal>
    where
        K: Resource + DeserializeOwned,
    {
        let store = self.shared.store.lock();
        let objects = store.all(&target::<K>(&store, namespace, None)?)?;
        objects.iter().map(|object| read(object.value())).collect()
    }

    /// Creates an object, and returns it as it is stored. What is namespaced needs a
    /// namespace.
    ///
    /// # Errors
    ///
    /// When the server would refuse it.
    pub fn create<K>(&self, object: &K) -> Result<K, Refusal>
    where
        K: Metadata<Ty = ObjectMeta> + Serialize + DeserializeOwned,
    {
        let mut store = self.shared.store.lock();
        let namespace = object.metadata().namespace.as_deref();
        let target = target::<K>(&store, namespace, None)?;
        read(store.create(&target, write(object)?)?.value())
    }

    /// Replaces an object, and returns it as it is stored; of kinds with a status subresource,
    /// the status too.
    ///
    /// # Errors
    ///
    /// When the server would refuse it.
    pub fn update<K>(&self, object: &K) -> Result<K, Refusal>
    where
        K: Metadata<Ty = ObjectMeta> + Serialize + DeserializeOwned,
    {
        let mut store = self.shared.store.lock();
        let metadata = object.metadata();
        let (namespace, name) = (metadata.namespace.as_deref(), metadata.name.as_deref());
        let target = target::<K>(&store, namespace, Some(name.unwrap_or_default()))?;
        let sent = write(object)?;
        // The version was checked when the rest was replaced.
        let status = sent
            .get("status")
            .cloned()
            .filter(|_| target.resource.status);
        let mut stored = store.replace(&target, sent)?;
        if let Some(status) = status {
            stored = store.modify(&target, |object| {
                if let Some(fields) = object.as_object_mut() {
                    fields.insert("status".to_owned(), status);
                }
            })?;
        }
        read(stored.value())
    }

    /// Deletes an object, or begins to, if it has finalizers.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn delete<K: Resource>(&self, namespace: Option<&str>, name: &str) -> Result<(), Refusal> {
        let mut store = self.shared.store.lock();
        let target = target::<K>(&store, namespace, Some(name))?;
        store.delete(&target, None).map(drop)
    }
}

fn target<K: Resource>(
    store: &Store,
    namespace: Option<&str>,
    name: Option<&str>,
) -> Result<Target, Refusal> {
    let kind = (K::API_VERSION, K::URL_PATH_SEGMENT);
    store.target(kind, namespace, name, false)
}

fn read<K: DeserializeOwned>(object: &Value) -> Result<K, Refusal> {
    K::deserialize(object).map_err(|error| {
        Refusal::new(
            500,
            "InternalError",
            format!("can't read an object: {error}"),
        )
    })
}

fn write<K: Serialize>(object: &K) -> Result<Value, Refusal> {
    serde_json::to_value(object)
        .map_err(|error| Refusal::bad_request(format!("can't write an object: {error}")))
}
