//! The loss of a leadership, always before somebody else can lead.

use std::sync::{Arc, Mutex};

use http::Method;
use kubernetes_controller_utils::leaderelection::{Elector, Leadership, Loss, Outcome};
use serde_json::json;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, advance, sleep};
use tokio_util::sync::CancellationToken;

use super::api::{ApiServer, Fault};
use super::candidate::{
    Candidate, Journal, Manner, What, assert_between, config, ended, in_time, led, seconds,
};

const NOT_RENEWED: Outcome<&str> = Outcome::Lost {
    loss: Loss::NotRenewed,
    result: None,
};

/// Returns the time when the last write arrived.
fn last_write(server: &ApiServer) -> Instant {
    let mut arrivals = server.arrivals("a");
    arrivals.retain(|arrival| arrival.method != Method::GET);
    arrivals.pop().unwrap().at
}

#[tokio::test(start_paused = true)]
async fn a_leader_without_an_answer_stops_before_the_next_starts() {
    for fault in [Fault::Hang, Fault::Refuse(503)] {
        let (server, journal, a, _b) = led(Manner::Stubborn).await;
        let renewed = last_write(&server);
        server.fail("a", fault);
        let leader = a.leader.clone();
        let asked = journal.until("a", What::Asked).await;
        assert_between(renewed, asked, 10.0..10.0);
        let ended = journal.until("a", What::Ended).await;
        assert_between(renewed, ended, 12.5..12.5);
        assert_eq!(a.outcome().await, NOT_RENEWED);
        assert_eq!(*leader.borrow(), None);
        let started = journal.until("b", What::Started).await;
        assert_between(renewed, started, 15.0..17.4);
        assert_eq!(journal.running().as_deref(), Some("b"));
    }
}

#[tokio::test(start_paused = true)]
async fn renewals_that_take_effect_without_an_answer_are_no_renewals() {
    for fault in [Fault::LoseAnswer, Fault::HangAfter] {
        let (server, journal, a, _b) = led(Manner::Stubborn).await;
        let renewed = last_write(&server);
        server.fail_writes("a", fault);
        let ended = journal.until("a", What::Ended).await;
        assert_between(renewed, ended, 12.5..12.5);
        assert_eq!(a.outcome().await, NOT_RENEWED);
        // They do prolong the time for others.
        let renewed = last_write(&server);
        let started = journal.until("b", What::Started).await;
        assert_between(renewed, started, 15.0..17.4);
        assert_eq!(journal.running().as_deref(), Some("b"));
    }
}

#[tokio::test(start_paused = true)]
async fn the_deadline_counts_from_the_start_of_the_request() {
    let (server, journal, a, _b) = led(Manner::Stubborn).await;
    server.fail_writes("a", Fault::Slow(seconds(4)));
    sleep(seconds(60)).await;
    let sent = last_write(&server);
    sleep(seconds(4)).await;
    let renewed = last_write(&server);
    assert_ne!(renewed, sent);
    // It is on its way and gets its answer after 4 s; the next one doesn't.
    server.fail("a", Fault::Hang);
    let asked = journal.until("a", What::Asked).await;
    assert_between(renewed, asked, 10.0..10.0);
    assert_eq!(a.outcome().await, NOT_RENEWED);
    journal.until("b", What::Started).await;
    journal.running();
}

#[tokio::test(start_paused = true)]
async fn work_that_ends_in_the_time_left_has_a_result() {
    let (server, journal, a, _b) = led(Manner::Slow(seconds(2))).await;
    server.fail("a", Fault::Hang);
    let result = Some("done");
    let loss = Loss::NotRenewed;
    assert_eq!(a.outcome().await, Outcome::Lost { loss, result });
    journal.until("b", What::Started).await;
    journal.running();
}

#[tokio::test(start_paused = true)]
async fn a_loss_while_stopped_work_ends_is_a_loss() {
    let (server, journal, a, _b) = led(Manner::Stubborn).await;
    server.fail("a", Fault::Hang);
    a.stop.cancel();
    assert_eq!(a.outcome().await, NOT_RENEWED);
    journal.until("b", What::Started).await;
    journal.running();
}

