//! Random faults, clocks, stops and crashes: never two leaders, and one when the faults are over.

use std::time::Duration;

use kubernetes_controller_utils::leaderelection::{Config, Elector};
use proptest::prelude::*;
use tokio::runtime::Builder;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::api::{ApiServer, Fault};
use super::candidate::{Journal, Manner, WallClock, What, seconds, work};

const NAMES: [&str; 3] = ["a", "b", "c"];
/// The longest time after which a slow request takes effect.
const SLOWEST: u64 = 20;

/// The times of all candidates, in seconds.
#[derive(Clone, Copy, Debug)]
struct Times {
    lease_duration: u64,
    renew_deadline: u64,
    retry_period: u64,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Fail(Fault),
    FailWrites(Fault),
    FailNextWrite(Fault),
    /// Sets the wall clock by so many seconds.
    SetClock(i64),
    /// Stops a candidate, and starts it again when it has ended.
    Stop,
    /// Ends a candidate without a release, and starts it again.
    Crash,
    /// Changes something else of the Lease.
    Label,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    after: Duration,
    who: usize,
    change: Change,
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        2 => Just(Fault::None),
        1 => Just(Fault::Refuse(500)),
        1 => Just(Fault::Refuse(409)),
        2 => Just(Fault::Hang),
        1 => Just(Fault::LoseAnswer),
        1 => Just(Fault::HangAfter),
        3 => (0..SLOWEST * 1000).prop_map(|n| Fault::Slow(Duration::from_millis(n))),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let change = prop_oneof![
        4 => fault().prop_map(Change::Fail),
        3 => fault().prop_map(Change::FailWrites),
        3 => fault().prop_map(Change::FailNextWrite),
        1 => (-30..30_i64).prop_map(Change::SetClock),
        1 => (-1_000_000_000..1_000_000_000_i64).prop_map(Change::SetClock),
        1 => Just(Change::Stop),
        1 => Just(Change::Crash),
        1 => Just(Change::Label),
    ];
    (0..15_000_u64, 0..NAMES.len(), change).prop_map(|(after, who, change)| Step {
        after: Duration::from_millis(after),
        who,
        change,
    })
}

fn times() -> impl Strategy<Value = Times> {
    let default = Times {
        lease_duration: 15,
        renew_deadline: 10,
        retry_period: 2,
    };
    let random = (1..4_u64, 1..8_u64, 1..8_u64).prop_map(|(retry, renew, lease)| {
        let renew_deadline = retry * 2 + renew;
        Times {
            lease_duration: renew_deadline + lease,
            renew_deadline,
            retry_period: retry,
        }
    });
    prop_oneof![1 => Just(default), 1 => random]
}

fn manner() -> impl Strategy<Value = Manner> {
    prop_oneof![
        Just(Manner::Obedient),
        Just(Manner::Stubborn),
        (0..8_u64).prop_map(|n| Manner::Slow(seconds(n))),
        (1..60_u64).prop_map(|n| Manner::Short(seconds(n))),
    ]
}

/// A candidate that competes again after each loss.
struct Process {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

/// The ends of all processes of one identity: the next one starts after them.
type Ends = Vec<CancellationToken>;

struct Cluster {
    server: ApiServer,
    journal: Journal,
    times: Times,
    manners: Vec<Manner>,
    clocks: Vec<WallClock>,
    processes: Vec<Process>,
    ends: Vec<Ends>,
}

impl Cluster {
    fn start(times: Times, manners: Vec<Manner>) -> Self {
        let mut cluster = Self {
            server: ApiServer::default(),
            journal: Journal::new(),
            times,
            clocks: manners.iter().map(|_| WallClock::new()).collect(),
            ends: manners.iter().map(|_| Ends::new()).collect(),
            manners,
            processes: Vec::new(),
        };
        for who in 0..cluster.manners.len() {
            let process = cluster.process(who);
            cluster.processes.push(process);
        }
        cluster
    }

