//! Compares the speed of two functions.
//!
//! Criterion runs one benchmark after another, and a shared machine's speed drifts by more
//! in that time than the differences to be shown. Ratios therefore don't come from its
//! report: here one sample of each side follows the other, swapping who goes first, and the
//! ratio is the median over the pairs, so that both sides of each ratio meet the same
//! conditions. Criterion is handed the samples of both for its own report.

use std::cell::RefCell;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, SamplingMode, Throughput};

/// The items of a list, when measuring: few where cargo only wants to know whether a
/// benchmark works.
#[must_use]
pub fn length() -> usize {
    let has = |wanted: &str| std::env::args().any(|argument| argument == wanted);
    if has("--bench") && !has("--test") {
        10_000
    } else {
        50
    }
}

/// Criterion with as many samples, and as much time, as lists of [`length`] items need.
#[must_use]
pub fn criterion() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(4))
        .configure_from_args()
}

/// Runs a function once. What it gives is dropped after the clock has stopped: freeing is not
/// what is measured.
pub fn time<T>(run: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let result = black_box(run());
    let elapsed = start.elapsed();
    drop(result);
    elapsed
}

/// One measurement of both sides, taken one right after the other.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The function that is measured.
    pub ours: Duration,
    /// The function that it is compared with.
    pub peer: Duration,
}

impl Pair {
    /// Runs both sides, the peer first if `swap`.
    pub fn measure(
        swap: bool,
        mut ours: impl FnMut() -> Duration,
        mut peer: impl FnMut() -> Duration,
    ) -> Self {
        if swap {
            let peer = peer();
            Self { ours: ours(), peer }
        } else {
            let ours = ours();
            Self { ours, peer: peer() }
        }
    }

    /// Returns the speed of ours as a multiple of the peer's.
    #[must_use]
    pub fn ratio(self) -> f64 {
        self.peer.as_secs_f64() / self.ours.as_secs_f64()
    }
}

/// The median, if there is any number.
#[must_use]
pub fn median(numbers: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut numbers: Vec<f64> = numbers.into_iter().collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

/// Benchmarks both sides under criterion and gives the median of the pairs' ratios.
///
/// Each of criterion's two benchmarks measures both sides in turn and reports one side.
pub fn compare(
    criterion: &mut Criterion,
    name: String,
    bytes: usize,
    mut measure: impl FnMut(bool) -> Pair,
) -> Option<f64> {
    let pairs = RefCell::new(Vec::new());
    let mut sample = |iterations: u64| {
        let mut pairs = pairs.borrow_mut();
        let first = pairs.len();
        for _ in 0..iterations {
            let swap = !pairs.len().is_multiple_of(2);
            pairs.push(measure(swap));
        }
        pairs[first..].to_vec()
    };
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(bytes as u64));
    // One iteration takes long enough to be a sample of its own.
    group.sampling_mode(SamplingMode::Flat);
    group.bench_function("ours", |bencher| {
        bencher.iter_custom(|n| sample(n).iter().map(|pair| pair.ours).sum());
    });
    group.bench_function("peer", |bencher| {
        bencher.iter_custom(|n| sample(n).iter().map(|pair| pair.peer).sum());
    });
    group.finish();
    median(pairs.borrow().iter().map(|pair| pair.ratio()))
}
