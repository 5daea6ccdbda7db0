//! The texts that every report has, whatever its form.

use codegen::diff::{Change, ChangeKind, Place, Report};

/// The label of the severity for writers.
const WRITERS: &str = "writers";

/// The first line of a change: place, what, and what was and is there.
pub(super) fn headline(change: &Change) -> String {
    let place = change.place.text();
    let place = match change.place.group_versions.as_slice() {
        [one] if !place.is_empty() => format!("{one} {place}"),
        [one] => one.clone(),
        _ => place,
    };
    // The others say it by their names.
    let is_change = [
        ChangeKind::TypeChanged,
        ChangeKind::FormatChanged,
        ChangeKind::NumberChanged,
        ChangeKind::ListSemanticsChanged,
        ChangeKind::RuleTightened,
        ChangeKind::RuleLoosened,
    ];
    let is_change = is_change.contains(&change.what);
    let values = match (change.from.as_deref(), change.to.as_deref()) {
        (None, None) => String::new(),
        (from, to) if is_change || from.is_some() && to.is_some() => {
            format!(": {} → {}", from.unwrap_or("none"), to.unwrap_or("none"))
        }
        (from, to) => format!(": {}", from.or(to).unwrap_or_default()),
    };
    format!("{place}: {}{values}", change.what.text())
}

/// The release of a change, in parentheses.
pub(super) fn release(change: &Change) -> String {
    change
        .release
        .map(|release| format!(" ({release})"))
        .unwrap_or_default()
}

/// Returns what is reported of a change beside its headline, each with its label.
pub(super) fn details(change: &Change) -> Vec<(&'static str, String)> {
    let mut details = Vec::new();
    if let Some(whereabouts) = whereabouts(&change.place) {
        details.push(("in", whereabouts));
    }
    if !change.details.is_empty() {
        details.push(("is", change.details.join("; ")));
    }
    details.push(("readers", change.readers.name().to_owned()));
    details.push((WRITERS, change.writers.name().to_owned()));
    let rust = &change.rust;
    details.push(("Rust", format!("{}, {}", rust.semver.name(), rust.why)));
    let optional = [("conversion", &change.conversion), ("edit", &change.edit)];
    for (label, text) in optional {
        details.extend(text.clone().map(|text| (label, text)));
    }
    details
}

/// Returns the details as lines, of which one has both severities.
pub(super) fn lines(change: &Change) -> Vec<String> {
    let mut lines = Vec::<String>::new();
    for (label, text) in details(change) {
        let line = format!("{label}: {text}");
        match lines.last_mut().filter(|_| label == WRITERS) {
            Some(readers) => *readers += &format!(", {line}"),
            None => lines.push(line),
        }
    }
    lines
}

/// Returns how many texts of the documentation changed, if any.
pub(super) fn documentation(report: &Report) -> Option<String> {
    match report.documentation.len() {
        0 => None,
        1 => Some("1 text changed".to_owned()),
        count => Some(format!("{count} texts changed")),
    }
}

/// The group-versions of a place, if there are several, and its further places in kinds.
fn whereabouts(place: &Place) -> Option<String> {
    const SHOWN: usize = 4;
    let all = &place.group_versions;
    let mut parts = Vec::new();
    if let [_, _, ..] = all.as_slice() {
        let more = match all.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        parts.push(format!(
            "{}{more}",
            all.get(..SHOWN).unwrap_or(all).join(", ")
        ));
    }
    if let Some((_, others)) = place
        .used
        .split_first()
        .filter(|(_, others)| !others.is_empty())
    {
        let more = match place.more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        parts.push(format!("also {}{more}", others.join(", ")));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Returns what isn't compared, each with the reason.
pub(super) fn not_compared(report: &Report) -> Vec<String> {
    let count = |all: &[String]| match all.len() {
        1 => "1 kind".to_owned(),
        count => format!("{count} kinds"),
    };
    let mut lines = report.not_compared.clone();
    let (unwanted, undescribed) = (&report.not_wanted, &report.not_described);
    if !unwanted.is_empty() {
        lines.push(format!(
            "{} without a crate in codegen.toml; --all-kinds compares them where both sides \
             describe them",
            count(unwanted)
        ));
    }
    if !undescribed.is_empty() {
        lines.push(format!(
            "{} that spec/ doesn't describe; give folders on both sides",
            count(undescribed)
        ));
    }
    lines
}
