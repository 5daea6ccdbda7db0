//! Metrics and health.

use std::net::SocketAddr;
use std::time::Duration;

use kubernetes_csi::Secrets;
use kubernetes_csi::v1::{
    ControllerGetVolumeRequest, DeleteVolumeRequest, GetMetadataAllocatedRequest,
    GetMetadataDeltaRequest, ProbeRequest,
};
use kubernetes_csi_driver::prometheus_client::encoding::text;
use kubernetes_csi_driver::prometheus_client::registry::Registry;
use kubernetes_csi_driver::{Driver, Metrics, Services};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tonic::Code;

use crate::support::{Call, Fake, Script, Server, driver, every_call};

const SECRET: &str = "swordfish";

fn delete(id: &str) -> Call {
    let secrets = [("password".to_owned(), SECRET.to_owned())];
    let request = DeleteVolumeRequest {
        volume_id: id.to_owned(),
        secrets: Secrets::from_iter(secrets),
    };
    Call::of("Controller/DeleteVolume", &request)
}

fn allocated() -> Call {
    let request = GetMetadataAllocatedRequest {
        snapshot_id: "snapshot-1".to_owned(),
        ..Default::default()
    };
    Call::of("SnapshotMetadata/GetMetadataAllocated", &request)
}

/// Returns the calls that were counted, each with its code and number.
fn counts(metrics: &Metrics) -> Vec<String> {
    let text = metrics.encode();
    let start = "csi_operations_seconds_count{driver_name=\"fake.csi.example.com\",";
    let counts = text.lines().filter_map(|line| line.strip_prefix(start));
    let mut counts: Vec<_> = counts.map(|rest| rest.replace("/csi.v1.", "")).collect();
    counts.sort();
    counts
}

fn count(call: &str, code: &str, number: u32) -> String {
    format!("method_name=\"{call}\",grpc_status_code=\"{code}\"}} {number}")
}

#[tokio::test]
async fn every_call_is_counted_under_its_name() {
    let services = Driver::new("fake.csi.example.com", "1").build().unwrap();
    let server = Server::of(services.clone()).await;
    let mut expected = Vec::new();
    for call in every_call() {
        let name = format!("{}/{}", call.parent_service().name(), call.name());
        let call = Call::of(&name, &ProbeRequest {});
        let code = match call.send(&server.channel).await {
            Ok(_) => "OK",
            Err(status) if status.code() == Code::Unimplemented => "Unimplemented",
            Err(status) => panic!("{name}: {status}"),
        };
        expected.push(count(&name, code, 1));
    }
    for other in ["Controller/Create", "Other/CreateVolume"] {
        let other = Call::of(other, &ProbeRequest {});
        let refused = other.send(&server.channel).await.unwrap_err();
        assert_eq!(refused.code(), Code::Unimplemented);
    }
    expected.sort();
    assert_eq!(counts(&services.metrics()), expected);
}

#[tokio::test(start_paused = true)]
async fn codes_are_those_of_the_answers() {
    let fake = Fake::new();
    let services = driver(&fake).build().unwrap();
    let server = Server::of(services.clone()).await;
    let channel = &server.channel;
    delete("volume-1").send(channel).await.unwrap();
    delete("volume-2").send(channel).await.unwrap();
    delete("").send(channel).await.unwrap_err();
    // The last message is the end of the stream.
    allocated().send(channel).await.unwrap();
    fake.script(Script::FailLater("broken".to_owned()));
    allocated().send(channel).await.unwrap_err();
    fake.script(Script::Panic("broken".to_owned()));
    let delta = GetMetadataDeltaRequest {
        base_snapshot_id: "snapshot-1".to_owned(),
        target_snapshot_id: "snapshot-2".to_owned(),
        ..Default::default()
    };
    let delta = Call::of("SnapshotMetadata/GetMetadataDelta", &delta);
    delta.send(channel).await.unwrap_err();
    fake.script(Script::Wait);
    let late = Call {
        timeout: Some(Duration::from_secs(7)),
        ..delete("volume-1")
    };
    late.send(channel).await.unwrap_err();
    delete("volume-1").send(channel).await.unwrap_err();
    fake.release(1);
    fake.one_ended().await;
    let get = ControllerGetVolumeRequest::default();
    let get = Call::of("Controller/ControllerGetVolume", &get);
    get.send(channel).await.unwrap_err();
    assert_eq!(
        counts(&services.metrics()),
        [
            count("Controller/ControllerGetVolume", "InvalidArgument", 1),
            count("Controller/DeleteVolume", "Aborted", 1),
            count("Controller/DeleteVolume", "Canceled", 1),
            count("Controller/DeleteVolume", "InvalidArgument", 1),
            count("Controller/DeleteVolume", "OK", 2),
            count("SnapshotMetadata/GetMetadataAllocated", "Internal", 1),
            count("SnapshotMetadata/GetMetadataAllocated", "OK", 1),
            count("SnapshotMetadata/GetMetadataDelta", "Internal", 1),
        ]
    );
    // The one that was given up after seven seconds.
    let text = services.metrics().encode();
    let buckets = text
        .lines()
        .filter(|line| line.contains("_bucket{") && line.contains("Canceled"));
    let buckets: Vec<_> = buckets
        .filter_map(|line| line.split("le=\"").nth(1))
        .collect();
    let (below, above) = buckets.split_at(6);
    assert!(below.iter().all(|le| le.ends_with(" 0")), "{buckets:?}");
    assert!(above.iter().all(|le| le.ends_with(" 1")), "{buckets:?}");
    assert!(above[0].starts_with("10.0\""), "{buckets:?}");
    assert!(above[7].starts_with("+Inf\""), "{buckets:?}");
}

