//! What was measured, compared with the budgets, as a table.

use super::limits::{Limit, Limits};

/// What one build of a program took, beside k8s-openapi alone in the same run.
pub(super) struct Cost {
    /// Seconds of CPU time that k8s-openapi alone took.
    pub(super) reference_cpu: f64,
    /// Seconds of CPU time beyond that.
    pub(super) added_cpu: f64,
    /// Bytes of the rlibs of k8s-openapi alone.
    pub(super) reference_size: u64,
    /// Bytes of the program's rlibs.
    pub(super) size: u64,
}

/// A program, with what it took in each run.
pub(super) struct Row<'a> {
    limit: &'a Limit,
    pub(super) costs: Vec<Cost>,
}

impl<'a> Row<'a> {
    pub(super) fn new(limit: &'a Limit) -> Self {
        Self {
            limit,
            costs: Vec::new(),
        }
    }

    fn median(&self, value: impl Fn(&Cost) -> f64) -> f64 {
        median(self.costs.iter().map(value).collect())
    }

    fn added_cpu(&self) -> f64 {
        self.median(|cost| cost.added_cpu)
    }

    /// What is added, of what k8s-openapi alone takes.
    fn share(&self) -> f64 {
        self.median(|cost| cost.added_cpu / cost.reference_cpu)
    }

    fn added_megabytes(&self) -> f64 {
        self.median(|cost| megabytes(cost.size) - megabytes(cost.reference_size))
    }

    /// The budgets that are exceeded, each as a sentence.
    pub(super) fn exceeded(&self, limits: &Limits) -> Vec<String> {
        let label = self.limit.label();
        let mut exceeded = Vec::new();
        let tolerated = limits.tolerated_share(self.limit);
        if self.share() > tolerated {
            exceeded.push(format!(
                "{label} adds {} of k8s-openapi's CPU time; its budget is {}, and {} is \
                 tolerated",
                percent(self.share()),
                percent(limits.share(self.limit)),
                percent(tolerated)
            ));
        }
        if self.added_megabytes() > self.limit.megabytes {
            exceeded.push(format!(
                "{label} adds {:.1} MB of debug rlibs; its budget is {:.1} MB",
                self.added_megabytes(),
                self.limit.megabytes
            ));
        }
        exceeded
    }
}

/// Prints the table; `alone` names k8s-openapi.
pub(super) fn print(alone: &str, rows: &[Row<'_>], limits: &Limits) -> String {
    let head = ["", "CPU s", "added", "share", "budget", "rlib MB", "added", "budget"];
    let mut lines = vec![head.map(str::to_owned)];
    let mut references = rows.iter().flat_map(|row| &row.costs).peekable();
    if references.peek().is_some() {
        let references: Vec<_> = references.collect();
        let median =
            |value: fn(&Cost) -> f64| median(references.iter().map(|c| value(c)).collect());
        let mut line = [const { String::new() }; 8];
        line[0] = alone.to_owned();
        line[1] = format!("{:.1}", median(|cost| cost.reference_cpu));
        line[5] = format!("{:.1}", median(|cost| megabytes(cost.reference_size)));
        lines.push(line);
    }
    for row in rows {
        lines.push([
            row.limit.label(),
            format!("{:.1}", row.median(|cost| cost.reference_cpu + cost.added_cpu)),
            format!("{:+.1}", row.added_cpu()),
            percent(row.share()),
            percent(limits.share(row.limit)),
            format!("{:.1}", row.median(|cost| megabytes(cost.size))),
            format!("{:+.1}", row.added_megabytes()),
            format!("{:.1}", row.limit.megabytes),
        ]);
    }
    let width = lines.iter().map(|line| line[0].chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for [label, values @ ..] in &lines {
        text.push_str(&format!("{label:width$}"));
        for value in values {
            text.push_str(&format!("  {value:>7}"));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// 1 MB is 10^6 bytes.
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// The value in the middle, or the mean of the two there; NaN of none.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match (values.get(middle), values.len() % 2) {
        (None, _) => f64::NAN,
        (Some(value), 1) => *value,
        (Some(value), _) => (values[middle - 1] + value) / 2.0,
    }
}
