//! Measures lists of objects as a server returns them, in generated types, in those of k8s-openapi
//! and in those of prost.
//!
//! ```text
//! lists [--quick] [--length N] [KIND…]
//! lists [--length N] --loop KIND WAY N    # reads one list N times, for profiles
//! ```

use std::time::Duration;

use lists::{Kind, Way, kinds};

use measure::{Bodies, MEMORY, SPEEDS};

mod managed;
mod measure;
mod nodes;
mod objects;
mod pods;
mod storage;

/// The arguments on the command line.
struct Arguments {
    length: usize,
    rounds: usize,
    names: Vec<String>,
    /// The kind, the way and the number of times.
    repeat: Option<(String, Way, usize)>,
}

impl Arguments {
    fn read() -> Result<Self, String> {
        let mut all = Self {
            length: 10_000,
            rounds: 9,
            names: Vec::new(),
            repeat: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut next = || words.next().ok_or(format!("{word} needs more"));
            let number = |text: String| text.parse().map_err(|_| format!("{text}: no number"));
            match word.as_str() {
                "--quick" => (all.rounds, all.length) = (3, 2_000),
                "--length" => all.length = number(next()?)?,
                "--loop" => all.repeat = Some((next()?, next()?.parse()?, number(next()?)?)),
                _ => all.names.push(word),
            }
        }
        Ok(all)
    }
}

fn find<'a>(kinds: &'a [Box<dyn Kind>], name: &str) -> Result<&'a dyn Kind, String> {
    let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
    let found = kinds.iter().find(|kind| kind.name() == name);
    found
        .map(|kind| &**kind)
        .ok_or_else(|| format!("no kind {name}; there are: {}", names.join(", ")))
}

fn row(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<_> = cells.into_iter().collect();
    format!("| {} |\n", cells.join(" | "))
}

fn header(titles: &[&str]) -> String {
    let titles = titles.iter().map(|title| (*title).to_owned());
    let line = titles.clone().map(|_| "---".to_owned());
    row(titles) + &row(line)
}

/// The table of speeds, without its rows.
fn speeds() -> String {
    let columns = SPEEDS.iter().flat_map(|group| group.columns);
    let titles = columns.map(|(title, ..)| *title);
    let titles: Vec<_> = ["kind"].into_iter().chain(titles).collect();
    format!(
        "\nTimes as fast as kube's way, which is k8s-openapi's types and serde_json, and in the last \
         three columns\nas prost's types. Lean is reading the same without managedFields; as sent \
         is writing objects that\nhave none.\n\n{}",
        header(&titles)
    )
}

/// The table of memory, without its rows.
fn memory(length: usize) -> String {
    let ways = MEMORY.map(|(title, ..)| title);
    let mut titles = vec!["kind", "JSON, MB", "protobuf, MB", "k8s-openapi's peak, MB"];
    titles.extend(ways);
    titles.push("k8s-openapi's live, MB");
    titles.extend(ways);
    format!(
        "\nThe bodies of {length} objects; the most memory while they are read, the body held once \
         in it;\nand the memory of what was read, without the body. Ours are shares of that of \
         k8s-openapi's types\nof JSON.\n\n{}",
        header(&titles)
    )
}

fn memory_row(kind: &dyn Kind, bodies: &Bodies<'_>) -> String {
    let megabytes = |bytes: f64| format!("{:.1}", bytes / 1e6);
    let (peak, live) = bodies.memory(Way::Peer);
    let ours = MEMORY.map(|(_, way, _)| bodies.memory(way));
    let sizes = [Way::Json, Way::Protobuf].map(|way| megabytes(bodies.of(way).len() as f64));
    let mut cells = vec![kind.name().to_owned()];
    cells.extend(sizes);
    cells.push(megabytes(peak));
    cells.extend(ours.map(|(ours, _)| format!("{:.2}", ours / peak)));
    cells.push(megabytes(live));
    cells.extend(ours.map(|(_, ours)| format!("{:.2}", ours / live)));
    row(cells)
}

fn speed_row(kind: &dyn Kind, bodies: &Bodies<'_>, arguments: &Arguments) -> String {
    let sent = Bodies::new(kind, arguments.length, false);
    let mut cells = vec![kind.name().to_owned()];
    for group in &SPEEDS {
        let bodies = if group.is_managed { bodies } else { &sent };
        let speeds = bodies.speeds(group, arguments.rounds);
        cells.extend(speeds.iter().map(|speed| format!("{speed:.2}")));
    }
    row(cells)
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let kinds = kinds();
    if let Some((name, way, times)) = &arguments.repeat {
        let bodies = Bodies::new(find(&kinds, name)?, arguments.length, true);
        let took: Duration = (0..*times).map(|_| bodies.read(*way)).sum();
        let one = took.as_secs_f64() / *times as f64;
        let speed = bodies.of(*way).len() as f64 / 1e6 / one;
        println!("{:.2} ms each, {speed:.0} MB/s", one * 1e3);
        return Ok(());
    }
    let names = arguments.names.iter().map(|name| find(&kinds, name));
    let mut wanted = names.collect::<Result<Vec<_>, _>>()?;
    if wanted.is_empty() {
        wanted = kinds.iter().map(|kind| &**kind).collect();
    }
    let (mut one, mut other) = (speeds(), memory(arguments.length));
    for kind in wanted {
        eprintln!("{}", kind.name());
        let bodies = Bodies::new(kind, arguments.length, true);
        one += &speed_row(kind, &bodies, arguments);
        other += &memory_row(kind, &bodies);
    }
    let goal = |cells: Vec<&str>| row(cells.into_iter().map(str::to_owned));
    let mut goals = vec!["goal, at least"];
    goals.extend(
        SPEEDS
            .iter()
            .flat_map(|group| group.columns)
            .map(|(_, _, goal)| *goal),
    );
    one += &goal(goals);
    let mut goals = vec!["goal, at most", "", "", ""];
    goals.extend(MEMORY.map(|(_, _, goal)| goal));
    goals.extend(["", "", "", "", ""]);
    other += &goal(goals);
    println!("{one}{other}");
    Ok(())
}

fn main() {
    let outcome = Arguments::read().and_then(|arguments| run(&arguments));
    if let Err(error) = outcome {
        eprintln!("error: {error}");
        std::process::exit(2);
    }
}
