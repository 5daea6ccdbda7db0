//! What the kit costs: a driver that does nothing on it, `examples/noop.rs`, compared with one on
//! Go's gRPC and CSI's bindings, `tests/e2e/csi/cmd/noop`.
//!
//! ```text
//! cargo bench -p kubernetes-csi-driver --bench noop             # some minutes
//! cargo bench -p kubernetes-csi-driver --bench noop -- --quick  # rough
//! ```
//!
//! It needs Go and `strip`. Both drivers are called by the same clients: over one connection by one
//! call at a time, and over four, as a driver with four sidecars has, by 100 calls at a time. Ours
//! runs in a runtime of one thread, and in one of as many threads as processors.
//!
//! Clients and drivers share the processors, so that the client's share limits the calls a second:
//! the driver's processor time is what it costs by itself. Figures are medians of rounds, in which
//! the drivers take turns, and `×` is the median of how much better ours was than Go's: above 1,
//! ours is faster or smaller.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod clients;
mod server;

use clients::{Clients, Work};
use server::{Program, Server};

struct Size {
    rounds: usize,
    /// The calls of a measurement.
    calls: usize,
    /// The volumes of the measurement of memory.
    volumes: usize,
}

const BENCH: Size = Size {
    rounds: 7,
    calls: 10_000,
    volumes: 10_000,
};

const QUICK: Size = Size {
    rounds: 1,
    calls: 1_000,
    volumes: 1_000,
};

/// The connections, and the calls at a time.
const LOADS: [(usize, usize); 2] = [(1, 1), (4, 100)];

/// A measurement of all drivers: of each one the figures of all rounds.
struct Row {
    name: String,
    unit: &'static str,
    more_is_better: bool,
    figures: Vec<Vec<f64>>,
}

/// The rows in the order in which they were measured first.
#[derive(Default)]
struct Table(Vec<Row>);

impl Table {
    fn add(&mut self, program: usize, name: String, unit: &'static str, figure: f64) {
        let at = self.0.iter().position(|row| row.name == name);
        let at = at.unwrap_or_else(|| {
            self.0.push(Row {
                name,
                unit,
                more_is_better: unit == "calls/s",
                figures: Vec::new(),
            });
            self.0.len() - 1
        });
        let figures = &mut self.0[at].figures;
        figures.resize(figures.len().max(program + 1), Vec::new());
        figures[program].push(figure);
    }

    fn print(&self, programs: &[Program]) {
        let names = programs.iter().skip(1).map(|program| program.name);
        let names: String = names.map(|name| format!(" {name} | × |")).collect();
        println!(
            "\n| | {} |{names}\n|---|---|{}",
            programs[0].name,
            "---|---|".repeat(programs.len() - 1)
        );
        for row in &self.0 {
            let (go, ours) = row.figures.split_first().unwrap();
            print!("| {}, {} | {} |", row.name, row.unit, short(median(go)));
            for figures in ours {
                let ratios = go.iter().zip(figures).map(|(go, ours)| {
                    if row.more_is_better {
                        ours / go
                    } else {
                        go / ours
                    }
                });
                let ratio = median(&ratios.collect::<Vec<_>>());
                print!(" {} | {ratio:.2} |", short(median(figures)));
            }
            println!();
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let has = |wanted: &str| args.iter().any(|arg| arg == wanted);
    let size = match has("--bench") && !has("--quick") {
        true => BENCH,
        false => QUICK,
    };
    let programs = server::build();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut table = Table::default();
    for round in 0..size.rounds {
        for turn in 0..programs.len() {
            let at = (round + turn) % programs.len();
            runtime.block_on(async {
                speed(&mut table, at, &programs[at], &size).await;
                memory(&mut table, at, &programs[at], &size).await;
            });
        }
    }
    for (at, program) in programs.iter().enumerate() {
        let bytes = server::stripped_size(&program.path);
        table.add(at, "stripped program".to_owned(), "MB", bytes as f64 / 1e6);
    }
    println!(
        "{} rounds of {} calls for each row",
        size.rounds, size.calls
    );
    table.print(&programs);
}

async fn speed(table: &mut Table, at: usize, program: &Program, size: &Size) {
    let (server, started) = Server::start(program).await;
    table.add(at, "first answer".to_owned(), "ms", started * 1e3);
    for (connections, at_a_time) in LOADS {
        let clients = Clients::connect(server.socket(), connections, at_a_time).await;
        for work in Work::ALL {
            // What happens once isn't measured.
            clients.run(work, size.calls / 10).await;
            let before = (server.cpu(), own_cpu());
            let (elapsed, mut times) = clients.run(work, size.calls).await;
            let calls = times.len() as f64;
            let cpu = (server.cpu() - before.0, own_cpu() - before.1);
            times.sort_unstable();
            let quantile = |part: f64| {
                let at = (calls * part) as usize;
                times[at.min(times.len() - 1)].as_secs_f64() * 1e6
            };
            let name = |what: &str| format!("{} × {at_a_time}{what}", work.name());
            table.add(at, name(": driver's CPU"), "µs/call", cpu.0 / calls * 1e6);
            table.add(at, name(": client's CPU"), "µs/call", cpu.1 / calls * 1e6);
            table.add(at, name(""), "calls/s", calls / elapsed.as_secs_f64());
            table.add(at, name(": p50"), "µs", quantile(0.5));
            table.add(at, name(": p99"), "µs", quantile(0.99));
        }
    }
    let most = server.memory("VmHWM");
    table.add(at, "these calls: most resident".to_owned(), "MB", most);
}

/// Measures a process of its own, in which other calls have left nothing.
async fn memory(table: &mut Table, at: usize, program: &Program, size: &Size) {
    let (server, _) = Server::start(program).await;
    let mut add = |name: String, line| table.add(at, name, "MB", server.memory(line));
    add("idle: resident".to_owned(), "VmRSS");
    add("idle: resident, without files".to_owned(), "RssAnon");
    let clients = Clients::connect(server.socket(), 1, 10).await;
    clients.run(Work::Create, size.volumes).await;
    let with = format!("{} volumes", size.volumes);
    add(format!("{with}: resident"), "VmRSS");
    add(format!("{with}: most resident"), "VmHWM");
    add(format!("{with}: resident, without files"), "RssAnon");
}

fn own_cpu() -> f64 {
    let time = go_programs::processor_time(std::process::id());
    time.unwrap().as_secs_f64()
}

fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

fn short(figure: f64) -> String {
    match figure {
        large if large >= 100.0 => format!("{large:.0}"),
        small => format!("{small:.1}"),
    }
}
