//! Numbers of changes, by severity and by kind.

use std::collections::BTreeMap;

use codegen::diff::{Change, Report, Severity};

/// The kind, or shared type, that a change is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Subject {
    pub(super) group_version: String,
    /// The kind, or the type that several versions share.
    pub(super) kind: String,
}

impl Subject {
    pub(super) fn of(change: &Change) -> Self {
        let place = &change.place;
        let used = place.used.first().and_then(|used| used.split(' ').next());
        let schema = place
            .schema
            .as_deref()
            .and_then(|name| name.rsplit('.').next());
        let (group_version, kind) = match place.group_versions.as_slice() {
            [one] => (one.clone(), place.kind.as_deref().or(used).or(schema)),
            _ => ("several versions".to_owned(), schema),
        };
        Self {
            group_version,
            kind: kind.unwrap_or("all kinds").to_owned(),
        }
    }
}

/// The changes of one subject of each severity, the worst first.
pub(super) struct Row {
    pub(super) subject: Subject,
    pub(super) counts: [usize; 4],
}

/// Returns a row for each subject, those with the worst changes first.
pub(super) fn rows(report: &Report) -> Vec<Row> {
    let mut rows = BTreeMap::<Subject, [usize; 4]>::new();
    for change in &report.changes {
        let counts = rows.entry(Subject::of(change)).or_default();
        for (count, severity) in counts.iter_mut().zip(Severity::WORST_FIRST) {
            *count += usize::from(change.severity() == severity);
        }
    }
    let rows = rows.into_iter();
    let mut rows: Vec<_> = rows
        .map(|(subject, counts)| Row { subject, counts })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.counts));
    rows
}

/// Returns the number of changes of each severity, the worst first.
pub(super) fn totals(report: &Report) -> [usize; 4] {
    Severity::WORST_FIRST.map(|severity| of(report, severity).count())
}

/// Returns the changes of a severity.
pub(super) fn of(report: &Report, severity: Severity) -> impl Iterator<Item = &Change> {
    let changes = report.changes.iter();
    changes.filter(move |change| change.severity() == severity)
}

/// Returns the number of changes of each severity in words.
pub(super) fn counts(report: &Report) -> String {
    let counts = Severity::WORST_FIRST.into_iter().zip(totals(report));
    let counts = counts.filter(|(_, count)| *count > 0);
    let counts: Vec<_> = counts
        .map(|(severity, count)| format!("{count} {}", title(severity)))
        .collect();
    match counts.as_slice() {
        [] => "no changes".to_owned(),
        counts => counts.join(", "),
    }
}

/// Returns the title of the changes of a severity.
pub(super) fn title(severity: Severity) -> &'static str {
    match severity {
        Severity::None => "without effect",
        other => other.name(),
    }
}

/// Returns a text with a first letter in upper case.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}
