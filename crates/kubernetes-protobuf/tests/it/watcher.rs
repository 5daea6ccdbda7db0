//! The states of the watcher.

use std::pin::Pin;
use std::time::Duration;

use futures::{Stream, StreamExt};
use http::Response;
use http::header::CONTENT_TYPE;
use kube::runtime::watcher::{Config, Error, Event};
use kubernetes_protobuf::{Api, watcher};
use storage_v1::StorageClass;

use crate::support::{
    Answer, Log, PROTOBUF, STREAM, answer, bookmark, class, event, list, server, status, watched,
};

/// More than a silent watch lasts. The clock of the tests leaps.
const LIMIT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

struct Watched {
    events: Pin<Box<dyn Stream<Item = Result<Event<StorageClass>, Error>>>>,
    log: Log,
}

impl Watched {
    fn new(config: Config, answers: impl IntoIterator<Item = Response<Answer>>) -> Self {
        let (client, log) = server(answers);
        let events = watcher(Api::all(client), config).boxed();
        Self { events, log }
    }

    /// Returns the next events in short.
    async fn take(&mut self, count: usize) -> Vec<String> {
        let events = self.events.by_ref().take(count).collect::<Vec<_>>();
        let events = tokio::time::timeout(LIMIT, events).await.expect("in time");
        let short = |event| match event {
            Ok(event) => format!("{event}"),
            Err(Error::InitialListFailed(error)) => format!("list: {}", code(&error)),
            Err(Error::WatchStartFailed(error)) => format!("start: {}", code(&error)),
            Err(Error::WatchFailed(error)) => format!("failed: {}", code(&error)),
            Err(Error::WatchError(status)) => format!("error: {}", status.code),
            Err(Error::NoResourceVersion) => "no version".to_owned(),
        };
        events.into_iter().map(short).collect()
    }

    fn queries(&self) -> Vec<String> {
        let query = |uri: &str| uri.split_once('?').unwrap().1.to_owned();
        let sent = self.log.take();
        sent.iter().map(|sent| query(&sent.uri)).collect()
    }
}

fn code(error: &kube::Error) -> u16 {
    match error {
        kube::Error::Api(status) => status.code,
        _ => 0,
    }
}

/// A watch that never ends.
fn open(bytes: Vec<u8>) -> Response<Answer> {
    let first = futures::stream::iter([Ok::<_, std::io::Error>(bytes)]);
    let body = Answer::from_stream(first.chain(futures::stream::pending()));
    let mut answer = Response::new(body);
    answer
        .headers_mut()
        .insert(CONTENT_TYPE, STREAM.parse().unwrap());
    answer
}

fn page(names: &[&str], version: &str, token: &str) -> Response<Answer> {
    let classes: Vec<_> = names.iter().map(|name| class(name, "1")).collect();
    answer(200, PROTOBUF, list(&classes, version, token))
}

fn refused(code: u16) -> Response<Answer> {
    answer(code, PROTOBUF, status(code.into(), "", ""))
}

#[tokio::test(start_paused = true)]
async fn pages_are_listed_and_then_watched() {
    let config = Config::default()
        .page_size(2)
        .labels("app=web")
        .fields("metadata.name!=x");
    let mut watched = Watched::new(
        config,
        [
            page(&["a", "b"], "9", "next"),
            page(&["c"], "9", ""),
            open([watched("ADDED", "d", "10"), watched("DELETED", "a", "11")].concat()),
        ],
    );
    assert_eq!(
        watched.take(7).await,
        [
            "Init",
            "InitApply(a)",
            "InitApply(b)",
            "InitApply(c)",
            "InitDone",
            "Apply(d)",
            "Delete(a)"
        ]
    );
    let selectors = "fieldSelector=metadata.name%21%3Dx";
    let queries = watched.queries();
    assert_eq!(queries.len(), 3);
    assert!(queries[0].contains("limit=2") && queries[0].contains(selectors));
    assert!(queries[1].contains("continue=next"));
    assert!(queries[2].contains("labelSelector=app%3Dweb") && queries[2].contains(selectors));
    assert!(queries[2].contains("watch=true") && queries[2].ends_with("resourceVersion=9"));
    assert!(queries[2].contains("allowWatchBookmarks=true"));
    assert!(!queries[2].contains("sendInitialEvents"));
}

