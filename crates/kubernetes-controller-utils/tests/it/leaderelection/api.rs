//! An API server that has one Lease, and faults on demand.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use http::{Method, Request, Response};
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

/// A fault of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// It has no effect and gets an error.
    Refuse(u16),
    /// It has no effect and no answer.
    Hang,
    /// It takes effect, and the connection breaks.
    LoseAnswer,
    /// It takes effect, and there is no answer.
    HangAfter,
    /// It takes effect after this time, even if nobody waits for the answer any longer.
    Slow(Duration),
}

/// The faults of one client.
#[derive(Clone, Debug)]
struct Faults {
    reads: Fault,
    writes: Fault,
    /// The faults of the next writes.
    next_writes: VecDeque<Fault>,
}

/// A request, as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub(crate) client: String,
    pub(crate) method: Method,
    pub(crate) at: Instant,
}

#[derive(Debug, Default)]
struct State {
    lease: Option<Value>,
    version: u64,
    faults: HashMap<String, Faults>,
    arrivals: Vec<Arrival>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ApiServer(Arc<Mutex<State>>);

impl ApiServer {
    /// Returns a client that has faults of its own.
    pub(crate) fn client(&self, client: &str) -> Client {
        let (server, client) = (self.clone(), client.to_owned());
        let service = tower::service_fn(move |request| {
            let (server, client) = (server.clone(), client.clone());
            async move { server.answer(&client, request).await }
        });
        Client::new(service, "default")
    }

    /// Sets the fault of all requests of a client.
    pub(crate) fn fail(&self, client: &str, fault: Fault) {
        *self.lock().faults_of(client) = Faults {
            reads: fault,
            writes: fault,
            next_writes: VecDeque::new(),
        };
    }

    pub(crate) fn fail_writes(&self, client: &str, fault: Fault) {
        self.lock().faults_of(client).writes = fault;
    }

    pub(crate) fn fail_next_write(&self, client: &str, fault: Fault) {
        self.lock().faults_of(client).next_writes.push_back(fault);
    }

    pub(crate) fn lease(&self) -> Option<Lease> {
        let stored = self.lock().lease.clone()?;
        Some(serde_json::from_value(stored).unwrap())
    }

    /// The contents of the Lease, which must exist.
    pub(crate) fn spec(&self) -> LeaseSpec {
        self.lease().unwrap().spec.unwrap_or_default()
    }

    /// Stores a Lease, whatever is stored.
    pub(crate) fn seed(&self, spec: Value) {
        let mut state = self.lock();
        state.store(json!({
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": "lock", "namespace": "storage", "labels": {"a": "b"}},
            "spec": spec,
        }));
    }

    /// Changes the Lease as somebody else.
    pub(crate) fn edit(&self, change: impl FnOnce(&mut Value)) {
        let mut state = self.lock();
        let mut lease = state.lease.clone().unwrap();
        change(&mut lease);
        state.store(lease);
    }

    pub(crate) fn delete(&self) {
        self.lock().lease = None;
    }

