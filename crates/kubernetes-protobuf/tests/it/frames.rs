//! The bounds of events: frames with a length, and lines.

use std::io;

use futures::{StreamExt, TryStreamExt, stream};
use http::Response;
use http::header::CONTENT_TYPE;
use kube::Error;
use kube::api::{WatchEvent, WatchParams};
use kubernetes_protobuf::Api;
use storage_v1::StorageClass;

use crate::support::{
    Answer, JSON, STREAM, answer, bookmark, envelope, event, server, status, watched,
};

type Seen = Vec<Result<WatchEvent<StorageClass>, Error>>;

/// Watches a body that arrives in these pieces.
async fn watch(content_type: &str, pieces: Vec<io::Result<Vec<u8>>>) -> Seen {
    let mut answer = Response::new(Answer::from_stream(stream::iter(pieces)));
    answer
        .headers_mut()
        .insert(CONTENT_TYPE, content_type.parse().unwrap());
    let (client, log) = server([answer]);
    let classes: Api<StorageClass> = Api::all(client);
    let events = classes.watch(&WatchParams::default(), "5").await.unwrap();
    let sent = log.take();
    assert_eq!(sent[0].header("accept-encoding"), "identity");
    assert!(sent[0].uri.contains("watch=true") && sent[0].uri.ends_with("resourceVersion=5"));
    events.take(20).collect().await
}

/// Lists events in short.
fn short(seen: &Seen) -> Vec<String> {
    let name = |class: &StorageClass| class.metadata.name.clone().unwrap();
    seen.iter()
        .map(|event| match event {
            Ok(WatchEvent::Added(class)) => format!("+{}", name(class)),
            Ok(WatchEvent::Modified(class)) => format!("~{}", name(class)),
            Ok(WatchEvent::Deleted(class)) => format!("-{}", name(class)),
            Ok(WatchEvent::Bookmark(mark)) => {
                let keys: Vec<_> = mark.metadata.annotations.keys().collect();
                format!("{} {keys:?}", mark.metadata.resource_version)
            }
            Ok(WatchEvent::Error(status)) => format!("{} {}", status.code, status.message),
            Err(error) => error.to_string(),
        })
        .collect()
}

fn every_event() -> Vec<u8> {
    [
        watched("ADDED", "a", "6"),
        watched("MODIFIED", "a", "7"),
        watched("DELETED", "a", "8"),
        bookmark("9", Some("k8s.io/initial-events-end")),
        bookmark("10", None),
        event("ERROR", &status(410, "Expired", "too old")),
    ]
    .concat()
}

const EVERY_EVENT: [&str; 6] = [
    "+a",
    "~a",
    "-a",
    "9 [\"k8s.io/initial-events-end\"]",
    "10 []",
    "410 too old",
];

#[tokio::test]
async fn frames_may_arrive_in_any_pieces() {
    let bytes = every_event();
    for length in [1, 2, 3, 5, 64, 100, bytes.len()] {
        let pieces = bytes.chunks(length).map(|piece| Ok(piece.to_vec()));
        assert_eq!(short(&watch(STREAM, pieces.collect()).await), EVERY_EVENT);
    }
}

#[tokio::test]
async fn lines_may_arrive_in_any_pieces() {
    let lines = "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"},\"provisioner\":\"p\"}}\n\n\
                 {\"type\":\"BOOKMARK\",\"object\":{\"apiVersion\":\"storage.k8s.io/v1\",\
                 \"kind\":\"StorageClass\",\"metadata\":{\"resourceVersion\":\"9\"}}}\n\
                 {\"type\":\"ADDED\",\"object\":1}\n\
                 {\"type\":\"ERROR\",\"object\":{\"code\":410,\"message\":\"too old\"}}\n\
                 {\"kind\":\"Status\",\"code\":500,\"message\":\"no\"}";
    for length in [1, 7, 1000] {
        let pieces = lines.as_bytes().chunks(length);
        let seen = watch(JSON, pieces.map(|piece| Ok(piece.to_vec())).collect()).await;
        let short = short(&seen);
        assert_eq!(short.len(), 5, "{short:?}");
        assert_eq!(short[..2], ["+a", "9 []"]);
        assert!(short[2].starts_with("Error deserializing response"));
        assert_eq!(short[3], "410 too old");
        assert!(matches!(&seen[4], Err(Error::Api(status)) if status.code == 500));
    }
}

