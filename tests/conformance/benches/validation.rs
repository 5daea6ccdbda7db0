//! The cost of a server's defaults and rules, compared with decoding the objects. Validating a list
//! is meant to cost less than 12 % of decoding it, or 20 % for PersistentVolumes, setting its
//! defaults less than 1 %; neither allocates where there is nothing to report or to set.
//!
//! ```text
//! cargo bench -p conformance --bench validation            # all, and the table
//! cargo bench -p conformance --bench validation -- --quick # a rough table, for development
//! ```
//!
//! The lists have 10,000 objects, which have their defaults already, as what a server sends.
//! Each ratio is the median of pairs of measurements: see [`conformance::measure`]. The
//! program reports lists that cost more than that, and fails if anything is allocated.
//! Most of what a long list costs is the memory that is walked: one object again and again,
//! which the processor has at hand, costs about a third of that.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::hint::black_box;

use conformance::measure::{self, Pair, compare};
use conformance::rules::Ruled;
use conformance::workload::{self, Workload};
use criterion::Criterion;
use kubernetes_validation::{Target, Validate};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

/// Counts the allocations of the whole program.
#[global_allocator]
static HEAP: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// The limit of validating a PersistentVolume, with all its volume sources, and of other kinds, as
/// a share of the time of decoding.
const VALIDATING_VOLUME: f64 = 0.2;
const VALIDATING: f64 = 0.12;
const DEFAULTING: f64 = 0.01;

/// A line of the table: shares of the time that decoding takes.
struct Row {
    name: String,
    validating: Option<f64>,
    updating: Option<f64>,
    defaulting: Option<f64>,
}

fn allocations(run: impl FnOnce()) -> usize {
    let region = Region::new(HEAP);
    run();
    let change = region.change();
    change.allocations + change.reallocations
}

fn validate<K: Ruled>(items: &[K], target: &Target) {
    for item in items {
        let report = black_box(item).validate(target);
        assert!(report.is_accepted(), "{:?}", report.errors);
    }
}

fn validate_update<K: Ruled>(items: &[K], target: &Target) {
    for item in items {
        let report = black_box(item).validate_update(item, target);
        assert!(report.is_accepted(), "{:?}", report.errors);
    }
}

fn set_defaults<K: Ruled>(items: &mut [K], target: &Target) {
    for item in items {
        black_box(item).set_defaults(target);
    }
}

fn row<K: Ruled + Workload>(criterion: &mut Criterion, length: usize) -> Row {
    let json = workload::list::<K>(length).unwrap();
    let read = || -> K::List { serde_json::from_str(black_box(&json)).unwrap() };
    // Before 1.35, no server warns of a driver that doesn't say how it gets tokens.
    let target = Target::new(kubernetes_kinds::Release::new(1, 34));
    let mut items: Vec<K> = read().into_iter().collect();
    set_defaults(&mut items, &target);

    let name = format!("{} {}", K::API_VERSION, K::KIND);
    let mut share = |what: &str, run: &mut dyn FnMut()| {
        let ratio = compare(criterion, format!("{what}/{name}"), json.len(), |swap| {
            Pair::measure(swap, || measure::time(&mut *run), || measure::time(read))
        });
        ratio.map(|ratio| 1.0 / ratio)
    };
    let validating = share("validate", &mut || validate(&items, &target));
    let updating = share("validate_update", &mut || validate_update(&items, &target));
    let allocated = allocations(|| {
        validate(&items, &target);
        validate_update(&items, &target);
    });
    assert_eq!(
        allocated, 0,
        "{name}: validation of what is right allocates nothing"
    );
    let defaulting = share("set_defaults", &mut || set_defaults(&mut items, &target));
    let allocated = allocations(|| set_defaults(&mut items, &target));
    assert_eq!(
        allocated, 0,
        "{name}: nothing is allocated where all is set"
    );
    Row {
        name,
        validating,
        updating,
        defaulting,
    }
}

fn print(rows: &[Row], length: usize) {
    println!("\nShares of the time that decoding a list of {length} objects takes.\n");
    println!("| kind | validating | as an update | setting defaults |");
    println!("|---|---|---|---|");
    let percent =
        |share: Option<f64>| share.map_or("-".into(), |share| format!("{:.2} %", share * 100.0));
    for row in rows {
        let [validating, updating, defaulting] =
            [row.validating, row.updating, row.defaulting].map(percent);
        println!(
            "| {} | {validating} | {updating} | {defaulting} |",
            row.name
        );
    }
}

fn main() {
    let length = measure::length();
    let mut criterion = measure::criterion();
    let mut rows = Vec::new();
    macro_rules! measured {
        ($name:ident: $kind:ty;) => {
            rows.push(row::<$kind>(&mut criterion, length));
        };
    }
    conformance::for_each_newest_kind!(measured);
    criterion.final_summary();
    print(&rows, length);
    // Short lists, which only show that the program works, are read in no time.
    if length >= 10_000 {
        for row in &rows {
            let validating = match row.name.as_str() {
                "v1 PersistentVolume" => VALIDATING_VOLUME,
                _ => VALIDATING,
            };
            let costs = [
                ("validating", row.validating, validating),
                ("validating as an update", row.updating, validating),
                ("setting defaults", row.defaulting, DEFAULTING),
            ];
            for (what, share, most) in costs {
                if share.is_some_and(|share| share >= most) {
                    let most = most * 100.0;
                    println!(
                        "{}: {what} costs more than {most:.0} % of decoding",
                        row.name
                    );
                }
            }
        }
    }
}