    pub(crate) fn arrivals(&self, client: &str) -> Vec<Arrival> {
        let mut arrivals = self.lock().arrivals.clone();
        arrivals.retain(|arrival| arrival.client == client);
        arrivals
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    async fn answer(
        &self,
        client: &str,
        request: Request<Body>,
    ) -> Result<Response<Body>, std::io::Error> {
        let (parts, body) = request.into_parts();
        let body = body.collect_bytes().await.unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let (method, path) = (parts.method, parts.uri.path().to_owned());
        let fault = self.arrive(client, &method);
        let server = self.clone();
        let act = move || server.lock().act(&method, &path, body);
        let (code, body) = match fault {
            Fault::None => act(),
            Fault::Refuse(code) => refusal(code, "refused on demand"),
            Fault::Hang => std::future::pending().await,
            Fault::LoseAnswer => {
                act();
                return Err(std::io::ErrorKind::ConnectionReset.into());
            }
            Fault::HangAfter => {
                act();
                std::future::pending().await
            }
            Fault::Slow(time) => {
                let later = async move {
                    sleep(time).await;
                    act()
                };
                tokio::spawn(later).await.unwrap()
            }
        };
        let answer = Response::builder().status(code);
        Ok(answer
            .body(Body::from(body.to_string().into_bytes()))
            .unwrap())
    }

    fn arrive(&self, client: &str, method: &Method) -> Fault {
        let mut state = self.lock();
        state.arrivals.push(Arrival {
            client: client.to_owned(),
            method: method.clone(),
            at: Instant::now(),
        });
        let faults = state.faults_of(client);
        if method == Method::GET {
            return faults.reads;
        }
        faults.next_writes.pop_front().unwrap_or(faults.writes)
    }
}

impl State {
    fn faults_of(&mut self, client: &str) -> &mut Faults {
        self.faults
            .entry(client.to_owned())
            .or_insert_with(|| Faults {
                reads: Fault::None,
                writes: Fault::None,
                next_writes: VecDeque::new(),
            })
    }

    fn act(&mut self, method: &Method, path: &str, body: Value) -> (u16, Value) {
        let collection = "/apis/coordination.k8s.io/v1/namespaces/storage/leases";
        match (method.as_str(), path.strip_prefix(collection)) {
            ("GET", Some("/lock")) => match &self.lease {
                Some(lease) => (200, lease.clone()),
                None => refusal(404, "leases \"lock\" not found"),
            },
            ("POST", Some("")) => self.create(body),
            ("PUT", Some("/lock")) => self.update(body),
            _ => refusal(405, path),
        }
    }

    fn create(&mut self, lease: Value) -> (u16, Value) {
        if self.lease.is_some() {
            return refusal(409, "leases \"lock\" already exists");
        }
        if !is_valid(&lease) || lease.pointer("/metadata/resourceVersion").is_some() {
            return refusal(422, "invalid");
        }
        (201, self.store(lease))
    }

    /// Updates the Lease as a server does: an update needs a resource version, a UID is a
    /// condition, and an update without a change gets no new version.
    fn update(&mut self, lease: Value) -> (u16, Value) {
        let of = |lease: &Value, field: &str| lease["metadata"][field].clone();
        let Some(stored) = &self.lease else {
            return refusal(409, "the UID is not that of the stored object");
        };
        if !is_valid(&lease) || of(&lease, "resourceVersion").is_null() {
            return refusal(422, "invalid");
        }
        for field in ["resourceVersion", "uid"] {
            if of(&lease, field) != of(stored, field) {
                return refusal(409, "the object has been modified");
            }
        }
        if lease == *stored {
            return (200, lease);
        }
        (200, self.store(lease))
    }

    fn store(&mut self, mut lease: Value) -> Value {
        self.version += 1;
        let version = self.version.to_string();
        if lease["metadata"]["uid"].is_null() {
            lease["metadata"]["uid"] = format!("uid-{version}").into();
        }
        lease["metadata"]["resourceVersion"] = version.into();
        self.lease = Some(lease.clone());
        lease
    }
}

fn is_valid(lease: &Value) -> bool {
    lease["apiVersion"] == "coordination.k8s.io/v1"
        && lease["kind"] == "Lease"
        && lease["metadata"]["name"] == "lock"
        && lease["spec"]["leaseDurationSeconds"]
            .as_i64()
            .is_none_or(|n| n > 0)
        && lease["spec"]["leaseTransitions"]
            .as_i64()
            .is_none_or(|n| n >= 0)
}

fn refusal(code: u16, message: &str) -> (u16, Value) {
    let reason = match code {
        403 => "Forbidden",
        404 => "NotFound",
        409 if message.ends_with("exists") => "AlreadyExists",
        409 => "Conflict",
        422 => "Invalid",
        _ => "InternalError",
    };
    let body = json!({
        "apiVersion": "v1",
        "kind": "Status",
        "status": "Failure",
        "code": code,
        "reason": reason,
        "message": message,
    });
    (code, body)
}