#[tokio::test(start_paused = true)]
async fn the_parameters_are_those_of_the_configuration() {
    let config = Config {
        page_size: None,
        ..Config::default()
            .any_semantic()
            .timeout(7)
            .disable_bookmarks()
    };
    let mut watched = Watched::new(config, [page(&[], "9", ""), refused(500)]);
    assert_eq!(watched.take(3).await, ["Init", "InitDone", "start: 500"]);
    assert_eq!(
        watched.queries(),
        [
            "&resourceVersion=0&resourceVersionMatch=NotOlderThan",
            "&watch=true&timeoutSeconds=7&resourceVersion=9"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_ends_is_continued_where_it_was() {
    let mut watched = Watched::new(
        Config::default(),
        [
            page(&[], "9", ""),
            answer(200, STREAM, watched("ADDED", "a", "10")),
            answer(200, STREAM, bookmark("12", None)),
            answer(200, STREAM, Vec::new()),
            refused(503),
            open(watched("MODIFIED", "a", "13")),
        ],
    );
    assert_eq!(
        watched.take(5).await,
        ["Init", "InitDone", "Apply(a)", "start: 503", "Apply(a)"]
    );
    let queries = watched.queries();
    let versions: Vec<_> = queries
        .iter()
        .skip(1)
        .map(|query| query.rsplit_once('=').unwrap().1)
        .collect();
    assert_eq!(versions, ["9", "10", "12", "12", "12"]);
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_too_old_begins_anew() {
    let mut watched = Watched::new(
        Config::default(),
        [
            page(&["a"], "9", ""),
            open(event("ERROR", &status(410, "Expired", ""))),
            page(&[], "20", ""),
            refused(410),
            page(&["b"], "30", "next"),
            refused(410),
            page(&[], "40", ""),
            open(event("ERROR", &status(500, "", ""))),
        ],
    );
    assert_eq!(
        watched.take(13).await,
        [
            "Init",
            "InitApply(a)",
            "InitDone",
            "error: 410",
            "Init",
            "InitDone",
            "start: 410",
            "Init",
            "InitApply(b)",
            "list: 410",
            "Init",
            "InitDone",
            "error: 500",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn initial_events_come_by_a_watch() {
    let end = Some("k8s.io/initial-events-end");
    let initial = [
        watched("ADDED", "a", "6"),
        bookmark("6", None),
        watched("DELETED", "x", "6"),
        watched("MODIFIED", "b", "7"),
        bookmark("8", end),
        watched("ADDED", "c", "9"),
    ];
    let mut watched = Watched::new(
        Config::default().streaming_lists(),
        [
            refused(403),
            answer(200, STREAM, watched("ADDED", "a", "6")),
            answer(200, STREAM, initial.concat()),
            open(event("ERROR", &status(410, "Expired", ""))),
            open(event("ERROR", &status(410, "Expired", ""))),
            open(b"\0\0\0\x01\x0a".to_vec()),
        ],
    );
    assert_eq!(
        watched.take(13).await,
        [
            "start: 403",
            "Init",
            "InitApply(a)",
            "Init",
            "InitApply(a)",
            "InitApply(b)",
            "InitDone",
            "Apply(c)",
            "error: 410",
            "Init",
            "error: 410",
            "Init",
            "failed: 0",
        ]
    );
    let queries = watched.queries();
    assert_eq!(queries.len(), 6);
    for (index, query) in queries.iter().enumerate() {
        let is_initial = index != 3;
        assert_eq!(
            query.contains("sendInitialEvents=true"),
            is_initial,
            "{query}"
        );
        let version = if is_initial { "0" } else { "9" };
        assert!(query.ends_with(&format!("resourceVersion={version}")));
    }
}

#[tokio::test(start_paused = true)]
async fn objects_and_lists_have_versions() {
    let mut watched = Watched::new(
        Config::default(),
        [
            page(&["a"], "", ""),
            page(&[], "9", ""),
            open(watched("ADDED", "a", "")),
            page(&[], "9", ""),
            open(watched("DELETED", "a", "")),
        ],
    );
    assert_eq!(
        watched.take(8).await,
        [
            "Init",
            "no version",
            "Init",
            "InitDone",
            "no version",
            "Init",
            "InitDone",
            "no version"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_silent_watch_is_started_again() {
    let start = tokio::time::Instant::now();
    let answers = [page(&[], "9", ""), open(Vec::new()), refused(500)];
    let mut watched = Watched::new(Config::default(), answers);
    assert_eq!(watched.take(3).await, ["Init", "InitDone", "start: 500"]);
    assert_eq!(start.elapsed().as_secs(), 295);

    let answers = [page(&[], "9", ""), open(Vec::new())];
    let mut watched = Watched::new(Config::default().timeout(0), answers);
    watched.take(2).await;
    let day = Duration::from_secs(24 * 60 * 60);
    assert!(tokio::time::timeout(day, watched.take(1)).await.is_err());
}
