//! Conversion between versions: speed, allocations, and what it adds to reading a list.
//!
//! ```text
//! cargo bench -p conformance --bench convert            # all, and the tables
//! cargo bench -p conformance --bench convert -- --quick # rough tables, for development
//! ```
//!
//! The first table is of objects one by one, each 10,000 to a sample, and of whole lists of
//! as many. Between types of the same shape nothing is allocated, neither for an object nor
//! for a list: everything is moved, and vectors keep their memory. Conversion with a report
//! of losses goes through JSON; there the counts are what that costs.
//!
//! The second table compares reading a list of 10,000 objects and converting it, directly and by a
//! scheme that detects the version, with reading it alone. Each ratio is the median of pairs of
//! measurements: see [`conformance::measure`].

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::hint::black_box;
use std::time::Instant;

use conformance::kind::{Kind, Wire, scheme};
use conformance::measure::{self, Pair, compare};
use conformance::workload::{self, Workload};
use criterion::Criterion;
use kubernetes_kinds::convert::Convert;
use kubernetes_manifests::scheme::{Decoded, Scheme};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

/// Counts the allocations of the whole program.
#[global_allocator]
static HEAP: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// The number of measurements of each conversion.
const SAMPLES: usize = 11;

/// The cost of one conversion in one direction.
struct Cost {
    /// Objects a second, one by one.
    speed: f64,
    /// Allocations for each object, one by one.
    allocations: f64,
    /// Allocations for a whole list.
    list_allocations: usize,
}

/// A line of the first table.
struct Row {
    name: String,
    forth: Cost,
    back: Cost,
}

/// A line of the second.
struct Reading {
    name: String,
    ratio: Option<f64>,
}

/// The new memory that a function asks for, including that by which something grows.
fn allocations<T>(run: impl FnOnce() -> T) -> usize {
    let region = Region::new(HEAP);
    let result = black_box(run());
    let change = region.change();
    drop(result);
    change.allocations + change.reallocations
}

fn cost<A, B, LA, LB>(list: &LA, convert: impl Fn(A) -> B, whole: impl Fn(LA) -> LB) -> Cost
where
    A: Wire,
    LA: Wire + IntoIterator<Item = A>,
{
    let items: Vec<A> = list.clone().into_iter().collect();
    let count = items.len();
    let mut seconds = Vec::new();
    let mut fewest = usize::MAX;
    for _ in 0..SAMPLES {
        let source = items.clone();
        let mut target = Vec::with_capacity(count);
        let start = Instant::now();
        target.extend(source.into_iter().map(|item| convert(black_box(item))));
        seconds.push(start.elapsed().as_secs_f64());
        drop(black_box(target));

        let source = items.clone();
        let mut target = Vec::with_capacity(count);
        fewest = fewest.min(allocations(|| {
            target.extend(source.into_iter().map(&convert))
        }));
    }
    let list = list.clone();
    Cost {
        speed: count as f64 / measure::median(seconds).unwrap(),
        allocations: fewest as f64 / count as f64,
        list_allocations: allocations(|| whole(list)),
    }
}

fn name<K: Kind>() -> String {
    format!("{} {}", K::API_VERSION, K::KIND)
}

fn row<Old, New, const KEEP: bool>(
    length: usize,
    forth: (impl Fn(Old) -> New, impl Fn(Old::List) -> New::List),
    back: (impl Fn(New) -> Old, impl Fn(New::List) -> Old::List),
) -> Row
where
    Old: Kind + Workload,
    New: Kind,
{
    let json = workload::list::<Old>(length).unwrap();
    let old: Old::List = serde_json::from_str(&json).unwrap();
    let new = forth.1(old.clone());
    let name = name::<Old>();
    Row {
        name: if KEEP { name + ", preserving" } else { name },
        forth: cost(&old, forth.0, forth.1),
        back: cost(&new, back.0, back.1),
    }
}

fn read<T: Wire>(json: &str) -> T {
    serde_json::from_str(black_box(json)).unwrap()
}

