//! The report for a terminal.

use std::fmt::Write;

use codegen::diff::{Change, ChangeKind, Place, Report, Severity};

/// Where the lines below the first of a change begin.
const INDENT: &str = "          ";

/// Renders a report.
pub(super) fn render(report: &Report, with_docs: bool) -> String {
    let mut text = format!(
        "{} → {}: {}\n",
        report.from,
        report.to,
        super::counts(report)
    );
    let line = |text: &mut String, line: &str| {
        let _ = writeln!(text, "{line}");
    };
    if !report.changes.is_empty() {
        line(
            &mut text,
            &format!("generated Rust: {}", report.semver().name()),
        );
    }
    line(
        &mut text,
        &format!("compared: {}", report.compared.join(", ")),
    );
    for reason in &report.not_compared {
        line(&mut text, &format!("not compared: {reason}"));
    }
    let is_effective = |change: &&Change| change.severity() > Severity::None;
    for change in report.changes.iter().filter(is_effective) {
        line(&mut text, "");
        for part in lines(change) {
            line(&mut text, &part);
        }
    }
    let others: Vec<_> = report
        .changes
        .iter()
        .filter(|change| !is_effective(change))
        .collect();
    if !others.is_empty() {
        line(&mut text, "\nwithout effect:");
    }
    for change in others {
        line(
            &mut text,
            &format!("{INDENT}{}{}", headline(change), release(change)),
        );
    }
    if !report.documentation.is_empty() {
        let count = report.documentation.len();
        line(&mut text, "");
        let hint = if with_docs {
            ":"
        } else {
            "; --docs lists them"
        };
        let plural = if count == 1 { "" } else { "s" };
        line(
            &mut text,
            &format!("documentation: {count} text{plural} changed{hint}"),
        );
        for change in report.documentation.iter().filter(|_| with_docs) {
            line(
                &mut text,
                &format!("  {}, {}", change.place.text(), change.keyword),
            );
        }
    }
    text
}

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

/// The group-versions of a place, if there are several, and its further places in kinds.
pub(super) fn whereabouts(place: &Place) -> Option<String> {
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

fn lines(change: &Change) -> Vec<String> {
    let release = release(change);
    let severity = change.severity().name();
    let mut lines = vec![format!("{severity:8}  {}{release}", headline(change))];
    let mut push = |name: &str, text: &str| lines.push(format!("{INDENT}{name}: {text}"));
    if let Some(whereabouts) = whereabouts(&change.place) {
        push("in", &whereabouts);
    }
    if !change.details.is_empty() {
        push("is", &change.details.join("; "));
    }
    push(
        "readers",
        &format!(
            "{}, writers: {}",
            change.readers.name(),
            change.writers.name()
        ),
    );
    push(
        "Rust",
        &format!("{}, {}", change.rust.semver.name(), change.rust.why),
    );
    if let Some(conversion) = &change.conversion {
        push("conversion", conversion);
    }
    if let Some(edit) = &change.edit {
        push("edit", edit);
    }
    lines
}
