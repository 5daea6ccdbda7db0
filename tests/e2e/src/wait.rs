//! Waiting for what a control plane does with an object.

use std::fmt::Debug;
use std::time::Duration;

use k8s_openapi::api::core::v1::Event;
use kube::api::ListParams;
use kube::{Api, Client, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::{ControlPlane, Error};

/// The time limit if the caller sets none.
const LIMIT: Duration = Duration::from_secs(30);

/// The time between two requests.
const PAUSE: Duration = Duration::from_millis(50);

/// The time that the server may take to list events.
const PATIENCE: Duration = Duration::from_secs(5);

/// The number of events that are shown.
const EVENTS: usize = 20;

/// An object of a control plane that is there already or will be.
///
/// [`ControlPlane::object`] returns it.
#[must_use]
pub struct Awaited<'a, K> {
    server: &'a ControlPlane,
    objects: &'a Api<K>,
    name: &'a str,
    limit: Duration,
}

impl ControlPlane {
    /// Returns one object of an API, to wait for what the control plane does with it.
    ///
    /// ```no_run
    /// # async fn example(server: e2e::ControlPlane) -> Result<(), Box<dyn std::error::Error>> {
    /// use core_v1::PersistentVolumeClaim;
    ///
    /// let claims = kube::Api::default_namespaced(server.client()?);
    /// let is_assigned = |claim: &PersistentVolumeClaim| {
    ///     claim.spec.as_ref().is_some_and(|spec| spec.volume_name.is_some())
    /// };
    /// let claim = server.object(&claims, "data").until("to have a volume", is_assigned).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn object<'a, K>(&'a self, objects: &'a Api<K>, name: &'a str) -> Awaited<'a, K> {
        Awaited::new(self, objects, name)
    }
}

impl<'a, K> Awaited<'a, K> {
    fn new(server: &'a ControlPlane, objects: &'a Api<K>, name: &'a str) -> Self {
        Self {
            server,
            objects,
            name,
            limit: LIMIT,
        }
    }

    /// Sets how long is waited; 30 s by default.
    pub fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }
}

impl<K: Clone + Debug + DeserializeOwned + Resource + Serialize> Awaited<'_, K> {
    /// Waits until a condition holds for the object, and returns the object. An object that isn't
    /// there may appear meanwhile. The error names the condition as `what`, as in `to be bound`.
    ///
    /// # Errors
    ///
    /// When time is up: the error has the object as it was last, the last events of all namespaces
    /// and the last lines of the servers' logs. When a server has ended.
    pub async fn until(
        &self,
        what: &str,
        mut condition: impl FnMut(&K) -> bool,
    ) -> Result<K, Error> {
        self.poll(what, |object| object.filter(|object| condition(object)))
            .await
    }

    /// Waits until there is no such object.
    ///
    /// # Errors
    ///
    /// As for [`until`](Self::until).
    pub async fn until_gone(&self) -> Result<(), Error> {
        self.poll("to be gone", |object| object.is_none().then_some(()))
            .await
    }

    async fn poll<T>(
        &self,
        what: &str,
        mut wanted: impl FnMut(Option<K>) -> Option<T>,
    ) -> Result<T, Error> {
        let deadline = Instant::now() + self.limit;
        let mut last = "the server has not answered".to_owned();
        loop {
            match timeout_at(deadline, self.objects.get_opt(self.name)).await {
                Ok(Ok(object)) => {
                    let shown = object.clone();
                    if let Some(found) = wanted(object) {
                        return Ok(found);
                    }
                    last = shown.map_or_else(|| "there is none".to_owned(), |o| show(&o));
                }
                Ok(Err(error)) => last = format!("it can't be read: {error}"),
                Err(_) => {}
            }
            self.server.check()?;
            if Instant::now() >= deadline {
                return Err(self.time_is_up(what, &last).await);
            }
            sleep(PAUSE).await;
        }
    }

    async fn time_is_up(&self, what: &str, last: &str) -> Error {
        let events = events(self.objects.clone().into_client()).await;
        Error::new(format!(
            "waited {:?} for {}/{} {what}; {last}\n{events}\n{}",
            self.limit,
            self.objects.resource_url(),
            self.name,
            self.server.logs()
        ))
    }
}

/// The last events of all namespaces: schedulers, controllers and provisioners say there why
/// something didn't happen.
async fn events(client: Client) -> String {
    let all: Api<Event> = Api::all(client);
    let mut events = match timeout(PATIENCE, all.list(&ListParams::default())).await {
        Ok(Ok(list)) => list.items,
        Ok(Err(error)) => return format!("events can't be read: {error}"),
        Err(_) => return "events can't be read: the server doesn't answer".to_owned(),
    };
    // By time, as far as servers say it: some set one time, some another.
    events.sort_by_key(|event| event.metadata.creation_timestamp.clone());
    let shown = &events[events.len().saturating_sub(EVENTS)..];
    if shown.is_empty() {
        return "there are no events".to_owned();
    }
    let lines = shown.iter().map(|event| {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let of = &event.involved_object;
        format!(
            "\n  {} {}, {} {}: {}",
            text(&event.type_),
            text(&event.reason),
            text(&of.kind),
            text(&of.name),
            text(&event.message)
        )
    });
    format!("the last events:{}", lines.collect::<String>())
}

/// An object as JSON, without what only field managers read.
fn show(object: &impl Serialize) -> String {
    let mut value = match serde_json::to_value(object) {
        Ok(value) => value,
        Err(error) => return format!("it can't be written: {error}"),
    };
    if let Some(metadata) = value.get_mut("metadata").and_then(|m| m.as_object_mut()) {
        metadata.remove("managedFields");
    }
    format!("it is\n{value:#}")
}
