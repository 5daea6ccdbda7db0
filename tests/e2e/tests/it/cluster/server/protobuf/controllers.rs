//! kube's `Controller` over watchers in protobuf.

use std::convert::Infallible;
use std::sync::Arc;

use core_v1::PersistentVolume;
use futures::StreamExt;
use kube::api::PostParams;
use kube::runtime::WatchStreamExt;
use kube::runtime::controller::Action;
use kube::runtime::reflector::ObjectRef;
use kube::runtime::watcher::Config;
use kube::{Resource, ResourceExt};
use kubernetes_kinds::WithMetadata;
use kubernetes_protobuf::{Api, watcher};
use serde_json::json;
use storage_v1::{CSIDriver, CSIDriverSpec, StorageClass};
use tokio::sync::{mpsc, oneshot};

use super::{Observed, class};
use crate::cluster::server::run;

const NAME: &str = "pb-controlled";
const DRIVER: &str = "pb-controlled.example.com";

type Reconciled = mpsc::UnboundedSender<Arc<StorageClass>>;

async fn reconcile(
    class: Arc<StorageClass>,
    reconciled: Arc<Reconciled>,
) -> Result<Action, Infallible> {
    reconciled.send(class).unwrap();
    Ok(Action::await_change())
}

fn never(_: Arc<StorageClass>, error: &Infallible, _: Arc<Reconciled>) -> Action {
    match *error {}
}

/// A class, its driver, and a volume that it owns: each change is one reconciliation.
#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn a_controller_follows_its_kind_and_others() {
    run(async |server| {
        let observed = Observed::new(server.client.clone(), |_| {});
        let classes: Api<StorageClass> = Api::all(observed.client.clone());
        let drivers: Api<CSIDriver> = Api::all(observed.client.clone());
        let volumes: Api<PersistentVolume> = Api::all(observed.client.clone());
        let config = || Config::default().labels("test=controlled");

        let controller = kubernetes_protobuf::controller(classes.clone(), config());
        let known = controller.store();
        let of_driver = move |driver: CSIDriver| {
            let classes = known.state().into_iter();
            let of_driver = classes.filter(move |class| class.provisioner == driver.name_any());
            of_driver.map(|class| ObjectRef::from_obj(&*class))
        };
        let (sender, mut reconciled) = mpsc::unbounded_channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let controller = controller
            .watches_stream(
                watcher(drivers.clone(), config()).touched_objects(),
                of_driver,
            )
            .owns_stream(watcher(volumes.clone(), config()).touched_objects())
            .graceful_shutdown_on(async { stopped.await.unwrap() })
            .run(reconcile, never, Arc::new(sender))
            .for_each(async |result| assert!(result.is_ok(), "{result:?}"));
        let controller = tokio::spawn(controller);

        let params = PostParams::default();
        let mut class = class(NAME).with_label("test", "controlled");
        class.provisioner = DRIVER.to_owned();
        let created = classes.create(&params, &class).await.unwrap();
        assert_eq!(*reconciled.recv().await.unwrap(), created);
        let changed = created.with_label("changed", "yes");
        let changed = classes.replace(NAME, &params, &changed).await.unwrap();
        assert_eq!(*reconciled.recv().await.unwrap(), changed);

        let driver = CSIDriver::new(DRIVER, CSIDriverSpec::new()).with_label("test", "controlled");
        drivers.create(&params, &driver).await.unwrap();
        assert_eq!(*reconciled.recv().await.unwrap(), changed);

        let volume: PersistentVolume = serde_json::from_value(json!({
            "metadata": {
                "name": NAME,
                "labels": {"test": "controlled"},
                "ownerReferences": [changed.owner_ref(&())],
            },
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "capacity": {"storage": "1Gi"},
                "csi": {"driver": DRIVER, "volumeHandle": "1"},
            },
        }))
        .unwrap();
        volumes.create(&params, &volume).await.unwrap();
        assert_eq!(*reconciled.recv().await.unwrap(), changed);

        stop.send(()).unwrap();
        controller.await.unwrap();
        assert!(reconciled.recv().await.is_none());
        observed.assert_protobuf();
    });
}
