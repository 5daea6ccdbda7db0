//! Streams of claims, volumes and classes.

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use futures::StreamExt;
use futures::stream::BoxStream;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher;
use kubernetes_kinds::Lean;
use kubernetes_protobuf::{Api, Object};
use storage_v1::StorageClass;

use crate::api::Cluster;

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
    /// True if the watch of claims is the controller's own.
    pub(crate) has_own_claims: bool,
    pub(crate) claims: WatchStream<PersistentVolumeClaim>,
    pub(crate) volumes: WatchStream<PersistentVolume>,
    pub(crate) classes: WatchStream<StorageClass>,
}

impl Watches {
    pub(crate) fn new(cluster: &Cluster, streams: Streams) -> Self {
        let Streams {
            claims,
            volumes,
            classes,
        } = streams;
        let all_classes = || own(Api::all(cluster.client().clone()));
        Self {
            has_own_claims: claims.is_none(),
            claims: claims.unwrap_or_else(|| own(cluster.claims().clone())),
            volumes: volumes.unwrap_or_else(|| own(cluster.volumes().clone())),
            classes: classes.unwrap_or_else(all_classes),
        }
    }
}

fn own<K: 'static>(api: Api<Lean<K>>) -> WatchStream<K>
where
    Lean<K>: Object,
{
    kubernetes_protobuf::watcher(api, watcher::Config::default())
        .default_backoff()
        .boxed()
}