#[tokio::test]
async fn a_watch_that_ends_inside_an_event_ends_without_an_error() {
    let bytes = [watched("ADDED", "a", "6"), watched("ADDED", "b", "7")].concat();
    let cut = bytes[..bytes.len() - 1].to_vec();
    let line = b"{\"type\":\"ADDED\",\"obj".to_vec();
    assert_eq!(short(&watch(STREAM, vec![Ok(cut.clone())]).await), ["+a"]);
    assert!(watch(JSON, vec![Ok(line)]).await.is_empty());
    let eof = io::Error::new(io::ErrorKind::UnexpectedEof, "closed");
    assert_eq!(short(&watch(STREAM, vec![Ok(cut), Err(eof)]).await), ["+a"]);
    let eof = io::Error::other("unexpected EOF during chunk size line");
    assert!(watch(STREAM, vec![Err(eof)]).await.is_empty());
}

#[tokio::test]
async fn a_broken_connection_is_the_last_error() {
    let reset = io::Error::new(io::ErrorKind::ConnectionReset, "reset by peer");
    let pieces = vec![
        Ok(watched("ADDED", "a", "6")),
        Err(reset),
        Ok(watched("ADDED", "b", "7")),
    ];
    let seen = watch(STREAM, pieces).await;
    assert_eq!(seen.len(), 2);
    assert!(matches!(&seen[1], Err(Error::ReadEvents(_))));
}

#[tokio::test]
async fn a_frame_that_claims_too_much_ends_the_watch() {
    for length in [16 * 1024 * 1024 + 1_u32, u32::MAX] {
        let pieces = vec![
            Ok([watched("ADDED", "a", "6"), length.to_be_bytes().to_vec()].concat()),
            Ok(watched("ADDED", "b", "7")),
        ];
        let short = short(&watch(STREAM, pieces).await);
        assert_eq!(short.len(), 2, "{short:?}");
        assert!(short[1].contains(&format!("{length} bytes or more")));
    }
    let line = vec![Ok(vec![b' '; 16 * 1024 * 1024]), Ok(b"  ".to_vec())];
    let short = short(&watch(JSON, line).await);
    assert_eq!(short.len(), 1, "{short:?}");
    assert!(short[0].contains("at most 16777216 are read"));
}

#[tokio::test]
async fn events_that_cannot_be_read_are_errors_of_their_own() {
    let no_version = envelope("storage.k8s.io/v1", "StorageClass", &[]);
    let bytes = [
        event("SURPRISE", &[]),
        vec![0; 4],
        event("ADDED", b"{}"),
        event("BOOKMARK", &no_version),
        event("ERROR", b"{}"),
        vec![0, 0, 0, 1, 10],
        watched("ADDED", "b", "7"),
    ];
    let short = short(&watch(STREAM, vec![Ok(bytes.concat())]).await);
    let expected = [
        "unknown type of a watch event: \"SURPRISE\"",
        "unknown type of a watch event: \"\"",
        "the input isn't an object",
        "a bookmark has no metadata.resourceVersion",
        "the input isn't an object",
        "the input ends inside a value",
        "+b",
    ];
    assert_eq!(short.len(), expected.len());
    for (short, expected) in short.iter().zip(expected) {
        assert!(short.contains(expected), "{short}");
    }
}

#[tokio::test]
async fn a_watch_that_a_server_refuses_is_no_stream() {
    let (client, _) = server([answer(410, STREAM, status(410, "Expired", "too old"))]);
    let classes: Api<StorageClass> = Api::all(client);
    let error = classes.watch(&WatchParams::default(), "5").await.err();
    assert!(matches!(error, Some(Error::Api(status)) if status.code == 410));
}

#[tokio::test]
async fn a_stream_that_has_ended_stays_ended() {
    let (client, _) = server([answer(200, STREAM, watched("ADDED", "a", "6"))]);
    let classes: Api<StorageClass> = Api::all(client);
    let events = classes.watch(&WatchParams::default(), "5").await.unwrap();
    let mut events = events.fuse().boxed();
    assert!(events.try_next().await.unwrap().is_some());
    assert!(events.try_next().await.unwrap().is_none());
}
