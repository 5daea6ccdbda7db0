//! Streams of claims, volumes and classes.

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use futures::StreamExt;
use futures::stream::BoxStream;
use kube::Client;
use kube::api::Api;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, watcher};
use kubernetes_kinds::Lean;
use storage_v1::StorageClass;

/// An item of a watch of objects of the kind `K`.
pub type WatchItem<K> = watcher::Result<watcher::Event<Lean<K>>>;

pub(crate) type WatchStream<K> = BoxStream<'static, WatchItem<K>>;

/// The streams that the builder was given, which replace the controller's own watches.
#[derive(Default)]
pub(crate) struct Streams {
    pub(crate) claims: Option<WatchStream<PersistentVolumeClaim>>,
    pub(crate) volumes: Option<WatchStream<PersistentVolume>>,
    pub(crate) classes: Option<WatchStream<StorageClass>>,
}

/// The watches of a controller: the streams that the builder was given, or its own watches.
pub(crate) struct Watches {
    pub(crate) claims: WatchStream<PersistentVolumeClaim>,
    pub(crate) volumes: WatchStream<PersistentVolume>,
    pub(crate) classes: WatchStream<StorageClass>,
}

impl Watches {
    pub(crate) fn new(client: &Client, streams: Streams) -> Self {
        let Streams {
            claims,
            volumes,
            classes,
        } = streams;
        Self {
            claims: claims.unwrap_or_else(|| own(Api::all(client.clone()))),
            volumes: volumes.unwrap_or_else(|| own(Api::all(client.clone()))),
            classes: classes.unwrap_or_else(|| own(Api::all(client.clone()))),
        }
    }
}

fn own<K>(api: Api<Lean<K>>) -> WatchStream<K>
where
    Lean<K>: kube::Resource + serde::de::DeserializeOwned + Clone + Send + std::fmt::Debug,
    K: 'static,
{
    watcher(api, watcher::Config::default())
        .default_backoff()
        .boxed()
}
