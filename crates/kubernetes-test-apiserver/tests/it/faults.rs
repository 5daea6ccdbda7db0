//! Servers that fail as a test wants it.

use std::pin::pin;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{
    Api, DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams,
};
use kube::{Client, Error};
use kubernetes_test_apiserver::{Fault, FaultRule, Server};
use tokio::time::{Instant, timeout};

use apiserver_suite::{assert_refused, create_all, holder, lease, leases, message, version};

const NAMESPACE: &str = "faults";
const INTERNAL: Fault = Fault::Refuse {
    status: 500,
    reason: "InternalError",
};

async fn world() -> (Server, Api<Lease>) {
    let server = Server::start().await.unwrap();
    let api = leases(&server.client(), NAMESPACE);
    (server, api)
}

async fn create(api: &Api<Lease>, name: &str) -> Result<Lease, Error> {
    api.create(&PostParams::default(), &lease(name)).await
}

fn exists(server: &Server, name: &str) -> bool {
    server.get::<Lease>(Some(NAMESPACE), name).is_ok()
}

/// A connection broke, and no response came.
#[track_caller]
fn assert_broken<T: std::fmt::Debug>(result: Result<T, Error>) {
    assert!(!matches!(result, Ok(_) | Err(Error::Api(_))), "{result:?}");
}

#[tokio::test]
async fn a_refused_request_is_not_carried_out() {
    let (server, api) = world().await;
    server.inject(FaultRule::new(INTERNAL).verb("create").times(2));
    assert_refused(create(&api, "one").await, 500, "InternalError");
    api.list(&ListParams::default()).await.unwrap();
    assert_refused(create(&api, "one").await, 500, "InternalError");
    assert!(!exists(&server, "one"));
    create(&api, "one").await.unwrap();
}

/// Errors that kube's clients would hide by trying again reach the test.
#[tokio::test]
async fn the_client_reports_each_error() {
    let (server, api) = world().await;
    let busy = Fault::Refuse {
        status: 503,
        reason: "ServiceUnavailable",
    };
    server.inject(FaultRule::new(busy).times(1));
    assert_refused(create(&api, "one").await, 503, "ServiceUnavailable");
    assert_eq!(server.count("create", "leases"), 1);
}

#[tokio::test]
async fn a_conflict_looks_like_a_real_one() {
    let (server, api) = world().await;
    create_all(&api, &["one"]).await;
    server.inject(FaultRule::new(Fault::Conflict).verb("patch").times(1));
    let patch = Patch::Merge(holder("me"));
    let params = PatchParams::default();
    let refused = api.patch("one", &params, &patch).await;
    assert!(message(refused).contains("leases.coordination.k8s.io \"one\": the object has"));
    api.patch("one", &params, &patch).await.unwrap();
}

#[tokio::test]
async fn a_connection_breaks_before_the_write() {
    let (server, api) = world().await;
    server.inject(FaultRule::new(Fault::BreakBefore).verb("create").times(1));
    assert_broken(create(&api, "one").await);
    assert!(!exists(&server, "one"));
    assert_eq!(server.count("create", "leases"), 1);
    create(&api, "one").await.unwrap();
}

#[tokio::test]
async fn a_connection_breaks_after_the_write() {
    let (server, api) = world().await;
    // Also on a connection that was used before, on which clients might try again.
    api.list(&ListParams::default()).await.unwrap();
    server.inject(FaultRule::new(Fault::BreakAfter).verb("create").times(1));
    assert_broken(create(&api, "one").await);
    assert!(exists(&server, "one"));
    assert_eq!(server.count("create", "leases"), 1);
    assert_refused(create(&api, "one").await, 409, "AlreadyExists");

    server.inject(FaultRule::new(Fault::BreakAfter).verb("delete").times(1));
    assert_broken(api.delete("one", &DeleteParams::default()).await);
    assert!(!exists(&server, "one"));
}

#[tokio::test]
async fn a_broken_watch_ends() {
    let (server, api) = world().await;
    let created = create_all(&api, &["one"]).await;
    server.inject(FaultRule::new(Fault::BreakAfter).verb("watch").times(1));
    let params = WatchParams::default();
    let watch = async || {
        let events = api.watch(&params, version(&created[0])).await?;
        pin!(events).next().await.unwrap()
    };
    assert_broken(watch().await);
    assert!(matches!(watch().await, Ok(WatchEvent::Bookmark(_))));
}

