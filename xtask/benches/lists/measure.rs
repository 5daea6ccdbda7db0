//! Times of pairs, memory in a process of its own, and the columns of both tables.

use std::any::Any;
use std::cell::OnceCell;
use std::hint::black_box;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use lists::{Kind, Way};

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Reading a body.
    Read,
    /// Writing what was read.
    Write,
}

/// A column of speeds.
pub struct Column {
    /// Its title.
    pub title: &'static str,
    step: Step,
    ours: Way,
    theirs: Way,
    /// How many times as fast ours is meant to be.
    pub goal: &'static str,
}

const fn column(
    title: &'static str,
    step: Step,
    ours: Way,
    theirs: Way,
    goal: &'static str,
) -> Column {
    Column {
        title,
        step,
        ours,
        theirs,
        goal,
    }
}

/// The columns of the table of speeds.
pub const SPEEDS: [Column; 9] = {
    use Step::{Read, Write};
    use Way::{Json, JsonLean, Peer, Prost, Protobuf, ProtobufLean};
    [
        column("JSON", Read, Json, Peer, "1.05"),
        column("JSON, Lean", Read, JsonLean, Peer, "1.05"),
        column("write JSON", Write, Json, Peer, "1.05"),
        column("protobuf", Read, Protobuf, Peer, "3.8"),
        column("protobuf, Lean", Read, ProtobufLean, Peer, "6.5"),
        column("write protobuf", Write, Protobuf, Peer, "2"),
        column("prost", Read, Protobuf, Prost, "1.2"),
        column("prost, Lean", Read, ProtobufLean, Prost, "1.2"),
        column("write, prost", Write, Protobuf, Prost, "1.2"),
    ]
};

/// The ways whose memory is compared with k8s-openapi's, and what of its peak is meant to be enough.
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
    pub fn new(kind: &'a dyn Kind, length: usize) -> Self {
        kind.check(&kind.json(length.min(100)));
        let json = kind.json(length);
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

    /// Returns how many times as fast ours is: the median of pairs, in which each is first in turn.
    pub fn speed(&self, column: &Column, pairs: usize) -> f64 {
        let lists: [OnceCell<Box<dyn Any>>; 2] = Default::default();
        let run = |way: Way, list: &OnceCell<Box<dyn Any>>| match column.step {
            Step::Read => self.read(way),
            Step::Write => {
                let list = list.get_or_init(|| self.kind.read(way, self.of(way)));
                time(|| self.kind.write(way, black_box(&**list)))
            }
        };
        let ours = || run(column.ours, &lists[0]).as_secs_f64();
        let theirs = || run(column.theirs, &lists[1]).as_secs_f64();
        (ours(), theirs());
        let pair = |at: usize| {
            if at.is_multiple_of(2) {
                let ours = ours();
                theirs() / ours
            } else {
                let theirs = theirs();
                theirs / ours()
            }
        };
        let mut ratios: Vec<_> = (0..pairs).map(pair).collect();
        ratios.sort_by(f64::total_cmp);
        ratios[pairs / 2]
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
