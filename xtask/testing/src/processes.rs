//! The cost of a process: time, processor time, and memory.
//!
//! The kernel adds up what all children of a process have used. Hence a benchmark starts itself
//! once more for each process, which measures that one alone.

use std::ffi::OsStr;
use std::process::{Command, Stdio, exit};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

use crate::Outcome;

/// The argument by which a benchmark starts itself.
const ONCE: &str = "--measure";

/// The cost of a process.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// The time from its start to its end.
    pub took: Duration,
    /// The time that processors worked for it.
    pub worked: Duration,
    /// The bytes of memory that it had at most.
    pub memory: u64,
}

/// Measures a command that [`measure`] has asked for, and ends this process. Does nothing if there
/// is none; a benchmark calls it first.
pub fn measure_if_asked() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().as_deref() != Some(OsStr::new(ONCE)) {
        return;
    }
    let program = arguments.next().unwrap();
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().unwrap();
    let took = start.elapsed();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let of = |time: TimeVal| Duration::new(time.tv_sec() as u64, 1_000 * time.tv_usec() as u32);
    let worked = of(usage.user_time()) + of(usage.system_time());
    let memory = usage.max_rss() * 1024;
    println!("{} {} {memory}", took.as_nanos(), worked.as_nanos());
    exit(status.code().unwrap_or(i32::MAX));
}

/// Measures a program with arguments, in a folder. It may end with one of these exit codes.
pub fn measure(command: &Command, codes: &[i32]) -> Cost {
    let mut again = Command::new(std::env::current_exe().unwrap());
    again
        .arg(ONCE)
        .arg(command.get_program())
        .args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        again.current_dir(folder);
    }
    let outcome = Outcome::of(&mut again);
    let code = outcome.code.unwrap();
    assert!(
        codes.contains(&code),
        "{command:?} ended with {code}: {}",
        outcome.stderr
    );
    let numbers: Vec<u64> = outcome
        .out
        .split_whitespace()
        .map(|n| n.parse().unwrap())
        .collect();
    let [took, worked] = [numbers[0], numbers[1]].map(Duration::from_nanos);
    Cost {
        took,
        worked,
        memory: numbers[2],
    }
}

/// Returns the medians of costs, each by itself.
pub fn median(costs: &[Cost]) -> Cost {
    fn middle<T: Copy + Ord>(costs: &[Cost], of: impl Fn(&Cost) -> T) -> T {
        let mut all: Vec<_> = costs.iter().map(of).collect();
        all.sort();
        all[all.len() / 2]
    }
    Cost {
        took: middle(costs, |cost| cost.took),
        worked: middle(costs, |cost| cost.worked),
        memory: middle(costs, |cost| cost.memory),
    }
}
