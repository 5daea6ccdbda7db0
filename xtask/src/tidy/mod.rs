//! `cargo xtask tidy`: counts what the workspace limits.

mod circles;
mod comments;
mod counts;
mod modules;
mod paths;

use std::error::Error;

use clap::Args;

use crate::workspace;

use crate::sources::Sources;

/// Count what the workspace limits, such as import circles, and print a table.
///
/// Fails if a limit is exceeded, and then lists the places.
#[derive(Args)]
pub(crate) struct Arguments {}

/// A row of the table.
struct Count {
    /// The thing that is counted.
    name: &'static str,
    value: f64,
    limit: f64,
    /// The unit, after both numbers.
    unit: &'static str,
    /// The places that are counted, for errors.
    places: Vec<String>,
}

impl Count {
    /// Makes a row that counts places.
    fn of(name: &'static str, limit: usize, places: Vec<String>) -> Self {
        Self {
            name,
            value: as_number(places.len()),
            limit: as_number(limit),
            unit: "",
            places,
        }
    }

    fn is_exceeded(&self) -> bool {
        self.value > self.limit
    }

    /// Returns the value and the limit, as they are printed.
    fn numbers(&self) -> [String; 2] {
        let decimals = if self.unit.is_empty() { 0 } else { 2 };
        [self.value, self.limit].map(|number| format!("{number:.decimals$}{}", self.unit))
    }
}

/// The most places that an error lists.
const MOST_PLACES: usize = 40;

/// Runs the command.
pub(crate) fn run(_: &Arguments) -> Result<(), Box<dyn Error>> {
    let root = workspace::root()?;
    let sources = Sources::read(&root)?;
    let counts = [
        circles::count(&sources)?,
        comments::openings(&sources),
        comments::long_lines(&sources),
        counts::long_files(&sources),
        counts::folders(&root)?,
        counts::words(&root)?,
        counts::test_binaries(&sources),
        counts::unbuilt_tests(&sources)?,
    ];
    print(&counts);
    let exceeded: Vec<_> = counts.iter().filter(|count| count.is_exceeded()).collect();
    if exceeded.is_empty() {
        return Ok(());
    }
    Err(exceeded
        .into_iter()
        .map(explain)
        .collect::<Vec<_>>()
        .join("\n")
        .into())
}

fn print(counts: &[Count]) {
    println!("{:48} {:>8} {:>8}", "count", "value", "limit");
    for count in counts {
        let [value, limit] = count.numbers();
        let mark = if count.is_exceeded() {
            "  exceeded"
        } else {
            ""
        };
        println!("{:48} {value:>8} {limit:>8}{mark}", count.name);
    }
}

fn explain(count: &Count) -> String {
    let [value, limit] = count.numbers();
    let mut text = format!("error: {}: {value}, at most {limit}", count.name);
    for place in count.places.iter().take(MOST_PLACES) {
        text += &format!("\n  {place}");
    }
    if count.places.len() > MOST_PLACES {
        text += &format!("\n  … and {} more", count.places.len() - MOST_PLACES);
    }
    text
}

/// Converts a count, which is small enough to be exact.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn as_number(count: usize) -> f64 {
    count as f64
}
