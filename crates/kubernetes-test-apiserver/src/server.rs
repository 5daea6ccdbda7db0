//! The server, as tests use it.

use std::io;
use std::sync::Arc;

use kube::{Client, Config};
use serde_json::Value;
use tokio::task::JoinHandle;

use crate::listener::{Acceptor, Connection, Port};
use crate::refusal::Refusal;
use crate::shared::Shared;
use crate::store::Store;
use crate::{FaultRule, Request, ResourceType, http};

/// A running server; it stops when this is dropped.
///
/// Its methods act at once and never wait for a client. They need no permissions, have no
/// faults and are not counted.
pub struct Server {
    pub(crate) shared: Arc<Shared>,
    port: Arc<Port>,
    config: Config,
    client: Client,
    task: JoinHandle<()>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("url", &self.url())
            .finish_non_exhaustive()
    }
}

impl Server {
    /// Starts a server for the kinds of [`ResourceType::built_in`] on a free port of this host.
    ///
    /// # Errors
    ///
    /// When no port can be had.
    pub async fn start() -> io::Result<Self> {
        Self::start_with(ResourceType::built_in()).await
    }

    /// Starts a server for these kinds, as [`start`](Self::start) does.
    ///
    /// # Errors
    ///
    /// When no port can be had.
    pub async fn start_with(resources: Vec<ResourceType>) -> io::Result<Self> {
        let port = Port::open()?;
        let shared = Arc::new(Shared::new(Store::new(resources)));
        let url = format!("http://{}", port.address());
        let mut config = Config::new(url.parse().map_err(io::Error::other)?);
        config.default_retry = false;
        let client = Client::try_from(config.clone()).map_err(io::Error::other)?;
        let service =
            http::router(Arc::clone(&shared)).into_make_service_with_connect_info::<Connection>();
        let acceptor = Acceptor(Arc::clone(&port));
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(acceptor, service).await {
                tracing::error!(%error, "the API server stopped");
            }
        });
        Ok(Self {
            shared,
            port,
            config,
            client,
            task,
        })
    }

    /// Returns where clients find the server, such as `http://127.0.0.1:40001`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.port.address())
    }

    /// Returns a client of the server. All its clones share their connections.
    ///
    /// It reports each error: it doesn't repeat requests that are answered with 429, 503 or
    /// 504, as clients of kube do by default.
    #[must_use]
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Returns the configuration of [`Server::client`], to make another client from.
    #[must_use]
    pub fn config(&self) -> Config {
        self.config.clone()
    }

    /// Returns the requests since the last call, in the order in which they came in; of more
    /// than 10,000, the last ones.
    ///
    /// Requests that are refused for their format aren't among them, have no faults and aren't
    /// counted: a body that isn't JSON, and an answer that must not be. Clients of protobuf send
    /// them again in JSON.
    pub fn take_requests(&self) -> Vec<Request> {
        self.shared.log.lock().take()
    }

    /// Returns how many requests there have been since the start with a verb and a resource of
    /// RBAC, such as `list` and `persistentvolumes`; `*` matches all.
    #[must_use]
    pub fn count(&self, verb: &str, resource: &str) -> u64 {
        self.shared.log.lock().count(verb, resource)
    }

    /// Returns the object at `path` as it is stored, or `None`.
    #[must_use]
    pub fn stored(&self, path: &str) -> Option<Value> {
        let store = self.shared.store.lock();
        let target = store.resolve(path).ok()?;
        Some(store.get(&target).ok()?.value().clone())
    }

    /// Stores an object behind the clients' backs, as a newer server or another client may
    /// have done; `collection` is the path that it would be posted to.
    ///
    /// # Errors
    ///
    /// With the server's answer, when it would refuse the object.
    pub fn insert(&self, collection: &str, object: Value) -> Result<(), Refusal> {
        let mut store = self.shared.store.lock();
        let target = store.resolve(collection)?;
        store.create(&target, object).map(drop)
    }

    /// Lets requests fail. Rules are tried in the order in which they were injected.
    pub fn inject(&self, rule: FaultRule) {
        self.shared.rules.lock().inject(rule);
    }

    /// Removes all rules of [`Server::inject`].
    pub fn clear_faults(&self) {
        self.shared.rules.lock().clear();
    }

    /// Answers requests with this verb and resource of RBAC with 403; `*` matches all.
    pub fn forbid(&self, verb: &str, resource: &str) {
        self.shared.rules.lock().forbid(verb, resource);
    }

    /// Undoes a [`Server::forbid`] with the same arguments.
    pub fn allow(&self, verb: &str, resource: &str) {
        self.shared.rules.lock().allow(verb, resource);
    }

    /// Takes the server away: all connections break, and new ones are refused, until
    /// [`Server::resume`]. Its objects stay.
    pub fn pause(&self) {
        self.port.close();
    }

    /// Lets the server hang: connections stay and new ones are accepted, but no request is
    /// carried out and no watch gets events, until [`Server::resume`].
    pub fn hang(&self) {
        self.shared.hang(true);
    }

    /// Ends [`Server::pause`] and [`Server::hang`]; the address is the same as before.
    ///
    /// # Errors
    ///
    /// When another process has taken the port, which Linux prevents.
    pub fn resume(&self) -> io::Result<()> {
        self.shared.hang(false);
        self.port.reopen()
    }

    /// Forgets all history: new watches and pages of lists at older resource versions than
    /// the newest are answered with 410. Watches that run go on.
    pub fn compact(&self) {
        self.shared.store.lock().compact();
    }

    /// Sets how many changes of each kind are kept for watches and pages; 100,000 at first.
    pub fn keep_history(&self, changes: usize) {
        self.shared.store.lock().keep(changes);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
        self.port.close();
    }
}