    /// Starts a process when those before it have ended.
    fn process(&mut self, who: usize) -> Process {
        let (name, manner) = (NAMES[who], self.manners[who]);
        let mut elector = Elector::new(self.server.client(name), self.config(who)).unwrap();
        let stop = CancellationToken::new();
        let (token, journal) = (stop.clone(), self.journal.clone());
        let before = self.ends[who].clone();
        let end = CancellationToken::new();
        self.ends[who].push(end.clone());
        let end = end.drop_guard();
        let task = tokio::spawn(async move {
            let _end = end;
            for end in before {
                end.cancelled().await;
            }
            while !token.is_cancelled() {
                let journal = journal.clone();
                let lead = |leadership| work(journal, name.to_owned(), manner, leadership);
                let _ = elector.run(token.clone(), lead).await;
            }
        });
        Process { stop, task }
    }

    /// The wall clock moves only by its steps, and from one process to the next of an identity: no
    /// two of them read the same microsecond.
    fn config(&self, who: usize) -> Config {
        let later = Duration::from_millis(self.ends[who].len() as u64);
        let clock = self.clocks[who].clone();
        Config::new("storage", "lock", NAMES[who])
            .with_lease_duration(seconds(self.times.lease_duration))
            .with_renew_deadline(seconds(self.times.renew_deadline))
            .with_retry_period(seconds(self.times.retry_period))
            .with_stop_timeout(seconds(5))
            .with_wall_clock(move || clock.now() + later)
    }

    fn change(&mut self, step: Step) {
        let who = step.who % self.manners.len();
        let name = NAMES[who];
        match step.change {
            Change::Fail(fault) => self.server.fail(name, fault),
            Change::FailWrites(fault) => self.server.fail_writes(name, fault),
            Change::FailNextWrite(fault) => self.server.fail_next_write(name, fault),
            Change::SetClock(to) => self.clocks[who].set(WallClock::after_start(to)),
            Change::Stop => self.processes[who].stop.cancel(),
            Change::Crash => self.processes[who].task.abort(),
            Change::Label if self.server.lease().is_some() => self.server.edit(|lease| {
                let version = lease["metadata"]["resourceVersion"].clone();
                lease["metadata"]["labels"]["version"] = version;
            }),
            Change::Label => {}
        }
        if matches!(step.change, Change::Stop | Change::Crash) {
            self.processes[who] = self.process(who);
        }
    }

    /// Waits for a leader, and returns whether there was one.
    async fn is_led_within(&self, limit: Duration) -> bool {
        let end = Instant::now() + limit;
        while self.journal.running().is_none() {
            if Instant::now() >= end {
                return false;
            }
            sleep(Duration::from_millis(100)).await;
        }
        true
    }
}

async fn play(times: Times, manners: Vec<Manner>, steps: Vec<Step>) {
    let mut cluster = Cluster::start(times, manners);
    for step in steps {
        sleep(step.after).await;
        cluster.change(step);
        cluster.journal.running();
    }
    for name in NAMES {
        cluster.server.fail(name, Fault::None);
    }
    // The last faults: a request that hangs is given up, a slow one takes effect.
    sleep(seconds(SLOWEST)).await;
    cluster.journal.running();
    // A candidate sees the last change of the Lease up to a retry period late.
    let retry = seconds(times.retry_period).mul_f64(1.2);
    let limit = seconds(times.lease_duration) + retry + Duration::from_millis(200);
    assert!(
        cluster.is_led_within(limit).await,
        "nobody leads:\n{}",
        cluster.journal
    );
    // And it stays so: without faults, only work that ends by itself changes the leader.
    let starts = cluster.journal.count(What::Started);
    sleep(seconds(120)).await;
    assert!(
        cluster
            .is_led_within(retry + Duration::from_millis(200))
            .await
    );
    if !cluster
        .manners
        .iter()
        .any(|manner| matches!(manner, Manner::Short(_)))
    {
        assert_eq!(
            cluster.journal.count(What::Started),
            starts,
            "{}",
            cluster.journal
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn never_two_lead_and_one_does_when_faults_end(
        seed: u64,
        times in times(),
        manners in prop::collection::vec(manner(), 2..=3),
        steps in prop::collection::vec(step(), 0..25),
    ) {
        fastrand::seed(seed);
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(play(times, manners, steps));
    }
}