/// Compares reading a list of an older kind as one of the newer kind with reading it as it is.
fn reading<Old, New>(
    criterion: &mut Criterion,
    length: usize,
    how: &str,
    read_as_new: impl Fn(&str) -> New::List,
) -> Reading
where
    Old: Kind + Workload,
    New: Kind,
{
    let json = workload::list::<Old>(length).unwrap();
    let name = name::<Old>() + how;
    let ratio = compare(criterion, format!("read/{name}"), json.len(), |swap| {
        Pair::measure(
            swap,
            || measure::time(|| read_as_new(&json)),
            || measure::time(|| read::<Old::List>(&json)),
        )
    });
    Reading { name, ratio }
}

/// The lines of both tables, as they come.
struct Tables {
    criterion: Criterion,
    length: usize,
    rows: Vec<Row>,
    readings: Vec<Reading>,
    scheme: Scheme,
}

impl Tables {
    fn lossless<Old, New>(&mut self)
    where
        Old: Kind + Workload + From<New>,
        New: Kind + From<Old>,
        Old::List: From<New::List>,
        New::List: From<Old::List>,
    {
        let row = row::<Old, New, false>(
            self.length,
            (New::from, New::List::from),
            (Old::from, Old::List::from),
        );
        for cost in [&row.forth, &row.back] {
            assert_eq!(
                (cost.allocations, cost.list_allocations),
                (0.0, 0),
                "{}",
                row.name
            );
        }
        self.rows.push(row);
        let (criterion, length) = (&mut self.criterion, self.length);
        let by_scheme = |json: &str| {
            let decoded: Decoded<New::List> = self.scheme.decode_json(black_box(json)).unwrap();
            decoded.object
        };
        self.readings.extend([
            reading::<Old, New>(criterion, length, "", |json| read::<Old::List>(json).into()),
            reading::<Old, New>(criterion, length, ", by a scheme", by_scheme),
        ]);
    }

    fn lossy<Old, New>(&mut self)
    where
        Old: Kind + Workload + Convert<New>,
        New: Kind + Convert<Old>,
        Old::List: Convert<New::List>,
        New::List: Convert<Old::List>,
    {
        fn plain<A: Convert<B>, B>(source: A) -> B {
            source.convert().unwrap().object
        }
        fn keep<A: Convert<B>, B>(source: A) -> B {
            source.convert_preserving().unwrap().object
        }
        self.rows.push(row::<Old, New, false>(
            self.length,
            (plain, plain),
            (plain, plain),
        ));
        self.rows.push(row::<Old, New, true>(
            self.length,
            (keep, keep),
            (keep, keep),
        ));
        let (criterion, length) = (&mut self.criterion, self.length);
        self.readings.extend([
            reading::<Old, New>(criterion, length, "", |json| plain(read::<Old::List>(json))),
            reading::<Old, New>(criterion, length, ", preserving", |json| {
                keep(read::<Old::List>(json))
            }),
        ]);
    }

    fn print(&self) {
        println!(
            "\nConversions a second, and allocations: for an object, and for a list of {}. \
             Types of the same shape need none.\n",
            self.length
        );
        println!("| kind | to v1 | an object | a list | back | an object | a list |");
        println!("|---|---|---|---|---|---|---|");
        for Row { name, forth, back } in &self.rows {
            let cost = |cost: &Cost| {
                format!(
                    "{:.0} | {:.1} | {}",
                    cost.speed, cost.allocations, cost.list_allocations
                )
            };
            println!("| {name} | {} | {} |", cost(forth), cost(back));
        }
        println!("\nReading a list and converting it, against reading it alone.\n");
        println!("| kind | time |\n|---|---|");
        for Reading { name, ratio } in &self.readings {
            let time = ratio.map_or("-".into(), |ratio| format!("{:.3}", 1.0 / ratio));
            println!("| {name} | {time} |");
        }
    }
}

fn main() {
    let mut tables = Tables {
        criterion: measure::criterion(),
        length: measure::length(),
        rows: Vec::new(),
        readings: Vec::new(),
        scheme: scheme(),
    };
    macro_rules! measured {
        ($($name:ident: $how:ident $older:ty => $newer:ty;)*) => {
            $(tables.$how::<$older, $newer>();)*
        };
    }
    storage_all::for_each_conversion!(measured);
    tables.criterion.final_summary();
    tables.print();
}
