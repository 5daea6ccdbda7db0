//! Claims in back-off, which are called again at once if they change in a way that matters.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::cluster::{Cluster, READY};
use crate::program::{Calls, Program, Which};
use crate::{Figures, Programs, Size, order, print};

/// An annotation that says nothing to the provisioner.
const NOISE: &str = "bench.example.com/noise";

/// 200 changes a second.
const NOISE_INTERVAL: Duration = Duration::from_millis(5);

/// The longest that a change takes to reach the program.
const ARRIVES: Duration = Duration::from_secs(2);

pub(crate) async fn measure(programs: &Programs<'_>, size: &Size) {
    let mut figures = [(); 3].map(|()| Figures::default());
    for run in 0..size.runs {
        for at in order(run) {
            let measured = wake(&programs[at], size).await;
            for (figures, figure) in figures.iter_mut().zip(measured) {
                figures[at].push(figure);
            }
        }
    }
    let [half, most, calls] = figures;
    let with = format!("with {} claims in back-off", size.failed);
    print(
        &format!("change of a claim to its call, median, {with}, ms"),
        half,
    );
    print(
        &format!("change of a claim to its call, 99th percentile, {with}, ms"),
        most,
    );
    print(
        "calls a second at 200 changes of other annotations a second",
        calls,
    );
}

/// The times from a change to a call, in milliseconds, and calls a second under noise.
async fn wake(which: &Which<'_>, size: &Size) -> [f64; 3] {
    let cluster = Cluster::start().await;
    cluster.add_claims(size.failed).await;
    let (_program, mut calls) = Program::start_failing(which, &cluster);
    let mut failed = HashSet::new();
    while failed.len() < size.failed {
        failed.insert(calls.next().await.0);
    }
    let every = size.failed / size.woken;
    let mut took = Vec::new();
    for at in 0..size.woken {
        let name = format!("data-{}", at * every);
        let sent = Instant::now();
        cluster.annotate(&name, READY, "yes").await;
        let called = calls.of(&name).await;
        took.push((called - sent).as_secs_f64() * 1e3);
        sleep(Duration::from_millis(10)).await;
    }
    took.sort_by(f64::total_cmp);
    let noise = noise(&cluster, &mut calls, size).await;
    [took[took.len() / 2], took[took.len() * 99 / 100], noise]
}

/// Calls a second while annotations of claims change that are still in back-off.
async fn noise(cluster: &Cluster, calls: &mut Calls, size: &Size) -> f64 {
    let every = size.failed / size.woken;
    calls.take();
    let waiting = (0..size.failed).filter(|at| at % every != 0).cycle();
    let mut ticks = tokio::time::interval(NOISE_INTERVAL);
    let mut changes = tokio::task::JoinSet::new();
    let started = Instant::now();
    for (round, at) in waiting.take(size.noise).enumerate() {
        ticks.tick().await;
        let change = cluster.annotate(&format!("data-{at}"), NOISE, &round.to_string());
        changes.spawn(change);
    }
    changes.join_all().await;
    let took = started.elapsed();
    sleep(ARRIVES).await;
    calls.take() as f64 / took.as_secs_f64()
}
