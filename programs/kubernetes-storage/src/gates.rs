//! The feature gates of API servers.

use kubernetes_kinds::Release;
use kubernetes_validation::Target;

use crate::release;
use crate::text::nearest;

/// A gate a line, with the first and the last release that know it, if those are not all.
const GATES: &str = include_str!("gates.txt");

/// The names that stand for all gates of a stage.
const STAGES: [&str; 2] = ["AllAlpha", "AllBeta"];

/// Returns the names of the feature gates that an API server of a release knows, sorted; that of
/// releases before [`Target::OLDEST`] isn't known.
pub fn gates(release: Release) -> impl Iterator<Item = &'static str> {
    let known = all().filter(move |(_, first, last)| (*first..=*last).contains(&release));
    known.map(|(name, _, _)| name)
}

/// Returns all gates, with the first and the last release that know them.
fn all() -> impl Iterator<Item = (&'static str, Release, Release)> {
    let lines = GATES.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut parts = line.split(' ');
        let name = parts.next()?;
        let mut next = |other: Release| {
            let text = parts.next();
            text.and_then(|text| release::release(text).ok())
                .unwrap_or(other)
        };
        let first = next(Target::OLDEST);
        Some((name, first, next(storage_all::KUBERNETES)))
    })
}

/// Checks that an API server of a release knows a gate: it doesn't start with others.
///
/// # Errors
///
/// A message about a gate that it doesn't know.
pub(crate) fn check(name: &str, release: Release) -> Result<(), String> {
    let is_known = || STAGES.contains(&name) || gates(release).any(|known| known == name);
    if release < Target::OLDEST || is_known() {
        return Ok(());
    }
    let help = match all().find(|(known, _, _)| *known == name) {
        Some((_, first, last)) if first == last => format!("{first} has it"),
        Some((_, first, last)) => format!("{first} to {last} have it"),
        None => match nearest(name, gates(release).chain(STAGES)) {
            Some(near) => format!("did you mean {near}?"),
            None => "see kube-apiserver --help".to_owned(),
        },
    };
    Err(format!(
        "Kubernetes {release} has no feature gate {name}; {help}"
    ))
}
