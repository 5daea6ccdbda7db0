//! Finds files that import from one another in a circle.

use std::error::Error;

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use super::Count;
use super::modules::Crate;
use super::paths::{self, Uses};
use crate::sources::Sources;

/// Counts the circles between hand-written files of all libraries and programs.
pub(super) fn count(sources: &Sources) -> Result<Count, Box<dyn Error>> {
    let mut places = Vec::new();
    let targets = sources.packages.iter().flat_map(|package| &package.targets);
    for target in targets.filter(|target| target.is_code()) {
        let krate = Crate::read(sources, &target.src_path)?;
        let uses = paths::uses(&krate);
        places.extend(circles(&krate, &uses));
    }
    Ok(Count::of("import circles between files", 0, places))
}

/// Describes each circle by its files and the names that they use.
fn circles(krate: &Crate<'_>, uses: &Uses) -> Vec<String> {
    let graph: DiGraphMap<usize, ()> = uses.keys().copied().collect();
    let components = tarjan_scc(&graph);
    let mut circles: Vec<_> = components
        .into_iter()
        .filter(|files| files.len() > 1)
        .map(|files| {
            let inside = uses
                .iter()
                .filter(|((from, to), _)| files.contains(from) && files.contains(to));
            let mut lines: Vec<_> = inside
                .map(|((from, to), name)| {
                    format!(
                        "    {} uses {name} of {}",
                        krate.path(*from),
                        krate.path(*to)
                    )
                })
                .collect();
            lines.insert(0, format!("{} files:", files.len()));
            lines.join("\n")
        })
        .collect();
    circles.sort();
    circles
}
