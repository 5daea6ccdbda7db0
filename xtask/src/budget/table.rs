//! What was measured, compared with the budgets, as a table.

use super::cargo::Sizes;
use super::limits::{Limit, Limits};

/// What one build of a program took, beside k8s-openapi alone in the same run.
pub(super) struct Cost {
    /// Seconds of CPU time that k8s-openapi alone took.
    pub(super) reference_cpu: f64,
    /// Seconds of CPU time beyond that.
    pub(super) added_cpu: f64,
    /// The rlibs of k8s-openapi alone.
    pub(super) reference_sizes: Sizes,
    /// The rlibs of the program.
    pub(super) sizes: Sizes,
}

impl Cost {
    /// By how many megabytes the rlibs of each package grow, largest first.
    fn growth(&self) -> Vec<(&str, f64)> {
        let before = |name| self.reference_sizes.get(name).copied().unwrap_or(0);
        let grown = self.sizes.iter().map(|(name, size)| {
            (name.as_str(), megabytes(*size) - megabytes(before(name)))
        });
        // What is less than the table shows is of no interest.
        let mut grown: Vec<_> = grown.filter(|(_, more)| more.abs() >= 0.05).collect();
        grown.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        grown
    }
}

/// The megabytes of all rlibs.
fn total(sizes: &Sizes) -> f64 {
    megabytes(sizes.values().sum())
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
        self.median(|cost| total(&cost.sizes) - total(&cost.reference_sizes))
    }

    /// Whether CPU time exceeds what is tolerated.
    pub(super) fn is_slow(&self, limits: &Limits) -> bool {
        self.share() > limits.tolerated_share(self.limit)
    }

    /// The budgets that are exceeded, each as a sentence.
    pub(super) fn exceeded(&self, limits: &Limits) -> Vec<String> {
        let label = self.limit.label();
        let mut exceeded = Vec::new();
        let tolerated = limits.tolerated_share(self.limit);
        if self.is_slow(limits) {
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
        let median = |value: fn(&Cost) -> f64| {
            median(references.iter().map(|cost| value(cost)).collect())
        };
        let mut line = [const { String::new() }; 8];
        line[0] = alone.to_owned();
        line[1] = format!("{:.1}", median(|cost| cost.reference_cpu));
        line[5] = format!("{:.1}", median(|cost| total(&cost.reference_sizes)));
        lines.push(line);
    }
    for row in rows {
        lines.push([
            row.limit.label(),
            format!("{:.1}", row.median(|cost| cost.reference_cpu + cost.added_cpu)),
            format!("{:+.1}", row.added_cpu()),
            percent(row.share()),
            percent(limits.share(row.limit)),
            format!("{:.1}", row.median(|cost| total(&cost.sizes))),
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
    for row in rows {
        let growth = row.costs.last().map(Cost::growth).unwrap_or_default();
        let growth = growth.iter().map(|(name, more)| format!("{name} {more:+.1}"));
        let growth: Vec<_> = growth.collect();
        text.push_str(&format!("\n{}, MB: {}\n", row.limit.label(), growth.join(", ")));
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

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    const FILE: &str = "k8s-openapi-cpu-seconds = 20.0\ncpu-tolerance = 0.5\n\
        [[budget]]\ncrate = \"a\"\nfeatures = \"default\"\ncpu-seconds = 2.0\n\
        megabytes = 10.0\n";

    /// One run of a machine that takes `reference_cpu` seconds for k8s-openapi.
    fn cost(reference_cpu: f64, added_cpu: f64, added_size: u64) -> Cost {
        let sizes = |more: &[(&str, u64)]| {
            more.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect()
        };
        Cost {
            reference_cpu,
            added_cpu,
            reference_sizes: sizes(&[("k8s-openapi", 60_000_000), ("serde", 1_000_000)]),
            sizes: sizes(&[
                ("a", added_size - 200_000),
                ("k8s-openapi", 60_000_000),
                ("serde", 1_200_000),
            ]),
        }
    }

    fn exceeded(costs: Vec<Cost>) -> Vec<String> {
        let limits = Limits::parse(FILE).unwrap();
        let mut row = Row::new(&limits.budgets[0]);
        row.costs = costs;
        row.exceeded(&limits)
    }

    #[test]
    fn a_size_is_exceeded_by_a_byte() {
        assert!(exceeded(vec![cost(20.0, 2.0, 10_000_000)]).is_empty());
        let [size] = &exceeded(vec![cost(20.0, 2.0, 10_000_001)])[..] else {
            panic!("one budget")
        };
        assert_eq!(size, "a adds 10.0 MB of debug rlibs; its budget is 10.0 MB");
    }

    /// 2 s of 20 s are a tenth, on a slower machine too, and half of that more is tolerated.
    #[test]
    fn cpu_time_is_compared_as_a_share() {
        assert!(exceeded(vec![cost(20.0, 2.9, 1_000_000)]).is_empty());
        assert!(exceeded(vec![cost(60.0, 8.9, 1_000_000)]).is_empty());
        assert_eq!(
            exceeded(vec![cost(10.0, 1.6, 1_000_000)]),
            [
                "a adds 16.0 % of k8s-openapi's CPU time; its budget is 10.0 %, and 15.0 % is \
              tolerated"
            ]
        );
    }

    #[test]
    fn one_run_that_was_disturbed_does_not_matter() {
        let run = |added| cost(20.0, added, 1_000_000);
        assert!(exceeded(vec![run(2.0), run(9.0), run(2.1)]).is_empty());
        assert_eq!(exceeded(vec![run(2.0), run(9.0), run(4.1)]).len(), 1);
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), 2.5);
    }

    #[test]
    fn the_table() {
        let limits = Limits::parse(FILE).unwrap();
        let mut row = Row::new(&limits.budgets[0]);
        row.costs = vec![cost(20.0, 1.0, 5_000_000)];
        let expected = "
                       CPU s    added    share   budget  rlib MB    added   budget
k8s-openapi 1 alone     20.0                                61.0
a                       21.0     +1.0    5.0 %   10.0 %     66.0     +5.0     10.0

a, MB: a +4.8, serde +0.2
";
        let table = print("k8s-openapi 1 alone", &[row], &limits);
        assert_eq!(table, expected.trim_start_matches('\n'));
    }

    #[test]
    fn a_file_that_says_something_else_is_an_error() {
        for (from, to) in [
            ("tolerance = 0.5", "tolerance = nan"),
            ("seconds = 20.0", "seconds = 0.0"),
            ("\"default\"", "\"most\""),
            ("megabytes", "mb"),
        ] {
            assert!(FILE.contains(from), "{from}");
            assert!(Limits::parse(&FILE.replace(from, to)).is_err(), "{to}");
        }
    }
}
