//! kube's controller over our watcher.

use kube::Resource;
use kube::runtime::controller::Controller;
use kube::runtime::{WatchStreamExt, reflector};

use crate::{Api, Object, watcher};

/// Returns kube's controller of a kind, as its [`Controller::new`] does, with a watch in protobuf.
///
/// Other kinds are followed in protobuf by [`owns_stream`](Controller::owns_stream) and
/// [`watches_stream`](Controller::watches_stream), with the `touched_objects` of a
/// [`watcher`](watcher()). A controller waits after errors of its streams, so they need no backoff
/// of their own.
///
/// Needs the feature `controller`, which turns on kube's `unstable-runtime`.
pub fn controller<K>(api: Api<K>, config: watcher::Config) -> Controller<K>
where
    K: Object + Resource<DynamicType = ()>,
{
    let (store, writer) = reflector::store();
    let trigger = watcher(api, config).reflect(writer).applied_objects();
    Controller::for_stream(trigger, store)
}
