//! A driver that stops.

use std::time::Duration;

use kubernetes_csi::v1::DeleteVolumeRequest;
use kubernetes_csi::v1::{GetMetadataAllocatedRequest, ProbeRequest};
use tokio::time::{Instant, sleep};
use tonic::Code;

use crate::support::{Call, Fake, Script, Server, channel, driver};

fn delete() -> Call {
    let request = DeleteVolumeRequest {
        volume_id: "volume-1".to_owned(),
        ..Default::default()
    };
    Call::of("Controller/DeleteVolume", &request)
}

#[tokio::test(start_paused = true)]
async fn the_call_under_way_is_answered() {
    let fake = Fake::new();
    let mut server = Server::of(driver(&fake).build().unwrap()).await;
    fake.script(Script::Wait);
    let running = server.channel.clone();
    let running = tokio::spawn(async move { delete().send(&running).await });
    fake.started().await;
    server.stop();
    sleep(Duration::from_secs(20)).await;
    assert!(!server.has_ended());
    // Neither on a new connection nor on the one that is there.
    for channel in [channel(&server.path()), server.channel.clone()] {
        let probe = Call::of("Identity/Probe", &ProbeRequest {});
        let refused = probe.send(&channel).await.unwrap_err();
        let codes = [Code::Unavailable, Code::Cancelled];
        assert!(codes.contains(&refused.code()), "{refused}");
        assert!(!fake.has_started());
    }
    fake.release(1);
    server.ended().await;
    assert!(running.await.unwrap().is_ok());
    assert!(!server.path().exists());
}

/// A call whose caller has gone has no connection that is waited for.
#[tokio::test(start_paused = true)]
async fn the_call_of_a_caller_that_went_away_is_waited_for() {
    let fake = Fake::new();
    let mut server = Server::of(driver(&fake).build().unwrap()).await;
    fake.script(Script::Wait);
    let short = Call {
        timeout: Some(Duration::from_secs(1)),
        ..delete()
    };
    short.send(&server.channel).await.unwrap_err();
    fake.started().await;
    server.stop();
    sleep(Duration::from_secs(20)).await;
    assert!(!server.has_ended());
    fake.release(1);
    server.ended().await;
    assert_eq!(fake.ended(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_without_end_is_waited_for_half_a_minute() {
    for goes_away in [false, true] {
        let fake = Fake::new();
        let mut server = Server::of(driver(&fake).build().unwrap()).await;
        fake.script(Script::Wait);
        let call = Call {
            timeout: goes_away.then_some(Duration::from_secs(1)),
            ..delete()
        };
        let running = server.channel.clone();
        let running = tokio::spawn(async move { call.send(&running).await });
        fake.started().await;
        if goes_away {
            sleep(Duration::from_secs(2)).await;
        }
        let begin = Instant::now();
        server.stop();
        server.ended().await;
        let took = begin.elapsed();
        let expected = Duration::from_secs(30)..Duration::from_secs(31);
        assert!(expected.contains(&took), "{took:?}, {goes_away}");
        running.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn an_idle_driver_stops_at_once() {
    let fake = Fake::new();
    let mut server = Server::of(driver(&fake).build().unwrap()).await;
    let request = GetMetadataAllocatedRequest {
        snapshot_id: "snapshot-1".to_owned(),
        ..Default::default()
    };
    let blocks = Call::of("SnapshotMetadata/GetMetadataAllocated", &request);
    assert_eq!(blocks.send(&server.channel).await.unwrap().len(), 1);
    let begin = Instant::now();
    server.stop();
    server.ended().await;
    assert!(begin.elapsed() < Duration::from_secs(1));
}
