//! Bookmarks, which a server sends about two seconds before a watch ends, if it finds the time.

use futures::{StreamExt, join};
use kube::api::{ListParams, PostParams, WatchEvent, WatchParams};
use kube::runtime::watcher::Config;
use kubernetes_kinds::WithMetadata;
use kubernetes_protobuf::{Api, watcher};
use storage_v1::StorageClass;
use tokio::sync::mpsc;

use super::{Observed, class, next};
use crate::cluster::server::run;

/// The seconds after which a watch ends.
const TIMEOUT: u32 = 3;

fn number(version: &str) -> u64 {
    version.parse().unwrap()
}

/// Moves the version on by an object that isn't selected, and returns the new one.
async fn move_on(classes: &Api<StorageClass>) -> u64 {
    let params = PostParams::default();
    let mut class = class("");
    class.metadata.generate_name = Some("pb-bookmark-".to_owned());
    let created = classes.create(&params, &class).await.unwrap();
    number(&created.metadata.resource_version.unwrap())
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn bookmarks_are_read() {
    run(async |server| {
        let observed = Observed::new(server.client.clone(), |_| {});
        let classes: Api<StorageClass> = Api::all(observed.client.clone());
        let list = classes.list(&ListParams::default()).await.unwrap();
        let listed = list.metadata.resource_version.unwrap();
        let params = WatchParams::default().labels("none=here").timeout(TIMEOUT);
        // A busy server may not find the time for one.
        loop {
            let events = classes.watch(&params, &listed).await.unwrap();
            // It has to be newer than all that happened before the watch.
            let created = move_on(&classes).await;
            let versions = events.map(|event| match event {
                Ok(WatchEvent::Bookmark(mark)) => number(&mark.metadata.resource_version),
                other => panic!("{other:?}"),
            });
            let versions: Vec<_> = versions.collect().await;
            if versions.last() >= Some(&created) {
                break;
            }
        }
        observed.assert_protobuf();
    });
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn the_watcher_resumes_at_the_version_of_a_bookmark() {
    run(async |server| {
        let (sender, mut versions) = mpsc::unbounded_channel();
        let observed = Observed::new(server.client.clone(), move |request| {
            let query = request.uri().query().unwrap_or_default();
            if let Some((_, version)) = query.split_once("&resourceVersion=") {
                sender.send(number(version)).unwrap();
            }
        });
        let classes: Api<StorageClass> = Api::all(observed.client.clone());
        let config = Config::default().labels("marked=yes").timeout(TIMEOUT);
        let mut events = watcher(classes.clone(), config).boxed();
        assert_eq!(next(&mut events, 2).await, ["Ok(Init)", "Ok(InitDone)"]);
        // With its first event, the watch has begun.
        let marked = class("pb-marked").with_label("marked", "yes");
        let params = PostParams::default();
        let (marked, event) = join!(classes.create(&params, &marked), next(&mut events, 1));
        assert_eq!(event, [format!("Ok(Apply({:?}))", marked.unwrap())]);
        let resumed = async {
            let listed = versions.recv().await.unwrap();
            let created = move_on(&classes).await;
            assert!(listed < created);
            while versions.recv().await.unwrap() < created {
                move_on(&classes).await;
            }
        };
        tokio::select! {
            event = events.next() => panic!("{event:?}"),
            () = resumed => {}
        }
        observed.assert_protobuf();
    });
}
