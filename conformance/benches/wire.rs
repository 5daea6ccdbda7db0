//! Reading and writing lists of 10,000 objects, against k8s-openapi's types.
//!
//! ```text
//! cargo bench -p conformance --bench wire            # all, and the table of ratios
//! cargo bench -p conformance --bench wire -- --quick # a rough table, for development
//! ```
//!
//! Criterion runs one benchmark after another, and a shared machine's speed drifts by more
//! in that time than the differences to be shown. The ratios therefore don't come from its
//! report: here one sample of ours and one of the peer's follow each other, swapping who
//! goes first, and the ratio is the median over the pairs, so that both sides of each ratio
//! meet the same conditions. Criterion is handed the samples of both for its own report.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::cell::RefCell;
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use conformance::kind::{Peer, Wire};
use conformance::workload::{self, Workload};
use criterion::{Criterion, SamplingMode, Throughput};
use storage_v1::{
    CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment,
    VolumeAttributesClass,
};

/// Counts the bytes that are allocated and not yet freed, as they were asked for.
#[global_allocator]
static HEAP: cap::Cap<std::alloc::System> =
    cap::Cap::new(std::alloc::System, usize::MAX);

/// One measurement of both sides, taken one right after the other.
#[derive(Clone, Copy)]
struct Pair {
    ours: Duration,
    peer: Duration,
}

impl Pair {
    /// Runs both sides, the peer first if `swap`.
    fn measure(
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

    /// How many times as fast ours is.
    fn ratio(self) -> f64 {
        self.peer.as_secs_f64() / self.ours.as_secs_f64()
    }
}

/// What is left of the run for the table.
struct Row {
    kind: &'static str,
    decode: Option<f64>,
    encode: Option<f64>,
    ours_bytes: usize,
    peer_bytes: usize,
}

fn decode<T: Wire>(json: &[u8]) -> T {
    serde_json::from_slice(json).unwrap()
}

fn time_decode<T: Wire>(json: &[u8]) -> Duration {
    let start = Instant::now();
    let list: T = black_box(decode(black_box(json)));
    let elapsed = start.elapsed();
    // Freeing is not reading: it happens after the clock has stopped, on both sides.
    drop(list);
    elapsed
}

fn time_encode<T: Wire>(list: &T, buffer: &mut Vec<u8>) -> Duration {
    buffer.clear();
    let start = Instant::now();
    serde_json::to_writer(&mut *buffer, black_box(list)).unwrap();
    black_box(&*buffer);
    start.elapsed()
}

/// The bytes on the heap that one item of a list takes.
fn live_bytes<T: Wire>(json: &[u8], length: usize) -> usize {
    let before = HEAP.allocated();
    let list: T = decode(json);
    let bytes = HEAP.allocated() - before;
    drop(list);
    bytes / length
}

fn median(pairs: &[Pair]) -> Option<f64> {
    let mut ratios: Vec<f64> = pairs.iter().map(|pair| pair.ratio()).collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied()
}

/// Benchmarks both sides under criterion and gives the median of the pairs' ratios.
///
/// Each of criterion's two benchmarks measures both sides in turn and reports one of them.
fn compare(
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
    median(&pairs.borrow())
}

fn kind<K: Workload + Peer>(criterion: &mut Criterion, length: usize) -> Row
where
    k8s_openapi::List<K::Peer>: Wire,
{
    type PeerList<K> = k8s_openapi::List<<K as Peer>::Peer>;

    let json = workload::list::<K>(length).unwrap();
    let json = json.as_bytes();
    let ours_bytes = live_bytes::<K::List>(json, length);
    let peer_bytes = live_bytes::<PeerList<K>>(json, length);

    let decode_ratio =
        compare(criterion, format!("decode/{}", K::KIND), json.len(), |swap| {
            Pair::measure(
                swap,
                || time_decode::<K::List>(json),
                || time_decode::<PeerList<K>>(json),
            )
        });

    let (ours, peer): (K::List, PeerList<K>) = (decode(json), decode(json));
    let mut buffer = Vec::with_capacity(2 * json.len());
    serde_json::to_writer(&mut buffer, &ours).unwrap();
    let written = buffer.len();
    buffer.clear();
    serde_json::to_writer(&mut buffer, &peer).unwrap();
    assert_eq!(buffer.len(), written, "both sides must write the same");
    let buffer = RefCell::new(buffer);
    let encode_ratio =
        compare(criterion, format!("encode/{}", K::KIND), written, |swap| {
            Pair::measure(
                swap,
                || time_encode(&ours, &mut buffer.borrow_mut()),
                || time_encode(&peer, &mut buffer.borrow_mut()),
            )
        });
    Row {
        kind: K::KIND,
        decode: decode_ratio,
        encode: encode_ratio,
        ours_bytes,
        peer_bytes,
    }
}

fn table(rows: &[Row]) -> String {
    let speed =
        |ratio: Option<f64>| ratio.map_or("-".into(), |ratio| format!("{ratio:.2}"));
    let mut table = String::from(
        "\nSpeed: times as fast as k8s-openapi. Memory: live heap bytes an item.\n\n\
         | kind | decode | encode | bytes | peer's bytes | memory |\n\
         |---|---|---|---|---|---|\n",
    );
    for row in rows {
        let memory = row.ours_bytes as f64 / row.peer_bytes as f64;
        let _ = writeln!(
            table,
            "| {} | {} | {} | {} | {} | {memory:.2} |",
            row.kind,
            speed(row.decode),
            speed(row.encode),
            row.ours_bytes,
            row.peer_bytes,
        );
    }
    table
}

fn main() {
    // Without `--bench`, cargo only wants to know whether the benchmark works.
    let length = if std::env::args().any(|argument| argument == "--bench") {
        10_000
    } else {
        50
    };
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(4))
        .configure_from_args();
    let rows = [
        kind::<CSIDriver>(&mut criterion, length),
        kind::<CSINode>(&mut criterion, length),
        kind::<CSIStorageCapacity>(&mut criterion, length),
        kind::<StorageClass>(&mut criterion, length),
        kind::<VolumeAttachment>(&mut criterion, length),
        kind::<VolumeAttributesClass>(&mut criterion, length),
    ];
    criterion.final_summary();
    println!("{}", table(&rows));
}
