//! Circles: cargo builds no crates that depend on each other.

use std::collections::BTreeMap;

use crate::diag::Diagnostics;
use crate::model::{Analysed, Crate, External};
use crate::pointer::Pointer;

/// The reason why a crate depends on another.
enum Why<'a> {
    /// A field of a file is of a type of the other.
    Field(&'a str, &'a Pointer),
    /// It is converted into the other.
    Conversion,
}

type Uses<'a> = BTreeMap<&'a str, BTreeMap<&'a str, Why<'a>>>;

/// Reports each circle of crates that use one another once.
pub(super) fn check(crates: &[Crate<'_, Analysed>], diagnostics: &mut Diagnostics) {
    let uses: Uses<'_> = crates
        .iter()
        .map(|krate| (krate.config.name.as_str(), uses(krate)))
        .collect();
    let mut reported = Vec::new();
    for krate in uses.keys() {
        let Some(circle) = circle(krate, &uses) else {
            continue;
        };
        let mut members = circle.clone();
        members.sort_unstable();
        if reported.contains(&members) {
            continue;
        }
        reported.push(members);
        report(&circle, &uses, diagnostics);
    }
}

/// The crates that a crate uses, each with one reason.
fn uses<'a>(krate: &'a Crate<'_, Analysed>) -> BTreeMap<&'a str, Why<'a>> {
    let mut found = BTreeMap::new();
    if let Some(conversion) = &krate.config.conversion {
        found.insert(conversion.to.as_str(), Why::Conversion);
    }
    for version in &krate.versions {
        for field in version.structs().flat_map(|(_, object)| &object.fields) {
            let external = field
                .ty
                .reference()
                .and_then(|name| version.externs.get(name));
            if let Some(External {
                package: Some(package),
                generated: true,
                ..
            }) = external
                && *package != krate.config.name
            {
                found
                    .entry(package.as_str())
                    .or_insert(Why::Field(&version.file, &field.pointer));
            }
        }
    }
    found
}

/// The shortest path from a crate to itself.
fn circle<'a>(start: &'a str, uses: &Uses<'a>) -> Option<Vec<&'a str>> {
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    let mut open = std::collections::VecDeque::from([start]);
    while let Some(krate) = open.pop_front() {
        for next in uses.get(krate).into_iter().flat_map(|uses| uses.keys()) {
            if *next == start {
                let mut way = vec![krate];
                while let Some(earlier) = way.last().and_then(|last| before.get(last)) {
                    way.push(earlier);
                }
                way.reverse();
                return Some(way);
            }
            if !before.contains_key(next) {
                before.insert(next, krate);
                open.push_back(next);
            }
        }
    }
    None
}

fn report(circle: &[&str], uses: &Uses<'_>, diagnostics: &mut Diagnostics) {
    let next = |at: usize| circle.get(at + 1).or(circle.first()).copied();
    let mut steps = Vec::new();
    let mut first = None;
    for (at, krate) in circle.iter().enumerate() {
        let Some(other) = next(at) else { continue };
        let why = match uses.get(krate).and_then(|uses| uses.get(other)) {
            Some(Why::Field(file, pointer)) => {
                first.get_or_insert((*file, *pointer));
                format!("in {pointer} of {file}")
            }
            _ => "into which it is converted".to_owned(),
        };
        steps.push(format!("`{krate}` uses `{other}` {why}"));
    }
    let message = format!("crates use one another: {}", steps.join(", "));
    let help = "put their documents into one [[crate]], each in a `module`, or take an [[extern]] \
                between them out, so that types of k8s_openapi are used";
    match first {
        Some((file, pointer)) => diagnostics.at(file, pointer, message, help),
        None => diagnostics.in_file("codegen.toml", None, message, help),
    }
}
