//! The API of a kind: its scope.

use std::fmt;

use k8s_openapi::NamespaceResourceScope;
use kube::core::{NamespaceScope, Request};
use kube::{Client, Resource};

use crate::Object;
use crate::exchange::Formats;

/// The API of the kind `K`, in protobuf.
///
/// Constructors, methods, parameters and results are those of [`kube::Api`]. Other methods of
/// kube, such as those for metadata only, are in [`as_kube`](Self::as_kube) and use JSON.
///
/// A server that refuses a request in protobuf with the code 406 or 415 gets it again in JSON. If
/// that is taken, this value, its clones, those for other namespaces and watchers of them use JSON
/// from then on.
///
/// ```no_run
/// use kubernetes_protobuf::Api;
/// use storage_v1::StorageClass;
///
/// # async fn example(client: kube::Client) -> kube::Result<()> {
/// let classes: Api<StorageClass> = Api::all(client);
/// for class in classes.list(&Default::default()).await? {
///     println!("{}", class.provisioner);
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// All methods return kube's errors. [`kube::Error::Api`] has the `Status` of a server, and
/// [`kube::Error::SerdeError`] is an answer that can't be read, in protobuf too: kube has no other
/// variant for it.
#[derive(Clone)]
pub struct Api<K> {
    pub(crate) client: Client,
    pub(crate) request: Request,
    pub(crate) formats: Formats,
    json: kube::Api<K>,
}

impl<K: Resource + Clone> From<kube::Api<K>> for Api<K> {
    /// Takes the kind and the scope of an API.
    fn from(json: kube::Api<K>) -> Self {
        Self::new(json, Formats::default())
    }
}

impl<K: Resource + Clone> Api<K> {
    fn new(json: kube::Api<K>, formats: Formats) -> Self {
        Self {
            client: json.clone().into_client(),
            request: Request::new(json.resource_url()),
            formats,
            json,
        }
    }
}

// `Object` is a bound of each constructor instead of all of them, so that the compiler says what to
// do about a kind without protobuf.
impl<K: Resource<DynamicType = ()> + Clone> Api<K> {
    /// The API of a cluster-scoped kind, or of a namespaced kind in all namespaces.
    #[must_use]
    pub fn all(client: Client) -> Self
    where
        K: Object,
    {
        kube::Api::all(client).into()
    }

    /// The API of a namespaced kind in one namespace.
    #[must_use]
    pub fn namespaced(client: Client, namespace: &str) -> Self
    where
        K: Object + Resource<Scope = NamespaceResourceScope>,
    {
        kube::Api::namespaced(client, namespace).into()
    }

    /// The API of a namespaced kind in the default namespace of the client.
    #[must_use]
    pub fn default_namespaced(client: Client) -> Self
    where
        K: Object + Resource<Scope = NamespaceResourceScope>,
    {
        kube::Api::default_namespaced(client).into()
    }

    /// Changes the namespace; an empty one means all.
    #[must_use]
    pub fn constrain(self, namespace: &str) -> Self
    where
        <K as Resource>::Scope: NamespaceScope,
    {
        Self::new(self.json.constrain(namespace), self.formats)
    }

    /// Changes the namespace to the default one of the client.
    #[must_use]
    pub fn constrain_default(self) -> Self
    where
        <K as Resource>::Scope: NamespaceScope,
    {
        Self::new(self.json.constrain_default(), self.formats)
    }

    /// Changes the scope to all namespaces.
    #[must_use]
    pub fn unconstrain(self) -> Self
    where
        <K as Resource>::Scope: NamespaceScope,
    {
        Self::new(self.json.unconstrain(), self.formats)
    }

    /// Returns the namespace, or `None` for all of them and for cluster-scoped kinds.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.json.namespace()
    }
}

impl<K> Api<K> {
    /// Returns the path of the resource on the server.
    #[must_use]
    pub fn resource_url(&self) -> &str {
        &self.request.url_path
    }

    /// Returns kube's API of the same kind and scope, whose methods use JSON.
    #[must_use]
    pub fn as_kube(&self) -> &kube::Api<K> {
        &self.json
    }

    /// Returns the client.
    #[must_use]
    pub fn into_client(self) -> Client {
        self.client
    }
}

impl<K> From<Api<K>> for Client {
    fn from(api: Api<K>) -> Self {
        api.client
    }
}

impl<K> fmt::Debug for Api<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.json.fmt(f)
    }
}
