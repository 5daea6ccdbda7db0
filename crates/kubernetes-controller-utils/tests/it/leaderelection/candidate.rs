//! Candidates whose work notes when it runs.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kubernetes_controller_utils::leaderelection::{Config, Elector, Leadership, Outcome};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::api::ApiServer;

/// The behavior of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// It ends as soon as its token is cancelled.
    Obedient,
    /// It ends that long after its token was cancelled.
    Slow(Duration),
    /// It never ends.
    Stubborn,
    /// It ends by itself.
    Short(Duration),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Started,
    /// The token was cancelled.
    Asked,
    /// The work ended or its future was dropped.
    Ended,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) who: String,
    pub(crate) what: What,
    pub(crate) at: Instant,
}

/// The events in the work of all candidates, in order.
#[derive(Clone, Debug)]
pub(crate) struct Journal(Arc<watch::Sender<Vec<Entry>>>);

impl Journal {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(Vec::new())))
    }

    pub(crate) fn note(&self, who: &str, what: What) {
        let entry = Entry {
            who: who.to_owned(),
            what,
            at: Instant::now(),
        };
        self.0.send_modify(|entries| entries.push(entry));
    }

    /// Waits until something has happened, which must be within ten minutes, and returns when it
    /// happened first.
    pub(crate) async fn until(&self, who: &str, what: What) -> Instant {
        self.until_nth(who, what, 1).await
    }

    pub(crate) async fn until_nth(&self, who: &str, what: What, n: usize) -> Instant {
        let nth = |entries: &Vec<Entry>| {
            let mut found = entries.iter().filter(|e| e.who == who && e.what == what);
            found.nth(n - 1).map(|entry| entry.at)
        };
        let mut entries = self.0.subscribe();
        let happened = entries.wait_for(|entries| nth(entries).is_some());
        let entries = in_time(&format!("{who} {what:?}"), happened).await;
        nth(&entries.unwrap()).unwrap()
    }

    /// Returns whose work runs; work of two candidates must never run at a time.
    pub(crate) fn running(&self) -> Option<String> {
        let mut running: Option<String> = None;
        for entry in self.0.borrow().iter() {
            match entry.what {
                What::Started => {
                    let other = running.replace(entry.who.clone());
                    assert_eq!(other, None, "beside {}:\n{self}", entry.who);
                }
                What::Ended => assert_eq!(running.take().as_ref(), Some(&entry.who)),
                What::Asked => {}
            }
        }
        running
    }

    pub(crate) fn count(&self, what: What) -> usize {
        self.0
            .borrow()
            .iter()
            .filter(|entry| entry.what == what)
            .count()
    }
}

impl std::fmt::Display for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let entries = self.0.borrow();
        let Some(first) = entries.first() else {
            return Ok(());
        };
        entries.iter().try_for_each(|entry| {
            writeln!(
                f,
                "{:?} {} {:?}",
                entry.at - first.at,
                entry.who,
                entry.what
            )
        })
    }
}

/// Notes the end of work, however it ends.
struct Running(Journal, String);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.note(&self.1, What::Ended);
    }
}

pub(crate) async fn work(
    journal: Journal,
    who: String,
    manner: Manner,
    leadership: Leadership,
) -> &'static str {
    journal.note(&who, What::Started);
    let _running = Running(journal.clone(), who.clone());
    if let Manner::Short(time) = manner {
        sleep(time).await;
        return "done";
    }
    leadership.ended().await;
    journal.note(&who, What::Asked);
    match manner {
        Manner::Slow(time) => sleep(time).await,
        Manner::Stubborn => std::future::pending().await,
        _ => {}
    }
    "done"
}

pub(crate) struct Candidate {
    pub(crate) stop: CancellationToken,
    pub(crate) leader: watch::Receiver<Option<String>>,
    pub(crate) task: JoinHandle<Outcome<&'static str>>,
}

impl Candidate {
    pub(crate) fn start(server: &ApiServer, journal: &Journal, who: &str, manner: Manner) -> Self {
        Self::with(server, journal, config(who), who, manner)
    }

    /// Starts a candidate whose client and work are called `who`.
    pub(crate) fn with(
        server: &ApiServer,
        journal: &Journal,
        config: Config,
        who: &str,
        manner: Manner,
    ) -> Self {
        let mut elector = Elector::new(server.client(who), config).unwrap();
        let leader = elector.leader();
        let stop = CancellationToken::new();
        let (token, journal, who) = (stop.clone(), journal.clone(), who.to_owned());
        let task = tokio::spawn(async move {
            let lead = |leadership| work(journal, who, manner, leadership);
            elector.run(token, lead).await
        });
        Self { stop, leader, task }
    }

    /// Waits until it knows who leads.
    pub(crate) async fn knows(&mut self, who: &str) {
        let known = self
            .leader
            .wait_for(|leader| leader.as_deref() == Some(who));
        in_time(&format!("the leader {who}"), known).await.unwrap();
    }

    pub(crate) async fn outcome(self) -> Outcome<&'static str> {
        in_time("the end of the election", self.task).await.unwrap()
    }
}

/// A wall clock that moves only when it is set.
#[derive(Clone, Debug)]
pub(crate) struct WallClock(Arc<Mutex<Timestamp>>);

impl WallClock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Self::after_start(0))))
    }

    /// The time so many seconds after that of a new clock.
    pub(crate) fn after_start(seconds: i64) -> Timestamp {
        let start: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        start + SignedDuration::from_secs(seconds)
    }

    pub(crate) fn set(&self, to: Timestamp) {
        *self.0.lock().unwrap() = to;
    }

    pub(crate) fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
}

/// A server with two candidates, of which the first leads.
pub(crate) async fn led(manner: Manner) -> (ApiServer, Journal, Candidate, Candidate) {
    let (server, journal) = (ApiServer::default(), Journal::new());
    let a = Candidate::start(&server, &journal, "a", manner);
    journal.until("a", What::Started).await;
    let b = Candidate::start(&server, &journal, "b", Manner::Obedient);
    sleep(seconds(20)).await;
    (server, journal, a, b)
}

/// The default times.
pub(crate) fn config(identity: &str) -> Config {
    Config::new("storage", "lock", identity)
}

/// Waits for something for ten minutes at most: then the test fails, and doesn't hang.
pub(crate) async fn in_time<F: IntoFuture>(what: &str, future: F) -> F::Output {
    let result = timeout(seconds(600), future).await;
    result.unwrap_or_else(|_| panic!("not within ten minutes: {what}"))
}

/// Waits for the end of a leadership.
pub(crate) async fn ended(leadership: &Leadership) {
    in_time("the end of the leadership", leadership.ended()).await;
}

pub(crate) const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Fails unless the time from one moment to another is in a range, in seconds; the clock has
/// milliseconds.
#[track_caller]
pub(crate) fn assert_between(from: Instant, to: Instant, range: std::ops::Range<f64>) {
    let time = to.duration_since(from).as_secs_f64();
    assert!(
        range.start - 0.005 <= time && time <= range.end + 0.005,
        "{time} in {range:?}"
    );
}
