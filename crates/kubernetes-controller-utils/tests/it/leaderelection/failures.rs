//! Errors of the API server, and what is logged of them.

use std::io;
use std::sync::{Arc, Mutex};

use kubernetes_controller_utils::leaderelection::Elector;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::subscriber::DefaultGuard;

use super::api::{ApiServer, Fault};
use super::candidate::{Candidate, Journal, Manner, What, config, in_time, seconds};

/// The log of this test's thread, on which all its tasks run.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    fn record() -> (Self, DefaultGuard) {
        let lines = Self::default();
        let writer = lines.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        (lines, tracing::subscriber::set_default(subscriber))
    }

    fn with(&self, part: &str) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines()
            .filter(|line| line.contains(part))
            .map(str::to_owned)
            .collect()
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_forbidden_is_said_once_with_the_missing_rule() {
    let (lines, _guard) = Lines::record();
    let (server, journal) = (ApiServer::default(), Journal::new());
    server.fail("a", Fault::Refuse(403));
    let _a = Candidate::start(&server, &journal, "a", Manner::Obedient);
    sleep(seconds(600)).await;
    let warnings = lines.with("WARN");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    for part in [
        "can't get the Lease storage/lock",
        "refused on demand",
        "Role in the namespace storage",
        "get, create and update",
        "leases in the API group coordination.k8s.io",
    ] {
        assert!(warnings[0].contains(part), "{part}: {}", warnings[0]);
    }
    assert!((200..=301).contains(&server.arrivals("a").len()));

    // Another verb is another message, and it's said when all is well.
    server.fail("a", Fault::None);
    server.fail_writes("a", Fault::Refuse(403));
    sleep(seconds(60)).await;
    assert_eq!(lines.with("can't create the Lease storage/lock").len(), 1);
    server.fail("a", Fault::None);
    journal.until("a", What::Started).await;
    assert_eq!(lines.with("answers again").len(), 1);
    assert_eq!(lines.with("WARN").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn each_change_of_an_error_is_said_once() {
    let (lines, _guard) = Lines::record();
    let (server, journal) = (ApiServer::default(), Journal::new());
    let _a = Candidate::start(&server, &journal, "a", Manner::Obedient);
    for fault in [
        Fault::Refuse(500),
        Fault::Hang,
        Fault::LoseAnswer,
        Fault::Refuse(500),
    ] {
        server.fail("a", fault);
        sleep(seconds(100)).await;
    }
    let warnings = lines.with("can't");
    let expected = [
        "InternalError",
        "no answer within 5s",
        "connection reset",
        "InternalError",
    ];
    for (warning, expected) in warnings.iter().zip(expected) {
        assert!(warning.contains(expected), "{expected}: {warning}");
    }
    assert_eq!(warnings.len(), expected.len(), "{warnings:#?}");
}

#[tokio::test(start_paused = true)]
async fn failing_requests_are_tried_again_each_retry_period() {
    let (server, journal) = (ApiServer::default(), Journal::new());
    server.fail("a", Fault::Refuse(500));
    let _a = Candidate::start(&server, &journal, "a", Manner::Obedient);
    sleep(seconds(240)).await;
    let arrivals = server.arrivals("a");
    assert!((100..=121).contains(&arrivals.len()), "{}", arrivals.len());
    for pair in arrivals.windows(2) {
        assert!(pair[1].at - pair[0].at >= seconds(2));
    }
    server.fail("a", Fault::None);
    journal.until("a", What::Started).await;
}

#[tokio::test(start_paused = true)]
async fn a_namespace_that_does_not_exist_yet_is_waited_for() {
    let (lines, _guard) = Lines::record();
    let (server, journal) = (ApiServer::default(), Journal::new());
    server.fail("a", Fault::Refuse(404));
    let _a = Candidate::start(&server, &journal, "a", Manner::Obedient);
    sleep(seconds(60)).await;
    assert_eq!(lines.with("can't create the Lease storage/lock").len(), 1);
    server.fail("a", Fault::None);
    journal.until("a", What::Started).await;
}

#[tokio::test(start_paused = true)]
async fn the_holder_is_logged_when_it_changes() {
    let (lines, _guard) = Lines::record();
    let (server, journal) = (ApiServer::default(), Journal::new());
    let a = Candidate::start(&server, &journal, "a", Manner::Obedient);
    journal.until("a", What::Started).await;
    sleep(seconds(60)).await;
    assert_eq!(lines.with("holder of the Lease changed").len(), 1);
    a.stop.cancel();
    let _ = a.outcome().await;
    assert_eq!(lines.with("released").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_lease_without_a_resource_version_is_not_overwritten() {
    let (lines, _guard) = Lines::record();
    let service = tower::service_fn(|request: http::Request<kube::client::Body>| async move {
        assert_eq!(request.method(), http::Method::GET);
        let lease = r#"{"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
            "metadata":{"name":"lock","namespace":"storage"}}"#;
        let body = kube::client::Body::from(lease.as_bytes().to_vec());
        Ok::<_, io::Error>(http::Response::new(body))
    });
    let client = kube::Client::new(service, "default");
    let mut elector = Elector::new(client, config("a")).unwrap();
    let stop = CancellationToken::new();
    let run = elector.run(stop.clone(), |_| async {});
    let end = async {
        sleep(seconds(20)).await;
        stop.cancel();
    };
    let _ = tokio::join!(in_time("the end of the election", run), end);
    assert_eq!(lines.with("without a resource version").len(), 1);
}