#[tokio::test(start_paused = true)]
async fn endless_conflicts_lose_the_leadership() {
    let (server, journal, a, _b) = led(Manner::Stubborn).await;
    let renewed = last_write(&server);
    server.fail_writes("a", Fault::Refuse(409));
    let asked = journal.until("a", What::Asked).await;
    assert_between(renewed, asked, 10.0..10.0);
    // Each try is at most two updates and a read: there is no loop without a wait.
    let mut arrivals = server.arrivals("a");
    arrivals.retain(|arrival| arrival.at > renewed);
    assert!(arrivals.len() <= 5 * 3, "{}", arrivals.len());
    assert_eq!(a.outcome().await, NOT_RENEWED);
    journal.until("b", What::Started).await;
    journal.running();
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_somebody_else_took_is_lost_at_once() {
    for (holder, expected) in [("z", Some("z")), ("", None)] {
        let (server, journal, a, b) = led(Manner::Stubborn).await;
        b.stop.cancel();
        assert_eq!(b.outcome().await, Outcome::NotElected);
        let taken = Instant::now();
        server.edit(|lease| lease["spec"]["holderIdentity"] = holder.into());
        let loss = Loss::Taken(expected.map(str::to_owned));
        assert_eq!(a.outcome().await, Outcome::Lost { loss, result: None });
        let ended = journal.until("a", What::Ended).await;
        assert_between(taken, ended, 0.0..2.4);
    }
}

#[tokio::test(start_paused = true)]
async fn of_two_with_one_identity_the_earlier_gives_way() {
    let (server, journal) = (ApiServer::default(), Journal::new());
    let first = Candidate::start(&server, &journal, "a", Manner::Obedient);
    journal.until("a", What::Started).await;
    sleep(seconds(20)).await;
    let second = Candidate::with(&server, &journal, config("a"), "twin", Manner::Obedient);
    let started = journal.until("twin", What::Started).await;
    let ended = journal.until("a", What::Ended).await;
    assert_between(started, ended, 0.0..2.4);
    let loss = Loss::Taken(Some("a".to_owned()));
    assert_eq!(first.outcome().await, Outcome::Lost { loss, result: None });
    sleep(seconds(60)).await;
    assert!(!second.task.is_finished());
}

/// A process that is suspended and goes on may be woken by an answer before its timers are.
#[tokio::test(start_paused = true)]
async fn suspended_work_does_not_go_on_after_the_deadline() {
    let server = ApiServer::default();
    let (wake, woken) = (Arc::new(Notify::new()), Arc::new(Mutex::new(Vec::new())));
    let (ring, note) = (wake.clone(), woken.clone());
    let mut elector = Elector::new(server.client("a"), config("a")).unwrap();
    let task = tokio::spawn(async move {
        let lead = |_| async move {
            loop {
                ring.notified().await;
                note.lock().unwrap().push(Instant::now());
            }
        };
        elector.run(CancellationToken::new(), lead).await
    });
    sleep(seconds(1)).await;
    wake.notify_one();
    sleep(seconds(1)).await;
    assert_eq!(woken.lock().unwrap().len(), 1);

    wake.notify_one();
    advance(seconds(20)).await;
    sleep(seconds(60)).await;
    assert_eq!(woken.lock().unwrap().len(), 1);
    let outcome: Outcome<()> = in_time("the end of the election", task).await.unwrap();
    let loss = Loss::NotRenewed;
    assert_eq!(outcome, Outcome::Lost { loss, result: None });
}

#[tokio::test(start_paused = true)]
async fn a_bound_task_does_not_go_on_after_a_suspension_before_it_is_aborted() {
    let server = ApiServer::default();
    let Leaked { leadership, .. } = leak(&server).await;
    let (wake, woken) = (Arc::new(Notify::new()), Arc::new(Mutex::new(0)));
    let (ring, note) = (wake.clone(), woken.clone());
    let bound = leadership.clone();
    let task = tokio::spawn(async move {
        let work = async {
            loop {
                ring.notified().await;
                *note.lock().unwrap() += 1;
            }
        };
        bound.bound(work).await
    });
    sleep(seconds(60)).await;
    wake.notify_one();
    sleep(seconds(1)).await;
    assert_eq!(*woken.lock().unwrap(), 1);

    // It is woken before the election looks at its timers.
    wake.notify_one();
    advance(seconds(20)).await;
    let ended: Option<()> = in_time("the end of the task", task).await.unwrap();
    assert_eq!(ended, None);
    assert_eq!(*woken.lock().unwrap(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_after_the_deadline_elects_nobody() {
    let server = ApiServer::default();
    server.fail_next_write("a", Fault::Slow(seconds(1)));
    let journal = Journal::new();
    let begun = Instant::now();
    let _a = Candidate::start(&server, &journal, "a", Manner::Obedient);
    sleep(seconds(1) / 2).await;
    // The process is suspended; the answer is there before the timers are looked at.
    advance(seconds(20)).await;
    let started = journal.until("a", What::Started).await;
    // A second request did it, not the one that is older than the deadline.
    let last = last_write(&server);
    assert!(
        started >= last && last >= begun + seconds(20),
        "{started:?} {last:?}"
    );
}

/// A leadership that outlives the work, its election, and how to stop that.
struct Leaked {
    leadership: Leadership,
    election: JoinHandle<Outcome<()>>,
    stop: CancellationToken,
}

async fn leak(server: &ApiServer) -> Leaked {
    let mut elector = Elector::new(server.client("a"), config("a")).unwrap();
    let (send, receive) = oneshot::channel();
    let stop = CancellationToken::new();
    let token = stop.clone();
    let election = tokio::spawn(async move {
        let lead = |leadership: Leadership| async move {
            send.send(leadership.clone()).unwrap();
            leadership.ended().await;
            sleep(seconds(3)).await;
        };
        elector.run(token, lead).await
    });
    let leadership = in_time("the leadership", receive).await.unwrap();
    Leaked {
        leadership,
        election,
        stop,
    }
}

#[tokio::test(start_paused = true)]
async fn a_leadership_is_current_until_the_deadline() {
    let server = ApiServer::default();
    let Leaked { leadership, .. } = leak(&server).await;
    sleep(seconds(60)).await;
    assert!(leadership.is_current() && !leadership.token().is_cancelled());
    server.fail("a", Fault::Hang);
    ended(&leadership).await;
    assert!(!leadership.is_current());
}

#[tokio::test(start_paused = true)]
async fn a_leadership_is_current_until_it_is_released() {
    let server = ApiServer::default();
    let Leaked {
        leadership, stop, ..
    } = leak(&server).await;
    stop.cancel();
    assert!(leadership.token().is_cancelled());
    sleep(seconds(2)).await;
    assert!(leadership.is_current());
    server.fail_next_write("a", Fault::Hang);
    sleep(seconds(2)).await;
    assert!(
        !leadership.is_current(),
        "it is while the Lease is being released"
    );
}

#[tokio::test(start_paused = true)]
async fn a_leadership_is_current_until_the_lease_is_taken() {
    let server = ApiServer::default();
    let Leaked { leadership, .. } = leak(&server).await;
    server.edit(|lease| lease["spec"] = json!({"holderIdentity": "z"}));
    ended(&leadership).await;
    assert!(!leadership.is_current());
}

#[tokio::test(start_paused = true)]
async fn an_election_that_is_dropped_ends_the_work_and_the_renewals() {
    let server = ApiServer::default();
    let Leaked {
        leadership,
        election,
        ..
    } = leak(&server).await;
    election.abort();
    ended(&leadership).await;
    let requests = server.arrivals("a").len();
    sleep(seconds(60)).await;
    assert_eq!(server.arrivals("a").len(), requests);
    assert!(!leadership.is_current());
}