/// Delays are of tokio's clock, so that tests with paused time don't wait for them.
#[tokio::test(start_paused = true)]
async fn delays_add_up() {
    let (server, api) = world().await;
    let hour = Duration::from_secs(3600);
    server.inject(FaultRule::new(Fault::Delay(hour)).verb("get"));
    server.inject(FaultRule::new(Fault::Delay(2 * hour)).name("one"));
    server.inject(FaultRule::new(INTERNAL).verb("get").resource("leases"));
    create_all(&api, &["two"]).await;
    let start = Instant::now();
    assert_refused(api.get("one").await, 500, "InternalError");
    assert_eq!(start.elapsed().as_secs(), 3 * 3600);
    server.clear_faults();
    let start = Instant::now();
    api.get("two").await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 0);
}

#[tokio::test]
async fn a_client_that_leaves_a_delayed_request_has_not_made_it() {
    let (server, api) = world().await;
    let delay = Fault::Delay(Duration::from_millis(200));
    server.inject(FaultRule::new(delay).verb("create").times(1));
    let left = timeout(Duration::from_millis(50), create(&api, "one")).await;
    assert!(left.is_err());
    // Longer than the delay of the first.
    let delay = Fault::Delay(Duration::from_millis(400));
    server.inject(FaultRule::new(delay).verb("create").times(1));
    create(&api, "two").await.unwrap();
    assert!(!exists(&server, "one"));
}

/// Only requests that fit in all respects count, and the first of them may pass.
#[tokio::test]
async fn rules_choose_requests() {
    let (server, api) = world().await;
    let rule = FaultRule::new(INTERNAL)
        .verb("create")
        .resource("leases")
        .name("one");
    server.inject(rule.skip(1).times(1));
    create(&api, "two").await.unwrap();
    create(&api, "one").await.unwrap();
    api.get("one").await.unwrap();
    create(&api, "three").await.unwrap();
    assert_refused(create(&api, "one").await, 500, "InternalError");
    assert_refused(create(&api, "one").await, 409, "AlreadyExists");

    server.inject(FaultRule::new(INTERNAL).resource("persistentvolumes/status"));
    let status = "/api/v1/persistentvolumes/one/status";
    let client = server.client();
    let null = serde_json::Value::Null;
    let refused = apiserver_suite::send(&client, "GET", status, "", &null).await;
    assert_refused(refused, 500, "InternalError");
    let main = "/api/v1/persistentvolumes/one";
    assert_refused(
        apiserver_suite::send(&client, "GET", main, "", &null).await,
        404,
        "NotFound",
    );
}

#[tokio::test]
async fn equal_seeds_choose_the_same_requests() {
    let fails = async |seed| {
        let (server, api) = world().await;
        server.inject(FaultRule::new(INTERNAL).probability(0.3, seed));
        let mut failed = Vec::new();
        for _ in 0..50 {
            failed.push(api.list(&ListParams::default()).await.is_err());
        }
        failed
    };
    let first = fails(7).await;
    assert_eq!(first, fails(7).await);
    assert_ne!(first, fails(8).await);
    let count = first.iter().filter(|failed| **failed).count();
    assert!((5..30).contains(&count), "{count}");
}

#[tokio::test]
async fn forbidden_requests_are_answered_in_the_words_of_kubernetes() {
    let (server, api) = world().await;
    server.forbid("list", "leases");
    server.forbid("get", "leases");
    let everywhere: Api<Lease> = Api::all(server.client());
    let list = ListParams::default();
    assert_refused(api.list(&list).await, 403, "Forbidden");
    assert_eq!(
        message(everywhere.list(&list).await),
        "leases.coordination.k8s.io is forbidden: User \"system:anonymous\" cannot list \
         resource \"leases\" in API group \"coordination.k8s.io\" at the cluster scope"
    );
    assert_eq!(
        message(api.get("one").await),
        "leases.coordination.k8s.io \"one\" is forbidden: User \"system:anonymous\" cannot \
         get resource \"leases\" in API group \"coordination.k8s.io\" in the namespace \
         \"faults\""
    );
    create(&api, "one").await.unwrap();
    server.allow("list", "leases");
    assert_eq!(api.list(&list).await.unwrap().items.len(), 1);
    server.forbid("*", "leases");
    assert_refused(create(&api, "two").await, 403, "Forbidden");
    let watch = api.watch(&WatchParams::default(), "").await;
    assert_refused(watch.map(drop), 403, "Forbidden");
}