#[tokio::test]
async fn parts_count_together_and_in_registries_of_others() {
    let services = driver(&Fake::new()).build().unwrap();
    let mut registry = Registry::with_prefix("storage");
    services.metrics().register(&mut registry);
    let parts = [services.controller_part(), services.node_part()];
    for part in parts {
        let server = Server::of(part).await;
        let probe = Call::of("Identity/Probe", &ProbeRequest {});
        probe.send(&server.channel).await.unwrap();
    }
    let counted = count("Identity/Probe", "OK", 2);
    assert_eq!(counts(&services.metrics()), std::slice::from_ref(&counted));
    let mut own = String::new();
    text::encode(&mut own, &registry).unwrap();
    let counted = counted.replace("\"Identity", "\"/csi.v1.Identity");
    let line = format!(
        "storage_csi_operations_seconds_count{{driver_name=\"fake.csi.example.com\",{counted}\n"
    );
    assert!(own.contains(&line), "{own}");
}

/// Serves metrics and health until the runtime ends.
async fn serve(services: &Services) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let services = services.clone();
    tokio::spawn(async move {
        let served = services.serve_http(listener, std::future::pending());
        served.await.unwrap();
    });
    address
}

/// Returns the head and the body of an answer.
async fn get(address: SocketAddr, path: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

/// Returns the status and the body of `/healthz`.
async fn health(address: SocketAddr) -> (String, String) {
    let (head, body) = get(address, "/healthz").await;
    (head.split(' ').nth(1).unwrap().to_owned(), body)
}

fn healthy() -> (String, String) {
    ("200".to_owned(), "ok\n".to_owned())
}

fn unhealthy(body: &str) -> (String, String) {
    ("500".to_owned(), format!("{body}\n"))
}

#[tokio::test]
async fn health_is_what_the_probe_says() {
    let always_ready = Driver::new("fake.csi.example.com", "1").build().unwrap();
    assert_eq!(health(serve(&always_ready).await).await, healthy());
    let fake = Fake::new();
    let address = serve(&driver(&fake).build().unwrap()).await;
    let not_ready = unhealthy("the driver isn't ready");
    assert_eq!(health(address).await, not_ready);
    fake.script(Script::Panic("broken".to_owned()));
    let failed = unhealthy("the driver's probe failed: Internal");
    assert_eq!(health(address).await, failed);
    fake.script(Script::Succeed);
    assert_eq!(health(address).await, not_ready);
}

/// Requests for the health of a driver that hangs start one probe, whose answer is that of the
/// request that waits for it.
#[tokio::test(start_paused = true)]
async fn a_probe_that_hangs_is_unhealthy() {
    let fake = Fake::new();
    let address = serve(&driver(&fake).build().unwrap()).await;
    fake.script(Script::Wait);
    let slow = unhealthy("the driver's probe took more than 1s");
    let (first, second) = tokio::join!(health(address), health(address));
    assert_eq!([first, second], [slow.clone(), slow.clone()]);
    assert_eq!(health(address).await, slow);
    fake.started().await;
    assert!(!fake.has_started());
    fake.release(1);
    fake.one_ended().await;
    fake.script(Script::Fail("broken".to_owned()));
    let failed = unhealthy("the driver's probe failed: Internal");
    assert_eq!(health(address).await, failed);
}

#[tokio::test]
async fn secrets_are_in_no_answer() {
    let fake = Fake::new();
    let services = driver(&fake).build().unwrap();
    let server = Server::of(services.clone()).await;
    let address = serve(&services).await;
    fake.script(Script::Fail(format!("can't log in with {SECRET}")));
    delete("volume-1").send(&server.channel).await.unwrap_err();
    let (head, metrics) = get(address, "/metrics").await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let media = "content-type: application/openmetrics-text; version=1.0.0; charset=utf-8";
    assert!(head.contains(media), "{head}");
    assert_eq!(metrics, services.metrics().encode());
    assert!(metrics.contains("\"Internal\"} 1"), "{metrics}");
    assert!(metrics.ends_with("# EOF\n"), "{metrics}");
    let health = health(address).await;
    assert_eq!(health, unhealthy("the driver's probe failed: Internal"));
    assert!(!metrics.contains(SECRET), "{metrics}");
}

#[tokio::test]
async fn the_server_stops() {
    let services = driver(&Fake::new()).build().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = async {
        health(address).await;
    };
    services.serve_http(listener, stop).await.unwrap();
    TcpStream::connect(address).await.unwrap_err();
}
