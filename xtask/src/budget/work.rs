//! The work of a command: instructions or CPU time.

use std::error::Error;

/// The work of a command and of all that it starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Work {
    /// Seconds of CPU time. Other programs make them more: they share caches and processors.
    pub(super) cpu: f64,
    /// Instructions outside of the kernel, the same in every run but for a thousandth. `None` where
    /// the machine doesn't count them, as many virtual ones don't.
    pub(super) instructions: Option<f64>,
}

/// The measure by which two works are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    Instructions,
    Time,
}

impl Basis {
    /// Names the unit of comparison in messages.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Time => "CPU time",
        }
    }
}

impl Work {
    /// None at all.
    pub(super) fn none() -> Self {
        Self {
            cpu: 0.0,
            instructions: Some(0.0),
        }
    }

    #[cfg(test)]
    pub(super) fn of_time(cpu: f64) -> Self {
        Self {
            cpu,
            instructions: None,
        }
    }

    /// Runs something that starts commands and waits for them, and returns what these took.
    pub(super) fn measure<T>(
        start: impl FnOnce() -> Result<T, Box<dyn Error>>,
    ) -> Result<(T, Self), Box<dyn Error>> {
        let before = cpu_of_children()?;
        let mut counter = Counter::new();
        let result = start()?;
        let work = Self {
            instructions: counter.read(),
            cpu: cpu_of_children()? - before,
        };
        Ok((result, work))
    }

    /// This without that of another command.
    pub(super) fn less(self, other: Self) -> Self {
        let instructions = self.instructions.zip(other.instructions);
        Self {
            cpu: self.cpu - other.cpu,
            instructions: instructions.map(|(own, other)| own - other),
        }
    }

    /// This and that of another command.
    pub(super) fn plus(self, other: Self) -> Self {
        let instructions = self.instructions.zip(other.instructions);
        Self {
            cpu: self.cpu + other.cpu,
            instructions: instructions.map(|(own, other)| own + other),
        }
    }

    /// The part that this is of another; NaN by instructions that weren't counted.
    pub(super) fn share_of(self, other: Self, basis: Basis) -> f64 {
        match basis {
            Basis::Instructions => {
                let counted = self.instructions.zip(other.instructions);
                counted.map_or(f64::NAN, |(own, other)| own / other)
            }
            Basis::Time => self.cpu / other.cpu,
        }
    }

    /// Returns the measure by which this and another are compared.
    pub(super) fn basis(self, other: Self) -> Basis {
        match self.instructions.and(other.instructions) {
            Some(_) => Basis::Instructions,
            None => Basis::Time,
        }
    }
}

/// Counts the instructions of this thread and of all processes that it starts.
struct Counter {
    #[cfg(target_os = "linux")]
    counter: Option<perf_event::Counter>,
}

#[cfg(target_os = "linux")]
impl Counter {
    fn new() -> Self {
        use perf_event::{Builder, ReadFormat, events::Hardware};

        let times = ReadFormat::TOTAL_TIME_ENABLED | ReadFormat::TOTAL_TIME_RUNNING;
        let counter = Builder::new(Hardware::INSTRUCTIONS)
            .inherit(true)
            .read_format(times)
            .build()
            .and_then(|mut counter| counter.enable().map(|()| counter));
        Self {
            counter: counter.ok(),
        }
    }

    /// `None` if they can't be counted, or could for a part of the time only.
    fn read(&mut self) -> Option<f64> {
        let read = self.counter.as_mut()?.read_count_and_time().ok()?;
        let is_whole = read.count > 0 && read.time_running == read.time_enabled;
        is_whole.then_some(read.count as f64)
    }
}

#[cfg(not(target_os = "linux"))]
impl Counter {
    fn new() -> Self {
        Self {}
    }

    fn read(&mut self) -> Option<f64> {
        None
    }
}

/// Seconds of CPU time of all processes that this one has started and waited for, and of theirs.
#[cfg(unix)]
fn cpu_of_children() -> Result<f64, Box<dyn Error>> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeVal;

    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_err(|e| format!("error: can't read the CPU time: {e}"))?;
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

#[cfg(not(unix))]
fn cpu_of_children() -> Result<f64, Box<dyn Error>> {
    Err("error: CPU time is measured on Unix only".into())
}
