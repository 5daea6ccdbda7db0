//! Behaviour of the server for tests that a real one doesn't have.

use std::collections::BTreeSet;
use std::pin::pin;
use std::time::Duration;

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{
    Api, DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams,
};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kubernetes_test_apiserver::{Fault, FaultRule, ResourceType, Server, binder};
use serde_json::{Value, json};
use storage_v1::StorageClass;

use apiserver_suite::{
    ask, assert_refused, create_all, lease, lease_path, leases, names, object, send, version,
};

const NAMESPACE: &str = "server";

async fn world() -> (Server, Api<Lease>) {
    let server = Server::start().await.unwrap();
    let api = leases(&server.client(), NAMESPACE);
    (server, api)
}

fn numbered(number: usize) -> Lease {
    let mut lease = lease(&format!("lease-{number:05}"));
    lease.metadata.namespace = Some(NAMESPACE.to_owned());
    lease
}

/// The only event of a watch, which must be an error.
async fn error_of(api: &Api<Lease>, at: &str) -> (u16, String) {
    let events = api.watch(&WatchParams::default(), at).await.unwrap();
    let mut events = pin!(events);
    let event = events.next().await.unwrap().unwrap();
    let WatchEvent::Error(status) = event else {
        panic!("{event:?}");
    };
    assert!(events.next().await.is_none());
    (status.code, status.reason.clone())
}

#[tokio::test]
async fn compacted_versions_are_gone() {
    let (server, api) = world().await;
    let created = create_all(&api, &["a", "b", "c"]).await;
    let page = api.list(&ListParams::default().limit(1)).await.unwrap();
    let running = api
        .watch(&WatchParams::default(), version(&created[2]))
        .await
        .unwrap();
    let mut running = pin!(running);
    assert!(matches!(
        running.next().await,
        Some(Ok(WatchEvent::Bookmark(_)))
    ));

    // The newest version is always known.
    server.compact();
    let token = page.metadata.continue_.unwrap();
    let next = ListParams::default().limit(1).continue_token(&token);
    assert_eq!(names(&api.list(&next).await.unwrap().items), ["b"]);

    create_all(&api, &["d"]).await;
    server.compact();
    let gone = (410, "Expired".to_owned());
    assert_eq!(error_of(&api, version(&created[1])).await, gone);
    assert_refused(api.list(&next).await, 410, "Expired");
    let exact = ListParams::default().at(version(&created[1]));
    let exact = exact.matching(kube::api::VersionMatch::Exact);
    assert_refused(api.list(&exact).await, 410, "Expired");
    // A watch that runs needs no history but what it has not sent.
    let event = running.next().await;
    let rest = match event {
        Some(Ok(WatchEvent::Added(lease))) => lease.metadata.name,
        // It may not have sent it before the compaction.
        Some(Ok(WatchEvent::Error(status))) if status.code == 410 => return,
        event => panic!("{event:?}"),
    };
    assert_eq!(rest.as_deref(), Some("d"));
}

/// A watch of a kind that nobody changes goes on when others' history is forgotten.
#[tokio::test]
async fn a_quiet_watch_survives_compaction() {
    let (server, api) = world().await;
    let classes: Api<StorageClass> = Api::all(server.client());
    let events = classes.watch(&WatchParams::default(), "1").await.unwrap();
    let mut events = pin!(events);
    assert!(matches!(
        events.next().await,
        Some(Ok(WatchEvent::Bookmark(_)))
    ));
    create_all(&api, &["a", "b"]).await;
    server.compact();
    server
        .create(&StorageClass::new("fast", "example.com/none"))
        .unwrap();
    let event = events.next().await;
    assert!(matches!(event, Some(Ok(WatchEvent::Added(_)))), "{event:?}");
}

#[tokio::test]
async fn history_is_bounded() {
    let (server, api) = world().await;
    server.keep_history(3);
    let created = create_all(&api, &["a", "b", "c", "d", "e"]).await;
    let gone = (410, "Expired".to_owned());
    assert_eq!(error_of(&api, version(&created[0])).await, gone);
    let events = api
        .watch(&WatchParams::default().timeout(1), version(&created[1]))
        .await
        .unwrap();
    let events: Vec<_> = events.try_collect().await.unwrap();
    let added = events
        .iter()
        .filter(|event| matches!(event, WatchEvent::Added(_)))
        .count();
    assert_eq!(added, 3);
}

