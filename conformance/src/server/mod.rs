//! A small API server in this process, reached over real TCP.
//!
//! It keeps objects as JSON and behaves like Kubernetes' own server as far as a client can
//! see: lists whose items lack `apiVersion` and `kind`, pages, resource versions and
//! conflicts, the status subresource, and watches with bookmarks. It knows the kinds that it
//! is given and nothing of the crates under test, and it records each request.
//!
//! Not there, and answered with an error: selectors, JSON patches and strategic ones, deleting
//! collections, and expiry of resource versions. Finalizers are ignored. Applying sets what
//! is sent, but nobody's ownership is kept.

mod answer;
mod http;
mod store;
mod watch;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{any::TypeId, io};

use k8s_openapi::{ListableResource, NamespaceResourceScope};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use self::store::Store;

/// What the server has to know of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceType {
    /// Group and version, such as `storage.k8s.io/v1`.
    pub api_version: &'static str,
    /// The name in paths, such as `csidrivers`.
    pub plural: &'static str,
    /// The kind of an object.
    pub kind: &'static str,
    /// The kind of a list.
    pub list_kind: &'static str,
    /// Whether objects are in namespaces.
    pub namespaced: bool,
    /// Whether the status is a subresource.
    pub status: bool,
}

impl ResourceType {
    /// Takes everything from the constants of a type, except whether the status is a
    /// subresource.
    pub fn of<K>(status: bool) -> Self
    where
        K: ListableResource,
        K::Scope: 'static,
    {
        Self {
            api_version: K::API_VERSION,
            plural: K::URL_PATH_SEGMENT,
            kind: K::KIND,
            list_kind: K::LIST_KIND,
            namespaced: TypeId::of::<K::Scope>()
                == TypeId::of::<NamespaceResourceScope>(),
            status,
        }
    }
}

/// One request, as it came in.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The HTTP method.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The query, as in the URL.
    pub query: String,
    /// The content type, or the empty string.
    pub content_type: String,
    /// The body, unless it is empty.
    pub body: Option<Value>,
}

/// What all connections share.
#[derive(Debug)]
struct Shared {
    store: Mutex<Store>,
    requests: Mutex<Vec<Request>>,
}

/// A failed assertion elsewhere must not hide behind a poisoned lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A running server; it stops when this is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

impl Server {
    /// Starts a server for `resources` on a free port of this host.
    ///
    /// # Errors
    ///
    /// When no port can be had.
    pub async fn start(resources: Vec<ResourceType>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            store: Mutex::new(Store::new(resources)),
            requests: Mutex::default(),
        });
        let router = http::router(Arc::clone(&shared));
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                eprintln!("the API server stopped: {error}");
            }
        });
        Ok(Self {
            address,
            shared,
            task,
        })
    }

    /// Where clients find the server.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests since the last call, in the order in which they came in.
    pub fn take_requests(&self) -> Vec<Request> {
        std::mem::take(&mut lock(&self.shared.requests))
    }

    /// The object at `path` as it is stored, or `None`.
    pub fn stored(&self, path: &str) -> Option<Value> {
        lock(&self.shared.store).at(path).cloned()
    }

    /// Stores an object behind the clients' backs, as a newer server or another client may
    /// have done; `collection` is the path that it would be posted to.
    ///
    /// # Errors
    ///
    /// With the server's answer, when it would refuse the object.
    pub fn insert(&self, collection: &str, object: Value) -> Result<(), Value> {
        let mut store = lock(&self.shared.store);
        let target = store.resolve(collection).map_err(|error| error.into_body())?;
        store.create(&target, object).map(drop).map_err(|error| error.into_body())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}
