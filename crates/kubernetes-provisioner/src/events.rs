//! Events about claims and volumes.
//!
//! They are events of the core group, for which roles of provisioners commonly have the
//! permission. Publishing never delays the work: a task writes them one after the other, and
//! drops those that it can't keep up with. An event that is repeated is counted.

use std::collections::HashMap;
use std::time::Duration;

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;
use k8s_openapi::{Metadata, Resource};
use kube::Client;
use kube::api::{Api, Patch, PatchParams, PostParams};
use tokio::sync::mpsc;
use tracing::debug;

/// The most events that may wait.
const WAITING: usize = 1000;
/// The most events that are remembered to count repetitions.
const REMEMBERED: usize = 1000;
/// The longest message; a server of the newer event API refuses longer ones.
const LONGEST_MESSAGE: usize = 1024;
/// The longest name of an object.
const LONGEST_NAME: usize = 253;
/// The time limit for writing one event.
const TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Reason {
    Provisioning,
    ProvisioningSucceeded,
    ProvisioningFailed,
    ProvisioningCleanupFailed,
    VolumeDelete,
    VolumeFailedDelete,
}

impl Reason {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Provisioning => "Provisioning",
            Self::ProvisioningSucceeded => "ProvisioningSucceeded",
            Self::ProvisioningFailed => "ProvisioningFailed",
            Self::ProvisioningCleanupFailed => "ProvisioningCleanupFailed",
            Self::VolumeDelete => "VolumeDelete",
            Self::VolumeFailedDelete => "VolumeFailedDelete",
        }
    }

    const fn type_(self) -> &'static str {
        match self {
            Self::Provisioning | Self::ProvisioningSucceeded | Self::VolumeDelete => "Normal",
            _ => "Warning",
        }
    }
}

struct Message {
    about: ObjectReference,
    reason: Reason,
    text: String,
}

/// A publisher of events. Clones publish to the same place.
#[derive(Clone)]
pub(crate) struct Events {
    sender: mpsc::Sender<Message>,
}

impl Events {
    /// Returns the events and the task that writes them, which ends once all clones of the
    /// events are dropped.
    pub(crate) fn new(
        client: Client,
        component: String,
        instance: String,
    ) -> (Self, impl Future<Output = ()> + Send) {
        let (sender, receiver) = mpsc::channel(WAITING);
        let writer = Writer {
            client,
            component,
            instance,
            published: HashMap::new(),
        };
        (Self { sender }, writer.run(receiver))
    }

    pub(crate) fn claim(
        &self,
        claim: &PersistentVolumeClaim,
        reason: Reason,
        text: impl Into<String>,
    ) {
        self.publish(claim, reason, text.into());
    }

    pub(crate) fn volume(
        &self,
        volume: &PersistentVolume,
        reason: Reason,
        text: impl Into<String>,
    ) {
        self.publish(volume, reason, text.into());
    }

    fn publish<K>(&self, object: &K, reason: Reason, mut text: String)
    where
        K: Metadata<Ty = ObjectMeta> + Resource,
    {
        shorten(&mut text);
        let metadata = object.metadata();
        let about = ObjectReference {
            api_version: Some(K::API_VERSION.to_owned()),
            kind: Some(K::KIND.to_owned()),
            name: metadata.name.clone(),
            namespace: metadata.namespace.clone(),
            uid: metadata.uid.clone(),
            resource_version: metadata.resource_version.clone(),
            field_path: None,
        };
        let message = Message {
            about,
            reason,
            text,
        };
        if self.sender.try_send(message).is_err() {
            debug!(
                reason = reason.as_str(),
                "dropped an event: too many are pending"
            );
        }
    }
}

/// Returns the name of an event: that of its object, as far as there is room for it, and the time.
fn event_name(object: &str, time: Timestamp) -> String {
    let time = format!(".{:x}", time.as_nanosecond());
    let room = LONGEST_NAME.saturating_sub(time.len());
    let object = object.get(..room).unwrap_or(object);
    // A part of a name ends in a letter or digit.
    let object = object.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    format!("{object}{time}")
}

fn shorten(text: &mut String) {
    let mut end = LONGEST_MESSAGE.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
}

/// The parts of an event that its repetitions have in common.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    uid: Option<String>,
    reason: Reason,
    text: String,
}

struct Published {
    name: String,
    count: i32,
}

struct Writer {
    client: Client,
    component: String,
    instance: String,
    published: HashMap<Key, Published>,
}

impl Writer {
    async fn run(mut self, mut receiver: mpsc::Receiver<Message>) {
        while let Some(message) = receiver.recv().await {
            let reason = message.reason.as_str();
            match tokio::time::timeout(TIMEOUT, self.write(message)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => debug!(reason, %error, "failed to write an event"),
                Err(_) => debug!(reason, timeout = ?TIMEOUT, "failed to write an event"),
            }
        }
    }

    async fn write(&mut self, message: Message) -> kube::Result<()> {
        let Message {
            about,
            reason,
            text,
        } = message;
        // Events about objects without a namespace are in this one.
        let namespace = about.namespace.as_deref().unwrap_or("default");
        let api = Api::<Event>::namespaced(self.client.clone(), namespace);
        let key = Key {
            uid: about.uid.clone(),
            reason,
            text,
        };
        if let Some(published) = self.published.get_mut(&key) {
            published.count = published.count.saturating_add(1);
            let patch = serde_json::json!({
                "count": published.count,
                "lastTimestamp": Time(Timestamp::now()),
            });
            let params = PatchParams::default();
            match api
                .patch(&published.name, &params, &Patch::Merge(patch))
                .await
            {
                // Servers delete events after an hour.
                Err(kube::Error::Api(status)) if status.is_not_found() => {}
                result => return result.map(drop),
            }
        }
        let event = self.event(about.clone(), namespace, reason, &key.text);
        let name = event.metadata.name.clone().unwrap_or_default();
        api.create(&PostParams::default(), &event).await?;
        if self.published.len() >= REMEMBERED {
            self.published.clear();
        }
        self.published.insert(key, Published { name, count: 1 });
        Ok(())
    }

    fn event(&self, about: ObjectReference, namespace: &str, reason: Reason, text: &str) -> Event {
        let now = Timestamp::now();
        let name = event_name(about.name.as_deref().unwrap_or_default(), now);
        Event {
            metadata: kubernetes_kinds::named_in(name, namespace),
            involved_object: about,
            reason: Some(reason.as_str().to_owned()),
            message: Some(text.to_owned()),
            type_: Some(reason.type_().to_owned()),
            count: Some(1),
            first_timestamp: Some(Time(now)),
            last_timestamp: Some(Time(now)),
            source: Some(EventSource {
                component: Some(format!("{}_{}", self.component, self.instance)),
                host: None,
            }),
            reporting_component: Some(self.component.clone()),
            reporting_instance: Some(self.instance.clone()),
            ..Event::default()
        }
    }
}