/// A client that is too slow for the history has to list again.
#[tokio::test]
async fn a_watch_that_lags_behind_is_ended() {
    let (server, api) = world().await;
    server.keep_history(2);
    let created = create_all(&api, &["a"]).await;
    let events = api
        .watch(&WatchParams::default(), version(&created[0]))
        .await
        .unwrap();
    let mut events = pin!(events);
    assert!(matches!(
        events.next().await,
        Some(Ok(WatchEvent::Bookmark(_)))
    ));
    server.hang();
    for number in 0..3 {
        server.create(&numbered(number)).unwrap();
    }
    server.resume().unwrap();
    let event = events.next().await;
    let Some(Ok(WatchEvent::Error(status))) = event else {
        panic!("{event:?}");
    };
    assert_eq!((status.code, status.reason.as_str()), (410, "Expired"));
    assert!(events.next().await.is_none());
}

/// Bookmarks keep the version of a quiet watch recent, each minute and at its end.
#[tokio::test(start_paused = true)]
async fn bookmarks_are_recent() {
    let (server, api) = world().await;
    let classes: Api<StorageClass> = Api::all(server.client());
    let params = WatchParams::default().timeout(90);
    let events = classes.watch(&params, "1").await.unwrap();
    let mut events = pin!(events);
    let begin = tokio::time::Instant::now();
    let mut bookmark = async || match events.next().await {
        Some(Ok(WatchEvent::Bookmark(bookmark))) => (
            bookmark.metadata.resource_version,
            begin.elapsed().as_secs(),
        ),
        event => panic!("{event:?}"),
    };
    assert_eq!(bookmark().await, ("1".to_owned(), 0));
    for (name, seconds) in [("a", 60), ("b", 90)] {
        let created = create_all(&api, &[name]).await;
        assert_eq!(bookmark().await, (version(&created[0]).to_owned(), seconds));
    }
    assert!(events.next().await.is_none());
    let silent = WatchParams::default().timeout(90).disable_bookmarks();
    let events = classes.watch(&silent, "1").await.unwrap();
    assert_eq!(pin!(events).count().await, 0);
}

/// A reflector has the truth after its server was away and has forgotten what happened.
#[tokio::test(start_paused = true)]
async fn a_reflector_recovers_from_expired_versions() {
    let (server, api) = world().await;
    create_all(&api, &["a", "b"]).await;
    let (reader, writer) = reflector::store::<Lease>();
    let stream = watcher(api.clone(), watcher::Config::default());
    let stream = stream.default_backoff().reflect(writer);
    let mut stream = pin!(stream);
    let mut follow = async |wanted: &[&str]| {
        loop {
            let state = reader.state();
            let found: BTreeSet<_> = state
                .iter()
                .map(|one| one.metadata.name.as_deref().unwrap())
                .collect();
            if found == wanted.iter().copied().collect() {
                return;
            }
            // Errors are what the reflector recovers from.
            let _ = stream.next().await.unwrap();
        }
    };
    follow(&["a", "b"]).await;
    server.pause();
    server.delete::<Lease>(Some(NAMESPACE), "a").unwrap();
    server.create(&numbered(1)).unwrap();
    server.compact();
    server.resume().unwrap();
    let recovers = follow(&["b", "lease-00001"]);
    tokio::time::timeout(Duration::from_secs(600), recovers)
        .await
        .expect("in time");
    assert_eq!(server.count("list", "leases"), 2);
}

/// The server's cache, which may be of any version, knows no pages.
#[tokio::test]
async fn lists_at_any_version_are_whole() {
    let (server, api) = world().await;
    create_all(&api, &["a", "b", "c"]).await;
    let path = format!("/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases");
    for (query, count) in [("limit=2", 2), ("limit=2&resourceVersion=0", 3)] {
        let path = format!("{path}?{query}");
        let list = send(&server.client(), "GET", &path, "", &Value::Null)
            .await
            .unwrap();
        assert_eq!(list["items"].as_array().unwrap().len(), count, "{query}");
    }
}

#[tokio::test]
async fn versions_from_the_future_are_refused() {
    let (_server, api) = world().await;
    let params = ListParams::default().at("1000");
    assert_refused(api.list(&params).await, 504, "Timeout");
}

