//! Renewals, and the end of work that is not due to a loss.

use http::Method;
use kubernetes_controller_utils::leaderelection::{Elector, Outcome};
use serde_json::json;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::api::{ApiServer, Fault};
use super::candidate::{
    Candidate, Journal, Manner, WallClock, What, assert_between, config, in_time, led, seconds,
};

#[tokio::test(start_paused = true)]
async fn renewals_are_one_request_each_retry_period() {
    let (server, journal, _a, _b) = led(Manner::Obedient).await;
    let before = server.arrivals("a").len();
    sleep(seconds(240)).await;
    let renewals = server.arrivals("a").split_off(before);
    assert!((100..=120).contains(&renewals.len()), "{}", renewals.len());
    assert!(renewals.iter().all(|arrival| arrival.method == Method::PUT));
    let waits: Vec<_> = renewals
        .windows(2)
        .map(|pair| pair[1].at - pair[0].at)
        .collect();
    assert!(
        waits.iter().any(|wait| *wait != waits[0]),
        "no jitter: {waits:?}"
    );
    assert_eq!(journal.running().as_deref(), Some("a"));
}

#[tokio::test(start_paused = true)]
async fn stopped_work_ends_and_the_next_takes_over_at_once() {
    let (server, journal, a, mut b) = led(Manner::Obedient).await;
    let old = server.spec();
    a.stop.cancel();
    assert_eq!(a.outcome().await, Outcome::Completed("done"));
    let released = server.spec();
    assert_eq!(released.holder_identity.as_deref(), Some(""));
    assert_eq!(released.lease_duration_seconds, Some(1));
    assert_eq!(released.lease_transitions, Some(0));
    assert!(released.renew_time > old.renew_time);

    let ended = journal.until("a", What::Ended).await;
    let started = journal.until("b", What::Started).await;
    assert_between(ended, started, 0.0..2.4);
    assert_eq!(server.spec().lease_transitions, Some(1));
    b.knows("b").await;
}

#[tokio::test(start_paused = true)]
async fn the_lease_is_kept_while_stopped_work_ends() {
    let (server, journal, a, _b) = led(Manner::Slow(seconds(19))).await;
    a.stop.cancel();
    let asked = journal.until("a", What::Asked).await;
    sleep(seconds(18)).await;
    assert_eq!(server.spec().holder_identity.as_deref(), Some("a"));
    let ended = journal.until("a", What::Ended).await;
    assert_between(asked, ended, 19.0..19.0);
    assert_eq!(a.outcome().await, Outcome::Completed("done"));
    journal.until("b", What::Started).await;
    journal.running();
}

#[tokio::test(start_paused = true)]
async fn stopped_work_that_does_not_end_is_dropped() {
    let (server, journal, a, _b) = led(Manner::Stubborn).await;
    a.stop.cancel();
    let asked = journal.until("a", What::Asked).await;
    assert_eq!(a.outcome().await, Outcome::Dropped);
    let ended = journal.until("a", What::Ended).await;
    assert_between(asked, ended, 20.0..20.0);
    assert_eq!(server.spec().holder_identity.as_deref(), Some(""));
    let started = journal.until("b", What::Started).await;
    assert_between(ended, started, 0.0..2.4);
}

#[tokio::test(start_paused = true)]
async fn work_that_ends_by_itself_gives_the_lease_back() {
    let (server, journal, a, _b) = led(Manner::Short(seconds(30))).await;
    assert_eq!(a.outcome().await, Outcome::Completed("done"));
    assert_eq!(journal.count(What::Asked), 0);
    assert_eq!(server.spec().holder_identity.as_deref(), Some(""));
    journal.until("b", What::Started).await;
}

#[tokio::test(start_paused = true)]
async fn a_release_that_meets_another_write_is_tried_again() {
    let (server, _, a, _b) = led(Manner::Obedient).await;
    server.edit(|lease| lease["metadata"]["labels"] = json!({"x": "y"}));
    a.stop.cancel();
    assert_eq!(a.outcome().await, Outcome::Completed("done"));
    assert_eq!(server.spec().holder_identity.as_deref(), Some(""));
    assert_eq!(server.lease().unwrap().metadata.labels.unwrap()["x"], "y");
}

#[tokio::test(start_paused = true)]
async fn only_an_own_lease_is_released() {
    let (server, _, a, _b) = led(Manner::Obedient).await;
    server.edit(|lease| lease["spec"]["holderIdentity"] = "z".into());
    let before = server.lease();
    a.stop.cancel();
    assert_eq!(a.outcome().await, Outcome::Completed("done"));
    assert_eq!(server.lease(), before);
}

#[tokio::test(start_paused = true)]
async fn a_release_does_not_wait_for_a_hanging_server() {
    let (server, journal, a, _b) = led(Manner::Obedient).await;
    server.fail("a", Fault::Hang);
    let stopped = Instant::now();
    a.stop.cancel();
    assert_eq!(a.outcome().await, Outcome::Completed("done"));
    assert_between(stopped, Instant::now(), 5.0..5.0);
    let started = journal.until("b", What::Started).await;
    assert_between(stopped, started, 12.0..17.4);
}

#[tokio::test(start_paused = true)]
async fn one_lost_answer_or_hanging_request_loses_nothing() {
    for fault in [
        Fault::LoseAnswer,
        Fault::HangAfter,
        Fault::Hang,
        Fault::Refuse(500),
    ] {
        let (server, journal, _a, _b) = led(Manner::Obedient).await;
        for _ in 0..5 {
            server.fail_next_write("a", fault);
            sleep(seconds(10)).await;
        }
        sleep(seconds(30)).await;
        assert_eq!(journal.running().as_deref(), Some("a"), "{fault:?}");
        assert_eq!(journal.count(What::Started), 1);
        assert_eq!(server.spec().lease_transitions, Some(0));
    }
}

