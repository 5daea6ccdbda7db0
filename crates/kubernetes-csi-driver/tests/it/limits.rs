//! Limits of a driver: the size of requests, the number of calls and their time.

use std::sync::Arc;
use std::time::Duration;

use kubernetes_csi::v1::{
    CreateVolumeRequest, DeleteVolumeRequest, GetPluginInfoRequest, ProbeRequest,
};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tonic::{Code, Status};

use crate::support::{Call, Fake, Logs, Script, Server, driver};

type Answer = Result<Vec<Vec<u8>>, Status>;

fn delete(id: &str) -> Call {
    let request = DeleteVolumeRequest {
        volume_id: id.to_owned(),
        ..Default::default()
    };
    Call::of("Controller/DeleteVolume", &request)
}

fn patient(id: &str, timeout: u64) -> Call {
    Call {
        timeout: Some(Duration::from_secs(timeout)),
        ..delete(id)
    }
}

/// Sends a call, and returns once it is where it waits.
async fn begin(server: &Server, call: Call) -> JoinHandle<Answer> {
    let channel = server.channel.clone();
    let call = tokio::spawn(async move { call.send(&channel).await });
    sleep(Duration::from_millis(100)).await;
    call
}

async fn waiting(driver: kubernetes_csi_driver::Driver, fake: &Arc<Fake>) -> Server {
    fake.script(Script::Wait);
    Server::of(driver.build().unwrap()).await
}

fn code(answer: Answer) -> Code {
    answer.map_or_else(|status| status.code(), |_| Code::Ok)
}

#[tokio::test]
async fn requests_have_at_most_four_mebibytes() {
    let fake = Fake::new();
    let server = Server::of(driver(&fake).build().unwrap()).await;
    let request = |size: usize| CreateVolumeRequest {
        name: "a".repeat(size),
        ..Default::default()
    };
    for (size, expected) in [
        // The length of the name and its tag take five bytes.
        ((4 << 20) - 5, Code::InvalidArgument),
        ((4 << 20) - 4, Code::OutOfRange),
    ] {
        let call = Call::of("Controller/CreateVolume", &request(size));
        assert_eq!(code(call.send(&server.channel).await), expected, "{size}");
    }
}

#[tokio::test(start_paused = true)]
async fn calls_beyond_the_limit_wait() {
    let fake = Fake::new();
    let server = waiting(driver(&fake).most_calls(2), &fake).await;
    let first = begin(&server, delete("volume-1")).await;
    let second = begin(&server, delete("volume-2")).await;
    let third = begin(&server, delete("volume-3")).await;
    for _ in 0..2 {
        fake.started().await;
    }
    assert!(!fake.has_started());
    // It has its locks already.
    let repeated = delete("volume-3").send(&server.channel).await;
    assert_eq!(code(repeated), Code::Aborted);
    // What the kit answers doesn't wait.
    let info = Call::of("Identity/GetPluginInfo", &GetPluginInfoRequest {});
    info.send(&server.channel).await.unwrap();
    fake.release(1);
    fake.started().await;
    assert!(!fake.has_started());
    fake.release(2);
    for call in [first, second, third] {
        assert_eq!(code(call.await.unwrap()), Code::Ok);
    }
}

#[tokio::test(start_paused = true)]
async fn a_probe_does_not_wait() {
    let fake = Fake::new();
    let server = waiting(driver(&fake).most_calls(1), &fake).await;
    let first = begin(&server, delete("volume-1")).await;
    fake.started().await;
    fake.script(Script::Succeed);
    let probe = Call::of("Identity/Probe", &ProbeRequest {});
    probe.send(&server.channel).await.unwrap();
    assert!(!first.is_finished());
}

#[tokio::test(start_paused = true)]
async fn who_goes_away_waits_no_longer() {
    let fake = Fake::new();
    let server = waiting(driver(&fake).most_calls(1), &fake).await;
    let first = begin(&server, delete("volume-1")).await;
    fake.started().await;
    let gone = patient("volume-2", 5).send(&server.channel).await;
    assert_eq!(code(gone), Code::Cancelled);
    let next = begin(&server, delete("volume-2")).await;
    fake.release(2);
    for call in [first, next] {
        assert_eq!(code(call.await.unwrap()), Code::Ok);
    }
    fake.started().await;
    assert!(!fake.has_started());
    assert_eq!(fake.ended(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_call_goes_on_after_its_time() {
    let fake = Fake::new();
    let time = Duration::from_secs(20);
    let limited = driver(&fake).call_timeout(time).most_calls(1);
    let server = waiting(limited, &fake).await;
    let logs = Logs::capture();
    let before = Instant::now();
    let late = delete("volume-1").send(&server.channel).await.unwrap_err();
    assert_eq!(before.elapsed().as_secs(), 20);
    assert_eq!(late.code(), Code::DeadlineExceeded);
    assert_eq!(late.message(), "DeleteVolume goes on after 20s");
    let log = logs.take();
    assert!(log.contains("DeleteVolume goes on after 20s"), "{log}");
    // It still has its lock and its place.
    let repeated = delete("volume-1").send(&server.channel).await;
    assert_eq!(code(repeated), Code::Aborted);
    fake.started().await;
    let other = begin(&server, patient("volume-2", 50)).await;
    assert!(!fake.has_started());
    fake.release(1);
    fake.one_ended().await;
    // The time of a call that has waited begins when it runs.
    fake.started().await;
    fake.release(1);
    assert_eq!(code(other.await.unwrap()), Code::Ok);
    fake.release(1);
    let again = delete("volume-1").send(&server.channel).await;
    assert_eq!(code(again), Code::Ok);
}

#[tokio::test(start_paused = true)]
async fn a_caller_s_own_deadline_may_be_shorter() {
    let fake = Fake::new();
    let limited = driver(&fake).call_timeout(Duration::from_secs(20));
    let server = waiting(limited, &fake).await;
    let before = Instant::now();
    let late = patient("volume-1", 5).send(&server.channel).await;
    assert_eq!(before.elapsed().as_secs(), 5);
    assert_eq!(code(late), Code::Cancelled);
}