#[tokio::test]
async fn custom_resources_have_generations() {
    let custom = ResourceType {
        custom: true,
        ..ResourceType::of::<PersistentVolumeClaim>(true)
    };
    let server = Server::start_with(vec![custom]).await.unwrap();
    let api: Api<PersistentVolumeClaim> = Api::namespaced(server.client(), NAMESPACE);
    let claim: PersistentVolumeClaim = object(claim("one", None));
    let created = api.create(&PostParams::default(), &claim).await.unwrap();
    assert_eq!(created.metadata.generation, Some(1));
    let params = PatchParams::default();
    let patch = async |patch: Value| {
        let patched = api
            .patch("one", &params, &Patch::Merge(patch))
            .await
            .unwrap();
        patched.metadata.generation
    };
    assert_eq!(
        patch(json!({"metadata": {"labels": {"a": "b"}}})).await,
        Some(1)
    );
    assert_eq!(patch(json!({"spec": {"volumeName": "one"}})).await, Some(2));
    let mut blind = created.clone();
    blind.metadata.resource_version = None;
    let refused = api.replace("one", &PostParams::default(), &blind).await;
    assert_refused(refused, 422, "Invalid");
}

/// A real server carries them out.
#[tokio::test]
async fn unsupported_requests_are_refused() {
    let (server, api) = world().await;
    create_all(&api, &["one"]).await;
    let patch = Patch::Strategic(json!({"spec": {}}));
    let refused = api.patch("one", &PatchParams::default(), &patch).await;
    assert_refused(refused, 415, "UnsupportedMediaType");
    let dry = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    assert_refused(api.create(&dry, &lease("two")).await, 400, "BadRequest");
    let dry = DeleteParams::default().dry_run();
    assert_refused(api.delete("one", &dry).await, 400, "BadRequest");
    assert!(server.get::<Lease>(Some(NAMESPACE), "one").is_ok());
    let path = "/apis/nothing.example.com/v1/things";
    let unknown = send(&server.client(), "GET", path, "", &Value::Null).await;
    assert_refused(unknown, 404, "NotFound");
}

/// A real server has protobuf of these kinds, and lacks it for custom resources.
#[tokio::test]
async fn protobuf_is_refused_and_not_counted() {
    let (server, api) = world().await;
    create_all(&api, &["one"]).await;
    let client = server.client();
    server.take_requests();
    let counted = server.count("*", "*");
    let fault = Fault::Refuse {
        status: 503,
        reason: "ServiceUnavailable",
    };
    server.inject(FaultRule::new(fault).times(1));
    let path = lease_path(NAMESPACE, "one");
    let protobuf = "application/vnd.kubernetes.protobuf";
    let refused = send(&client, "PUT", &path, protobuf, &Value::Null).await;
    assert_refused(refused, 415, "UnsupportedMediaType");
    let (code, ..) = ask(&client, &path, protobuf).await.unwrap();
    assert_eq!(code, 406);
    assert_eq!(server.count("*", "*"), counted);
    assert!(server.take_requests().is_empty());

    let both = format!("{protobuf}, application/json");
    for code in [503, 200] {
        let (answered, format, _) = ask(&client, &path, &both).await.unwrap();
        assert_eq!((answered, format.as_str()), (code, "application/json"));
    }
    assert_eq!(server.count("get", "leases"), 2);

    server.forbid("update", "leases");
    let refused = send(&client, "PUT", &path, protobuf, &Value::Null).await;
    assert_refused(refused, 403, "Forbidden");
    assert_eq!(server.count("update", "leases"), 1);
}

/// Two servers make the same names and UIDs, so that tests are repeatable.
#[tokio::test]
async fn names_are_deterministic() {
    let mut made = Vec::new();
    for _ in 0..2 {
        let (server, _) = world().await;
        let mut lease = numbered(0);
        lease.metadata.name = None;
        lease.metadata.generate_name = Some("lease-".to_owned());
        let one = server.create(&lease).unwrap();
        let two = server.create(&lease).unwrap();
        assert_ne!(one.metadata.name, two.metadata.name);
        made.push([one, two].map(|lease| (lease.metadata.name, lease.metadata.uid)));
    }
    assert_eq!(made[0], made[1]);
}

fn claim(name: &str, class: Option<&str>) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": class,
            "resources": {"requests": {"storage": "1Gi"}},
        },
    })
}