#[tokio::test(start_paused = true)]
async fn conflicts_are_survived_by_reading_again() {
    let (server, journal, a, _b) = led(Manner::Obedient).await;
    for n in 0..600 {
        server.edit(|lease| lease["metadata"]["labels"] = json!({"n": n.to_string()}));
        sleep(seconds(1) / 4).await;
    }
    assert_eq!(journal.running().as_deref(), Some("a"));
    assert_eq!(journal.count(What::Started), 1);
    assert_eq!(a.leader.borrow().as_deref(), Some("a"));
}

#[tokio::test(start_paused = true)]
async fn a_slow_server_loses_nothing() {
    let (server, journal, _a, _b) = led(Manner::Obedient).await;
    server.fail_writes("a", Fault::Slow(seconds(4)));
    sleep(seconds(300)).await;
    assert_eq!(journal.running().as_deref(), Some("a"));
    assert_eq!(journal.count(What::Started), 1);
}

#[tokio::test(start_paused = true)]
async fn a_deleted_lease_is_created_again_by_its_leader() {
    let (server, journal, _a, b) = led(Manner::Obedient).await;
    let old = server.spec();
    server.delete();
    sleep(seconds(60)).await;
    assert_eq!(journal.running().as_deref(), Some("a"));
    assert_eq!(journal.count(What::Started), 1);
    let new = server.spec();
    assert_eq!(new.lease_transitions, old.lease_transitions);
    assert_eq!(new.acquire_time, old.acquire_time);
    assert_eq!(b.leader.borrow().as_deref(), Some("a"));
}

#[tokio::test(start_paused = true)]
async fn a_deleted_lease_of_a_silent_leader_is_waited_for() {
    let (server, journal, a, _b) = led(Manner::Stubborn).await;
    server.fail("a", Fault::Hang);
    let deleted = Instant::now();
    server.delete();
    let started = journal.until("b", What::Started).await;
    // It last saw a renewal up to two of its longest waits before: a renewal may just have missed
    // the last but one of its requests, and the deletion come just before the last.
    assert_between(deleted, started, 10.2..17.4);
    assert_eq!(journal.running().as_deref(), Some("b"));
    assert_eq!(server.spec().lease_transitions, Some(1));
    drop(a);
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_stops_or_jumps_changes_nothing() {
    let (server, journal) = (ApiServer::default(), Journal::new());
    let clock = WallClock::new();
    let read = clock.clone();
    let config = config("a").with_wall_clock(move || read.now());
    let _a = Candidate::with(&server, &journal, config, "a", Manner::Obedient);
    journal.until("a", What::Started).await;
    let _b = Candidate::start(&server, &journal, "b", Manner::Obedient);
    for seconds_off in [0, -1, -14, 3, 100_000_000, -100_000_000, -99_999_999] {
        clock.set(WallClock::after_start(seconds_off));
        sleep(seconds(40)).await;
        let renewed = server.spec().renew_time.unwrap().0;
        let now = clock.now();
        let skew = renewed.duration_since(now).unsigned_abs();
        assert!(skew <= seconds(15), "{renewed} at {now}");
    }
    assert_eq!(journal.running().as_deref(), Some("a"));
    assert_eq!(journal.count(What::Started), 1);
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_back_and_forth_repeats_no_renewal() {
    let (server, journal) = (ApiServer::default(), Journal::new());
    let clock = WallClock::new();
    let read = clock.clone();
    let config = config("a").with_wall_clock(move || read.now());
    let _a = Candidate::with(&server, &journal, config, "a", Manner::Obedient);
    let _b = Candidate::start(&server, &journal, "b", Manner::Obedient);
    sleep(seconds(10)).await;
    server.fail_writes("a", Fault::Refuse(500));
    sleep(seconds(3)).await;
    // The clock says again what b read last, when b gets answers again.
    let seen = server.spec().renew_time.unwrap().0;
    server.fail("b", Fault::Refuse(500));
    server.fail("a", Fault::None);
    clock.set(WallClock::after_start(100));
    sleep(seconds(20)).await;
    clock.set(seen);
    let renewals = server.arrivals("a").len();
    while server.arrivals("a").len() == renewals {
        sleep(std::time::Duration::from_millis(10)).await;
    }
    server.fail_writes("a", Fault::Refuse(500));
    server.fail("b", Fault::None);
    sleep(seconds(5)).await;
    server.fail("a", Fault::None);
    sleep(seconds(60)).await;
    assert_eq!(journal.running().as_deref(), Some("a"));
    assert_eq!(journal.count(What::Started), 1);
}

#[tokio::test(start_paused = true)]
async fn an_elector_can_run_again() {
    let server = ApiServer::default();
    let mut elector = Elector::new(server.client("a"), config("a")).unwrap();
    let mut leader = elector.leader();
    for _ in 0..3 {
        let stop = CancellationToken::new();
        let run = elector.run(stop, |_| async { 7 });
        let outcome = in_time("the end of the election", run).await;
        assert_eq!(outcome, Outcome::Completed(7));
        assert!(leader.has_changed().unwrap());
        assert_eq!(leader.borrow_and_update().as_deref(), None);
    }
    assert_eq!(server.spec().lease_transitions, Some(2));
}
