//! The candidate that gets the Lease, and the time.

use kubernetes_controller_utils::leaderelection::Outcome;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, sleep_until};

use super::api::{ApiServer, Fault};
use super::candidate::{Candidate, Journal, Manner, What, assert_between, config, seconds};

#[tokio::test(start_paused = true)]
async fn the_first_leads_and_the_second_waits() {
    let (server, journal) = (ApiServer::default(), Journal::new());
    let a = Candidate::start(&server, &journal, "a", Manner::Obedient);
    journal.until("a", What::Started).await;
    let b = Candidate::start(&server, &journal, "b", Manner::Obedient);
    sleep(seconds(3600)).await;

    assert_eq!(journal.running().as_deref(), Some("a"));
    assert_eq!(journal.count(What::Started), 1);
    assert_eq!(a.leader.borrow().as_deref(), Some("a"));
    assert_eq!(b.leader.borrow().as_deref(), Some("a"));
    let spec = server.spec();
    assert_eq!(spec.holder_identity.as_deref(), Some("a"));
    assert_eq!(spec.lease_duration_seconds, Some(15));
    assert_eq!(spec.lease_transitions, Some(0));
    assert!(spec.acquire_time < spec.renew_time, "{spec:?}");
}

#[tokio::test(start_paused = true)]
async fn two_that_start_together_get_one_leader() {
    for fault in [Fault::None, Fault::Slow(seconds(1))] {
        let (server, journal) = (ApiServer::default(), Journal::new());
        server.fail("a", fault);
        server.fail("b", fault);
        let _a = Candidate::start(&server, &journal, "a", Manner::Obedient);
        let _b = Candidate::start(&server, &journal, "b", Manner::Obedient);
        sleep(seconds(60)).await;
        assert!(journal.running().is_some());
        assert_eq!(journal.count(What::Started), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_leader_is_replaced_after_the_lease_duration() {
    let (server, journal) = (ApiServer::default(), Journal::new());
    let a = Candidate::start(&server, &journal, "a", Manner::Obedient);
    let mut b = Candidate::start(&server, &journal, "b", Manner::Obedient);
    journal.until("a", What::Started).await;
    sleep(seconds(60)).await;
    let old = server.spec();
    a.task.abort();
    let last_write = server.arrivals("a").pop().unwrap().at;

    let started = journal.until("b", What::Started).await;
    // It sees the last renewal up to 2.4 s late.
    assert_between(last_write, started, 15.0..17.4);
    b.knows("b").await;
    let new = server.spec();
    assert_eq!(new.holder_identity.as_deref(), Some("b"));
    assert_eq!(new.lease_transitions, Some(1));
    assert!(new.acquire_time > old.acquire_time);
    assert_eq!(new.acquire_time, new.renew_time);
}

/// Starts one candidate beside a Lease, and returns after how long it leads, in seconds.
async fn seconds_until_led(spec: Value) -> (f64, ApiServer) {
    let (server, journal) = (ApiServer::default(), Journal::new());
    server.seed(spec);
    let start = Instant::now();
    let _a = Candidate::start(&server, &journal, "a", Manner::Obedient);
    let started = journal.until("a", What::Started).await;
    ((started - start).as_secs_f64(), server)
}

#[tokio::test(start_paused = true)]
async fn times_in_the_lease_decide_nothing() {
    for time in [
        "0001-01-01T00:00:00.000000Z",
        "1970-01-01T00:00:00.000000Z",
        "9999-12-31T23:59:59.999999Z",
    ] {
        let (waited, server) = seconds_until_led(json!({
            "holderIdentity": "z",
            "leaseDurationSeconds": 15,
            "acquireTime": time,
            "renewTime": time,
            "leaseTransitions": 7,
        }))
        .await;
        assert!((15.0..15.01).contains(&waited), "{time}: {waited}");
        let spec = server.spec();
        assert_eq!(spec.lease_transitions, Some(8));
        let renewed = spec.renew_time.unwrap().0;
        let skew = k8s_openapi::jiff::Timestamp::now().duration_since(renewed);
        assert!(skew.unsigned_abs() < seconds(60), "{renewed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_damaged_lease_is_taken_over_and_mended() {
    let late = 15.0..15.01;
    let at_once = 0.0..0.01;
    for (spec, expected, transitions) in [
        (
            json!({"holderIdentity": "z", "leaseDurationSeconds": -3}),
            late.clone(),
            1,
        ),
        (
            json!({"holderIdentity": "z", "leaseDurationSeconds": 0}),
            late.clone(),
            1,
        ),
        (json!({"holderIdentity": "z"}), late.clone(), 1),
        (
            json!({"holderIdentity": "z", "leaseTransitions": -9}),
            late.clone(),
            1,
        ),
        (
            json!({"holderIdentity": "z", "leaseTransitions": i32::MAX}),
            late,
            i32::MAX,
        ),
        (
            json!({"holderIdentity": "", "leaseDurationSeconds": 15}),
            at_once.clone(),
            1,
        ),
        (json!({"leaseDurationSeconds": 15}), at_once.clone(), 1),
        (json!({}), at_once.clone(), 1),
        (Value::Null, at_once, 1),
    ] {
        let (waited, server) = seconds_until_led(spec.clone()).await;
        assert!(expected.contains(&waited), "{spec}: {waited}");
        let mended = server.spec();
        assert_eq!(mended.holder_identity.as_deref(), Some("a"), "{spec}");
        assert_eq!(mended.lease_duration_seconds, Some(15), "{spec}");
        assert_eq!(mended.lease_transitions, Some(transitions), "{spec}");
        assert!(
            mended.acquire_time.is_some() && mended.renew_time.is_some(),
            "{spec}"
        );
        let labels = server.lease().unwrap().metadata.labels.unwrap();
        assert_eq!(labels["a"], "b", "the rest of the object is kept");
    }
}

#[tokio::test(start_paused = true)]
async fn the_duration_in_the_lease_counts() {
    let lease = json!({"holderIdentity": "z", "leaseDurationSeconds": 60});
    let (waited, _) = seconds_until_led(lease).await;
    assert!((60.0..60.01).contains(&waited), "{waited}");
}

#[tokio::test(start_paused = true)]
async fn a_duration_is_rounded_up_in_the_lease() {
    let (server, journal) = (ApiServer::default(), Journal::new());
    let config = config("a").with_lease_duration(std::time::Duration::from_millis(12_001));
    let _a = Candidate::with(&server, &journal, config, "a", Manner::Obedient);
    journal.until("a", What::Started).await;
    assert_eq!(server.spec().lease_duration_seconds, Some(13));
}

#[tokio::test(start_paused = true)]
async fn a_changed_label_does_not_prolong_a_lease() {
    let (server, journal) = (ApiServer::default(), Journal::new());
    server.seed(json!({"holderIdentity": "z", "leaseDurationSeconds": 15}));
    let start = Instant::now();
    let _a = Candidate::start(&server, &journal, "a", Manner::Obedient);
    for n in 0..10 {
        sleep_until(start + seconds(n)).await;
        server.edit(|lease| lease["metadata"]["labels"]["n"] = n.to_string().into());
    }
    let started = journal.until("a", What::Started).await;
    assert_between(start, started, 15.0..15.01);
}

#[tokio::test(start_paused = true)]
async fn a_restarted_candidate_goes_on_at_once() {
    let acquired = "2026-01-01T00:00:00.000000Z";
    let (waited, server) = seconds_until_led(json!({
        "holderIdentity": "a",
        "leaseDurationSeconds": 15,
        "acquireTime": acquired,
        "renewTime": "2026-01-01T01:00:00.000000Z",
        "leaseTransitions": 3,
    }))
    .await;
    assert!(waited < 0.01, "{waited}");
    let spec = server.spec();
    assert_eq!(spec.lease_transitions, Some(3));
    assert_eq!(spec.acquire_time.unwrap().0, acquired.parse().unwrap());
}

#[tokio::test(start_paused = true)]
async fn stopped_before_the_election_it_leaves_no_trace() {
    let (server, journal) = (ApiServer::default(), Journal::new());
    server.seed(json!({"holderIdentity": "z", "leaseDurationSeconds": 600}));
    let before = server.lease();
    let a = Candidate::start(&server, &journal, "a", Manner::Obedient);
    sleep(seconds(30)).await;
    a.stop.cancel();
    assert_eq!(a.outcome().await, Outcome::NotElected);
    assert_eq!(server.lease(), before);

    // Before it started, it sends nothing.
    let b = Candidate::start(&server, &journal, "b", Manner::Obedient);
    b.stop.cancel();
    assert_eq!(b.outcome().await, Outcome::NotElected);
    assert_eq!(server.arrivals("b").len(), 0);
    assert_eq!(journal.count(What::Started), 0);
}

#[tokio::test(start_paused = true)]
async fn stopped_while_it_acquires_it_gives_the_lease_back() {
    let (server, journal) = (ApiServer::default(), Journal::new());
    server.fail_next_write("a", Fault::HangAfter);
    let a = Candidate::start(&server, &journal, "a", Manner::Obedient);
    sleep(seconds(1)).await;
    assert_eq!(server.spec().holder_identity.as_deref(), Some("a"));
    a.stop.cancel();
    assert_eq!(a.outcome().await, Outcome::NotElected);
    assert_eq!(server.spec().holder_identity.as_deref(), Some(""));
    assert_eq!(journal.count(What::Started), 0);
}

#[tokio::test(start_paused = true)]
async fn an_acquisition_whose_answer_is_lost_is_found_out() {
    for fault in [Fault::LoseAnswer, Fault::HangAfter] {
        let (server, journal) = (ApiServer::default(), Journal::new());
        server.fail_next_write("a", fault);
        let start = Instant::now();
        let _a = Candidate::start(&server, &journal, "a", Manner::Obedient);
        let started = journal.until("a", What::Started).await;
        assert_between(start, started, 2.0..5.0);
        assert_eq!(server.spec().lease_transitions, Some(0));
    }
}

/// Go's times reach further than those of Rust, and a server stores them.
#[tokio::test(start_paused = true)]
async fn a_live_holder_with_unreadable_times_is_respected() {
    let (server, journal) = (ApiServer::default(), Journal::new());
    let spec = json!({"holderIdentity": "z", "leaseDurationSeconds": 15, "renewTime": null});
    server.seed(spec);
    let _a = Candidate::start(&server, &journal, "a", Manner::Obedient);
    for second in 0..30 {
        let time = format!("9999-12-31T23:59:{second:02}.000000Z");
        server.edit(|lease| lease["spec"]["renewTime"] = time.into());
        sleep(seconds(2)).await;
    }
    assert_eq!(journal.running(), None);
    journal.until("a", What::Started).await;
}