#[tokio::test]
async fn the_binder_binds_a_claim_to_its_volume() {
    let (server, _) = world().await;
    let created: PersistentVolumeClaim = server
        .create(&object::<PersistentVolumeClaim>(claim("data", None)))
        .unwrap();
    assert_eq!(
        binder::bind(&server, NAMESPACE, "data").unwrap_err().code(),
        404
    );
    let volume = |name: &str, uid: &str| {
        object::<PersistentVolume>(json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {"name": name},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "capacity": {"storage": "2Gi"},
                "claimRef": {"name": "data", "namespace": NAMESPACE, "uid": uid},
            },
        }))
    };
    // The volume of an earlier claim of this name.
    server
        .create(&volume("a", "11111111-1111-4111-8111-111111111111"))
        .unwrap();
    assert!(binder::bind(&server, NAMESPACE, "data").is_err());
    server
        .create(&volume("b", created.metadata.uid.as_deref().unwrap()))
        .unwrap();
    binder::bind(&server, NAMESPACE, "data").unwrap();

    let bound: PersistentVolumeClaim = server.get(Some(NAMESPACE), "data").unwrap();
    let status = bound.status.unwrap();
    assert_eq!(bound.spec.unwrap().volume_name.as_deref(), Some("b"));
    assert_eq!(status.phase, Some("Bound".into()));
    assert_eq!(status.capacity.unwrap()["storage"].0, "2Gi");
    let annotations = bound.metadata.annotations.unwrap();
    assert_eq!(annotations["pv.kubernetes.io/bind-completed"], "yes");
    let phase = |name: &str| {
        let volume: PersistentVolume = server.get(None, name).unwrap();
        volume.status.and_then(|status| status.phase)
    };
    assert_eq!(phase("b"), Some("Bound".into()));
    assert_eq!(phase("a"), None);
    binder::release(&server, "b").unwrap();
    assert_eq!(phase("b"), Some("Released".into()));
}

#[tokio::test]
async fn objects_are_read_and_written_by_type() {
    let (server, api) = world().await;
    let created = server.create(&numbered(1)).unwrap();
    assert_eq!(api.get("lease-00001").await.unwrap(), created);
    assert_eq!(
        server.create(&numbered(1)).unwrap_err().reason(),
        "AlreadyExists"
    );
    let mut changed = created.clone();
    changed.spec = serde_json::from_value(json!({"holderIdentity": "me"})).unwrap();
    let changed = server.update(&changed).unwrap();
    assert_eq!(server.update(&created).unwrap_err().code(), 409);
    assert_eq!(server.list::<Lease>(Some(NAMESPACE)).unwrap(), [changed]);
    assert_eq!(server.list::<Lease>(None).unwrap().len(), 1);
    assert_eq!(server.list::<Lease>(Some("other")).unwrap(), []);
    server
        .delete::<Lease>(Some(NAMESPACE), "lease-00001")
        .unwrap();
    let missing = server
        .get::<Lease>(Some(NAMESPACE), "lease-00001")
        .unwrap_err();
    assert_eq!((missing.code(), missing.reason()), (404, "NotFound"));
    assert_eq!(
        missing.to_string(),
        "leases.coordination.k8s.io \"lease-00001\" not found"
    );
    assert_eq!(server.count("*", "*"), 1);

    let claim: PersistentVolumeClaim = object(claim("data", None));
    let mut claim = server.create(&claim).unwrap();
    claim.status.get_or_insert_default().phase = Some("Lost".into());
    let claim = server.update(&claim).unwrap();
    assert_eq!(claim.status.unwrap().phase, Some("Lost".into()));
}

/// Lists and watches of many objects, each in the namespace that was asked for.
#[tokio::test]
async fn ten_thousand_objects() {
    const COUNT: usize = 10_000;
    let (server, api) = world().await;
    for number in 0..COUNT / 2 {
        server.create(&numbered(number)).unwrap();
    }
    let begun = api.list(&ListParams::default()).await.unwrap();
    let at = begun.metadata.resource_version.unwrap();
    let watches: Vec<_> = (0..8)
        .map(|_| {
            let (api, at) = (api.clone(), at.clone());
            tokio::spawn(async move {
                let events = api.watch(&WatchParams::default(), &at).await.unwrap();
                let mut events = pin!(events);
                let mut seen = 0;
                while seen < COUNT / 2 {
                    let event = events.next().await.unwrap().unwrap();
                    if let WatchEvent::Added(lease) = event {
                        let expected = numbered(COUNT / 2 + seen).metadata.name;
                        assert_eq!(lease.metadata.name, expected);
                        seen += 1;
                    }
                }
            })
        })
        .collect();
    for number in COUNT / 2..COUNT {
        server.create(&numbered(number)).unwrap();
        if number % 100 == 0 {
            tokio::task::yield_now().await;
        }
    }
    for watch in watches {
        watch.await.unwrap();
    }
    let mut listed = 0;
    let mut params = ListParams::default().limit(500);
    loop {
        let page = api.list(&params).await.unwrap();
        listed += page.items.len();
        match page.metadata.continue_ {
            Some(token) if !token.is_empty() => params = params.continue_token(&token),
            _ => break,
        }
    }
    assert_eq!(listed, COUNT);
    let other: Api<Lease> = Api::namespaced(server.client(), "other");
    assert_eq!(other.list(&ListParams::default()).await.unwrap().items, []);
}
