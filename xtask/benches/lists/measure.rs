//! Times of rounds, memory in a process of its own, and the columns of both tables.

use std::any::Any;
use std::hint::black_box;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use lists::{Kind, Way};

use crate::objects::objects;

/// The step that is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Reading a body.
    Read,
    /// Writing what was read.
    Write,
}

/// Columns of speeds that are measured together: in each round, one after another.
pub struct Group {
    step: Step,
    /// True if the objects have `managedFields`.
    pub is_managed: bool,
    theirs: Way,
    /// The columns: the title, our way, and how many times as fast it is meant to be.
    pub columns: &'static [(&'static str, Way, &'static str)],
}

/// The columns of the table of speeds.
pub const SPEEDS: [Group; 5] = [
    Group {
        step: Step::Read,
        is_managed: true,
        theirs: Way::Peer,
        columns: &[
            ("read JSON", Way::Json, "1.05"),
            ("Lean", Way::JsonLean, "1.05"),
            ("read protobuf", Way::Protobuf, "3.8"),
            ("Lean", Way::ProtobufLean, "6.5"),
        ],
    },
    Group {
        step: Step::Write,
        is_managed: true,
        theirs: Way::Peer,
        columns: &[
            ("write JSON", Way::Json, "1.05"),
            ("write protobuf", Way::Protobuf, "2"),
        ],
    },
    Group {
        step: Step::Write,
        is_managed: false,
        theirs: Way::Peer,
        columns: &[
            ("JSON, as sent", Way::Json, "1.05"),
            ("protobuf, as sent", Way::Protobuf, "2"),
        ],
    },
    Group {
        step: Step::Read,
        is_managed: true,
        theirs: Way::Prost,
        columns: &[
            ("prost: read", Way::Protobuf, "1.2"),
            ("Lean", Way::ProtobufLean, "1.2"),
        ],
    },
    Group {
        step: Step::Write,
        is_managed: true,
        theirs: Way::Prost,
        columns: &[("prost: write", Way::Protobuf, "1.2")],
    },
];

/// The ways whose memory is compared with k8s-openapi's, and how much of its peak is meant to be
/// enough.
pub const MEMORY: [(&str, Way, &str); 4] = [
    ("JSON", Way::Json, "-"),
    ("JSON, Lean", Way::JsonLean, "-"),
    ("protobuf", Way::Protobuf, "0.7"),
    ("protobuf, Lean", Way::ProtobufLean, "0.35"),
];

/// The bodies of one kind.
pub struct Bodies<'a> {
    kind: &'a dyn Kind,
    json: Vec<u8>,
    protobuf: Vec<u8>,
}

impl<'a> Bodies<'a> {
    /// Makes lists of so many objects, and checks that all ways read them alike.
    pub fn new(kind: &'a dyn Kind, length: usize, is_managed: bool) -> Self {
        let objects = objects(kind.name()).expect("objects of every kind");
        kind.check(&objects.list(length.min(100), is_managed));
        let json = objects.list(length, is_managed);
        let protobuf = kind.write(Way::Protobuf, &*kind.read(Way::Json, &json));
        Self {
            kind,
            json,
            protobuf,
        }
    }

    /// Returns the body that is read in a way.
    pub fn of(&self, way: Way) -> &[u8] {
        match way.is_json() {
            true => &self.json,
            false => &self.protobuf,
        }
    }

    /// Reads in a way, and returns how long that took. Freeing what was read isn't measured.
    pub fn read(&self, way: Way) -> Duration {
        time(|| self.kind.read(way, black_box(self.of(way))))
    }

    /// Returns how many times as fast each column of ours is: the median of rounds, in which theirs
    /// is first and last in turn.
    pub fn speeds(&self, group: &Group, rounds: usize) -> Vec<f64> {
        let ways = group.columns.iter().map(|(_, way, _)| *way);
        let ways: Vec<_> = [group.theirs].into_iter().chain(ways).collect();
        let lists: Vec<_> = match group.step {
            Step::Read => Vec::new(),
            Step::Write => ways.iter().map(|way| self.list(*way)).collect(),
        };
        let run = |at: usize| match group.step {
            Step::Read => self.read(ways[at]).as_secs_f64(),
            Step::Write => time(|| self.kind.write(ways[at], black_box(&*lists[at]))).as_secs_f64(),
        };
        let mut ratios = vec![Vec::new(); group.columns.len()];
        // The first round is to warm up.
        for round in 0..=rounds {
            let mut times = vec![0.0; ways.len()];
            for step in 0..ways.len() {
                let at = match round.is_multiple_of(2) {
                    true => step,
                    false => ways.len() - 1 - step,
                };
                times[at] = run(at);
            }
            for (ratios, ours) in ratios.iter_mut().zip(&times[1..]) {
                if round > 0 {
                    ratios.push(times[0] / ours);
                }
            }
        }
        let median = |mut ratios: Vec<f64>| {
            ratios.sort_by(f64::total_cmp);
            ratios[rounds / 2]
        };
        ratios.into_iter().map(median).collect()
    }

    fn list(&self, way: Way) -> Box<dyn Any> {
        self.kind.read(way, self.of(way))
    }

    /// Reads in a way in a process of its own, and returns the most bytes at one time, with the
    /// body, and those of what was read.
    pub fn memory(&self, way: Way) -> (f64, f64) {
        let body = self.of(way);
        let program = std::env::current_exe().unwrap().with_file_name("memory");
        let mut child = Command::new(program)
            .args([self.kind.name(), way.name(), &body.len().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(body).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{} {way:?}", self.kind.name());
        let text = String::from_utf8(output.stdout).unwrap();
        let (most, live) = text.trim().split_once(' ').unwrap();
        (most.parse().unwrap(), live.parse().unwrap())
    }
}

fn time<T>(run: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let made = black_box(run());
    let took = start.elapsed();
    drop(made);
    took
}
