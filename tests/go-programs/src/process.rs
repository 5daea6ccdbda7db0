//! The time and memory that a process takes.

use std::io::{Error, ErrorKind, Result};
use std::time::Duration;

/// Returns the time of processors that a process has taken, in hundredths of a second.
///
/// # Errors
///
/// When there is no such process, or no `/proc`.
pub fn processor_time(process: u32) -> Result<Duration> {
    let path = format!("/proc/{process}/stat");
    let stat = std::fs::read_to_string(&path)?;
    let ticks = || {
        // The name before may have spaces.
        let (_, rest) = stat.rsplit_once(") ")?;
        let mut fields = rest.split(' ').skip(11);
        let mut field = || fields.next()?.parse::<u64>().ok();
        Some(field()? + field()?)
    };
    // The kernel counts hundredths of a second for programs, whatever its own clock is.
    ticks()
        .map(|ticks| Duration::from_millis(ticks * 10))
        .ok_or_else(|| Error::new(ErrorKind::InvalidData, format!("{path}: {stat}")))
}

/// Returns the bytes in a line of the status of a process, such as `VmRSS`.
///
/// # Errors
///
/// When there is no such process, no `/proc`, or no such line.
pub fn memory(process: u32, name: &str) -> Result<u64> {
    let path = format!("/proc/{process}/status");
    let status = std::fs::read_to_string(&path)?;
    let mut lines = status.lines().filter_map(|line| line.split_once(':'));
    let kib = lines.find_map(|(found, value)| {
        let value = value.split_whitespace().next()?;
        (found == name).then(|| value.parse::<u64>().ok())?
    });
    kib.map(|kib| kib * 1024)
        .ok_or_else(|| Error::new(ErrorKind::InvalidData, format!("{path}: no {name}")))
}
