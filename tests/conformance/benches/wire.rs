//! Reading and writing lists of 10,000 objects, and reading them without `managedFields`, against
//! k8s-openapi's types.
//!
//! ```text
//! cargo bench -p conformance --bench wire            # all, and the table of ratios
//! cargo bench -p conformance --bench wire -- --quick # a rough table, for development
//! cargo xtask bench --plot                           # the table, and its ratios as pictures
//! ```
//!
//! Each ratio is the median of pairs of measurements: see [`conformance::measure`].

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::cell::RefCell;
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use conformance::kind::{Peer, Wire};
use conformance::measure::{self, Pair, compare};
use conformance::workload::{self, Workload};
use criterion::Criterion;
use kubernetes_kinds::Lean;
use serde_json::json;

/// Counts the bytes that are allocated and not yet freed, as they were asked for.
#[global_allocator]
static HEAP: cap::Cap<std::alloc::System> = cap::Cap::new(std::alloc::System, usize::MAX);

/// The figures of the run for the table.
struct Row {
    kind: &'static str,
    decode: Option<f64>,
    lean: Option<f64>,
    encode: Option<f64>,
    ours_bytes: usize,
    lean_bytes: usize,
    peer_bytes: usize,
}

fn decode<T: Wire>(json: &[u8]) -> T {
    serde_json::from_slice(json).unwrap()
}

fn time_decode<T: Wire>(json: &[u8]) -> Duration {
    measure::time(|| decode::<T>(black_box(json)))
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

fn kind<K: Workload + Peer>(criterion: &mut Criterion, length: usize) -> Row
where
    k8s_openapi::List<K::Peer>: Wire,
{
    type PeerList<K> = k8s_openapi::List<<K as Peer>::Peer>;
    type LeanList<K> = k8s_openapi::List<Lean<K>>;

    let json = workload::list::<K>(length).unwrap();
    let json = json.as_bytes();
    let ours_bytes = live_bytes::<K::List>(json, length);
    let lean_bytes = live_bytes::<LeanList<K>>(json, length);
    let peer_bytes = live_bytes::<PeerList<K>>(json, length);

    let decode_ratio = compare(
        criterion,
        format!("decode/{}", K::KIND),
        json.len(),
        |swap| {
            Pair::measure(
                swap,
                || time_decode::<K::List>(json),
                || time_decode::<PeerList<K>>(json),
            )
        },
    );

    let lean_ratio = compare(criterion, format!("lean/{}", K::KIND), json.len(), |swap| {
        Pair::measure(
            swap,
            || time_decode::<LeanList<K>>(json),
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
    let encode_ratio = compare(criterion, format!("encode/{}", K::KIND), written, |swap| {
        Pair::measure(
            swap,
            || time_encode(&ours, &mut buffer.borrow_mut()),
            || time_encode(&peer, &mut buffer.borrow_mut()),
        )
    });
    Row {
        kind: K::KIND,
        decode: decode_ratio,
        lean: lean_ratio,
        encode: encode_ratio,
        ours_bytes,
        lean_bytes,
        peer_bytes,
    }
}

fn table(rows: &[Row]) -> String {
    let speed = |ratio: Option<f64>| ratio.map_or("-".into(), |ratio| format!("{ratio:.2}"));
    let mut table = String::from(
        "\nSpeed: times as fast as k8s-openapi. Memory: live heap bytes an item, and the share of \
         k8s-openapi's.\nLean is reading without managedFields.\n\n\
         | kind | decode | lean decode | encode | bytes | lean bytes | peer's bytes | memory | \
         lean memory |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let memory = |bytes: usize| bytes as f64 / row.peer_bytes as f64;
        let _ = writeln!(
            table,
            "| {} | {} | {} | {} | {} | {} | {} | {:.2} | {:.2} |",
            row.kind,
            speed(row.decode),
            speed(row.lean),
            speed(row.encode),
            row.ours_bytes,
            row.lean_bytes,
            row.peer_bytes,
            memory(row.ours_bytes),
            memory(row.lean_bytes),
        );
    }
    table
}

/// The ratios of the table, as `cargo xtask bench` reads them.
fn figures(rows: &[Row]) -> serde_json::Value {
    let peer = "k8s-openapi";
    let chart = |name: &str, title: &str, series: &[&str], of: fn(&Row) -> Vec<Option<f64>>| {
        let rows = rows
            .iter()
            .map(|row| json!({"name": row.kind, "ratios": of(row)}));
        let rows: Vec<_> = rows.collect();
        json!({"name": name, "title": title, "peer": peer, "series": series, "rows": rows})
    };
    let speed = chart(
        "speed",
        "Speed, as a multiple of k8s-openapi's: longer is faster",
        &["reading", "reading without managedFields", "writing"],
        |row| vec![row.decode, row.lean, row.encode],
    );
    let memory = chart(
        "memory",
        "Memory of an object, as a multiple of k8s-openapi's: shorter is less",
        &["whole objects", "without managedFields"],
        |row| {
            let bytes = [row.ours_bytes, row.lean_bytes];
            let ratios = bytes.map(|bytes| Some(bytes as f64 / row.peer_bytes as f64));
            ratios.to_vec()
        },
    );
    json!({"charts": [speed, memory]})
}

fn main() {
    let length = measure::length();
    let mut criterion = measure::criterion();
    let mut rows = Vec::new();
    macro_rules! measured {
        ($name:ident: $kind:ty;) => {
            rows.push(kind::<$kind>(&mut criterion, length));
        };
    }
    conformance::for_each_newest_kind!(measured);
    criterion.final_summary();
    println!("{}", table(&rows));
    if let Some(file) = std::env::var_os("BENCH_FIGURES") {
        std::fs::write(file, figures(&rows).to_string()).unwrap();
    }
}
