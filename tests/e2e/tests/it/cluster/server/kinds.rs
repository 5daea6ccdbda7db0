//! Every kind of storage.k8s.io/v1 through kube, against a real server.

use conformance::kind::Kind;
use conformance::workload::{self as load, Workload};
use futures::{Stream, StreamExt, TryStreamExt, pin_mut};
use http::Method;
use kube::Client;
use kube::api::{ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::runtime::WatchStreamExt;
use kube::runtime::reflector::{self, ObjectRef};
use kube::runtime::watcher::{self, Event, watcher};
use serde_json::{Value, json};

use super::run_for;
use super::served::{Served, api, delete, entries, is_going, is_in, kind_of, name, named, writer};

/// Returns the fields of an object that a create keeps.
fn kept<K: Kind>(object: &K) -> Value {
    let mut object = serde_json::to_value(object).unwrap();
    // A status is for the subresource.
    object.as_object_mut().unwrap().remove("status");
    object
}

/// An object as the server writes it.
async fn raw<K: Served>(client: &Client, object: &K) -> Value {
    let namespace = object.metadata().namespace.as_deref();
    let path = format!("{}/{}", K::url_path(&(), namespace), name(object));
    let answer = e2e::send(client, Method::GET, &path, None).await.unwrap();
    assert!(answer.is_success(), "{answer:?}");
    answer.body
}

/// Created, got, listed, replaced, patched and deleted.
fn verbs<K: Served>() {
    run_for(&[kind_of::<K>()], async |server| {
        let api = api::<K>(&server.client).await;
        let sent: K = named(&server, "verbs", "verbs");
        let created = api.create(&PostParams::default(), &sent).await.unwrap();
        let (ours, theirs) = (kept(&sent), kept(&created));
        assert!(is_in(&ours, &theirs), "sent {ours:#}\nstored {theirs:#}");
        assert!(created.metadata().uid.is_some());

        let got = api.get("verbs").await.unwrap();
        assert_eq!(got, created);
        // Reading has left nothing out, and writing adds nothing.
        assert_eq!(
            serde_json::to_value(&got).unwrap(),
            raw(&server.client, &got).await
        );
        assert_eq!(api.get_opt("verbs-missing").await.unwrap(), None);

        api.create(&PostParams::default(), &named(&server, "verbs-2", "verbs"))
            .await
            .unwrap();
        let page = ListParams::default().labels("group=verbs").limit(1);
        let list = api.list(&page).await.unwrap();
        assert_eq!(list.items.as_slice(), std::slice::from_ref(&created));
        let token = list.metadata.continue_.unwrap();
        let list = api.list(&page.continue_token(&token)).await.unwrap();
        assert_eq!(list.items.iter().map(name).collect::<Vec<_>>(), ["verbs-2"]);

        let mut changed = created.clone();
        changed.metadata_mut().annotations = Some([("a".to_owned(), "b".to_owned())].into());
        let replaced = api
            .replace("verbs", &PostParams::default(), &changed)
            .await
            .unwrap();
        assert_eq!(
            replaced.metadata().annotations,
            changed.metadata().annotations
        );
        assert_eq!(kept(&replaced).get("spec"), kept(&created).get("spec"));
        let stale = api.replace("verbs", &PostParams::default(), &changed).await;
        assert!(matches!(stale, Err(kube::Error::Api(status)) if status.code == 409));

        let patch = Patch::Merge(json!({"metadata": {"annotations": {"a": null, "c": "d"}}}));
        let patched = api
            .patch("verbs", &PatchParams::default(), &patch)
            .await
            .unwrap();
        let annotations = patched.metadata().annotations.as_ref().unwrap();
        assert_eq!(
            Vec::from_iter(annotations),
            [(&"c".to_owned(), &"d".to_owned())]
        );

        delete(&api, "verbs").await;
        assert_eq!(api.get_opt("verbs").await.unwrap(), None);
    });
}

/// The objects of the benchmarks have the `managedFields` that a server writes, so that what these
/// cost is what they cost.
fn workload<K: Served + Workload>() {
    run_for(&[kind_of::<K>()], async |server| {
        let api = api::<K>(&server.client).await;
        for object in load::objects::<K>(2).unwrap() {
            let creator = writer("kube-controller-manager");
            let mut written = api.create(&creator, &object).await.unwrap();
            let sent = serde_json::to_value(&object).unwrap();
            if let Some(status) = sent.get("status") {
                let mut value = serde_json::to_value(&written).unwrap();
                value["status"] = status.clone();
                let object: K = serde_json::from_value(value).unwrap();
                let params = writer("csi-attacher");
                written = api
                    .replace_status(name(&object), &params, &object)
                    .await
                    .unwrap();
            }
            // As it is stored: the server sets fields too, other ones in each release.
            let stored = raw(&server.client, &written).await;
            let expected = load::managed_fields::<K>(&stored).unwrap();
            let expected = entries(serde_json::from_value(expected).unwrap());
            let found = entries(written.metadata().managed_fields.clone().unwrap());
            assert_eq!(found, expected, "{stored:#}");
            delete(&api, name(&written)).await;
        }
    });
}

/// A plain watch, from the version of an object on.
fn watch<K: Served>() {
    run_for(&[kind_of::<K>()], async |server| {
        let api = api::<K>(&server.client).await;
        let first: K = named(&server, "watch", "watch");
        let first = api.create(&PostParams::default(), &first).await.unwrap();
        let version = first.metadata().resource_version.clone().unwrap();
        let params = WatchParams::default().labels("group=watch").timeout(20);
        let events = api.watch(&params, &version).await.unwrap();
        let counts = |event: &WatchEvent<K>| match event {
            WatchEvent::Bookmark(_) => false,
            WatchEvent::Modified(object) => !is_going(object),
            _ => true,
        };
        let events = events.try_filter(|event| futures::future::ready(counts(event)));
        pin_mut!(events);

        let second: K = named(&server, "watch-2", "watch");
        let second = api.create(&PostParams::default(), &second).await.unwrap();
        match events.try_next().await.unwrap().unwrap() {
            WatchEvent::Added(object) => assert_eq!(object, second),
            event => panic!("{event:?}"),
        }
        delete(&api, "watch").await;
        match events.try_next().await.unwrap().unwrap() {
            WatchEvent::Deleted(object) => assert_eq!(name(&object), "watch"),
            event => panic!("{event:?}"),
        }
    });
}

/// The next event that a watcher has about one object, as a word and the object.
async fn next<K: Served>(
    events: &mut (impl Stream<Item = watcher::Result<Event<K>>> + Unpin),
) -> (&'static str, K) {
    loop {
        match events.try_next().await.unwrap().unwrap() {
            Event::Init | Event::InitDone => {}
            Event::Apply(object) if is_going(&object) => {}
            Event::InitApply(object) => return ("there", object),
            Event::Apply(object) => return ("applied", object),
            Event::Delete(object) => return ("deleted", object),
        }
    }
}

/// A watcher reports the existing objects and their changes.
fn follow<K: Served>(config: watcher::Config, group: &str) {
    run_for(&[kind_of::<K>()], async |server| {
        let api = api::<K>(&server.client).await;
        let sent: K = named(&server, group, group);
        let first = api.create(&PostParams::default(), &sent).await.unwrap();
        let config = config.labels(&format!("group={group}"));
        let mut events = watcher(api.clone(), config).boxed();
        let (mut is_complete, mut found) = (false, None);
        while !is_complete || found.is_none() {
            match events.try_next().await.unwrap().unwrap() {
                Event::Init => {}
                // What is created before the list is complete can be in it: a list that is streamed
                // isn't one of a moment.
                Event::InitDone => is_complete = true,
                Event::InitApply(object) if !is_complete && found.is_none() => {
                    found = Some(object);
                }
                // It comes from the server's cache, which may get the object after that.
                Event::Apply(object) if group == "stream" && found.is_none() => {
                    found = Some(object);
                }
                event => panic!("{event:?}"),
            }
        }
        assert_eq!(found.as_ref(), Some(&first));

        let other = format!("{group}-2");
        let sent: K = named(&server, &other, group);
        let second = api.create(&PostParams::default(), &sent).await.unwrap();
        assert_eq!(next(&mut events).await, ("applied", second));
        let mut changed = first;
        changed.metadata_mut().annotations = Some([("a".to_owned(), "b".to_owned())].into());
        let changed = api
            .replace(group, &PostParams::default(), &changed)
            .await
            .unwrap();
        assert_eq!(next(&mut events).await, ("applied", changed));
        delete(&api, &other).await;
        let (what, object) = next(&mut events).await;
        assert_eq!((what, name(&object)), ("deleted", other.as_str()));
    });
}

fn follow_pages<K: Served>() {
    follow::<K>(watcher::Config::default().page_size(1), "pages");
}

fn follow_stream<K: Served>() {
    follow::<K>(watcher::Config::default().streaming_lists(), "stream");
}

/// A reflector's store has what the server has.
fn reflect<K: Served>() {
    run_for(&[kind_of::<K>()], async |server| {
        let api = api::<K>(&server.client).await;
        for name in ["reflect", "reflect-2"] {
            let sent: K = named(&server, name, "reflect");
            api.create(&PostParams::default(), &sent).await.unwrap();
        }
        let (reader, writer) = reflector::store::<K>();
        let config = watcher::Config::default().labels("group=reflect");
        let stream = watcher(api.clone(), config).reflect(writer);
        pin_mut!(stream);
        let names = || {
            let state = reader.state();
            let mut names: Vec<_> = state.iter().map(|o| name(&**o).to_owned()).collect();
            names.sort();
            names
        };
        while names() != ["reflect", "reflect-2"] {
            stream.try_next().await.unwrap().unwrap();
        }
        delete(&api, "reflect").await;
        let sent: K = named(&server, "reflect-3", "reflect");
        let last = api.create(&PostParams::default(), &sent).await.unwrap();
        while names() != ["reflect-2", "reflect-3"] {
            stream.try_next().await.unwrap().unwrap();
        }
        assert_eq!(*reader.get(&ObjectRef::from_obj(&last)).unwrap(), last);
    });
}

each_kind! { verbs watch follow_pages follow_stream reflect workload }