#[tokio::test]
async fn a_paused_server_refuses_connections_and_comes_back_as_it_was() {
    let (server, api) = world().await;
    let created = create_all(&api, &["one"]).await;
    let url = server.url();
    let events = api
        .watch(&WatchParams::default(), version(&created[0]))
        .await
        .unwrap();
    let mut events = pin!(events);
    assert!(matches!(
        events.next().await,
        Some(Ok(WatchEvent::Bookmark(_)))
    ));

    server.pause();
    let cut = timeout(Duration::from_secs(10), events.next())
        .await
        .unwrap();
    assert!(matches!(cut, None | Some(Err(_))), "{cut:?}");
    assert_broken(api.get("one").await);
    let address = url.strip_prefix("http://").unwrap();
    let refused = tokio::net::TcpStream::connect(address).await.unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);

    server.resume().unwrap();
    assert_eq!(server.url(), url);
    assert_eq!(api.get("one").await.unwrap(), created[0]);
    for _ in 0..3 {
        server.pause();
        server.pause();
        server.resume().unwrap();
        server.resume().unwrap();
        api.get("one").await.unwrap();
    }
}

#[tokio::test]
async fn a_hanging_server_answers_later() {
    let (server, api) = world().await;
    let created = create_all(&api, &["one"]).await;
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
    server.create(&in_namespace("two")).unwrap();
    let count = server.count("*", "*");
    let waits = Duration::from_millis(100);
    assert!(timeout(waits, events.next()).await.is_err());
    let answer = api.get("one");
    let mut answer = pin!(answer);
    assert!(timeout(waits, answer.as_mut()).await.is_err());
    assert_eq!(server.count("*", "*"), count);

    server.resume().unwrap();
    assert_eq!(answer.await.unwrap(), created[0]);
    let event = events.next().await;
    let Some(Ok(WatchEvent::Added(two))) = event else {
        panic!("{event:?}");
    };
    assert_eq!(two.metadata.name.as_deref(), Some("two"));
}

fn in_namespace(name: &str) -> Lease {
    let mut lease = lease(name);
    lease.metadata.namespace = Some(NAMESPACE.to_owned());
    lease
}

#[tokio::test]
async fn a_dropped_server_is_gone() {
    let (server, api) = world().await;
    let events = api.watch(&WatchParams::default(), "").await.unwrap();
    let mut events = pin!(events);
    events.next().await.unwrap().unwrap();
    drop(server);
    let cut = timeout(Duration::from_secs(10), events.next())
        .await
        .unwrap();
    assert!(matches!(cut, None | Some(Err(_))), "{cut:?}");
    assert_broken(api.get("one").await);
}

#[tokio::test]
async fn requests_are_counted_and_recorded() {
    let (server, api) = world().await;
    create_all(&api, &["one", "two"]).await;
    api.get("one").await.unwrap();
    let client: Client = server.client();
    let everywhere: Api<Lease> = Api::all(client);
    everywhere
        .list(&ListParams::default().limit(5))
        .await
        .unwrap();
    assert_eq!(server.count("create", "leases"), 2);
    assert_eq!(server.count("*", "leases"), 4);
    assert_eq!(server.count("create", "persistentvolumes"), 0);

    let requests = server.take_requests();
    let facts: Vec<_> = requests
        .iter()
        .map(|request| {
            let Some((_, path)) = request.path.split_once("/v1/") else {
                panic!("{request:?}");
            };
            (request.verb.as_str(), path, request.name.as_deref())
        })
        .collect();
    let collection = "namespaces/faults/leases";
    let expected = [
        ("create", collection, Some("one")),
        ("create", collection, Some("two")),
        ("get", "namespaces/faults/leases/one", Some("one")),
        ("list", "leases", None),
    ];
    assert_eq!(facts, expected);
    assert!(requests[3].query.contains("limit=5"));
    assert_eq!(requests[0].body.as_ref().unwrap()["kind"], "Lease");
    assert_eq!(server.take_requests(), []);
    assert_eq!(server.count("*", "*"), 4);
}
