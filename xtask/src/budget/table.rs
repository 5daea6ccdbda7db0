//! The measured figures beside the budgets, as a table.

use super::cargo::Sizes;
use super::limits::{Limit, Limits};
use super::work::{Basis, Work};

/// The cost of one build of a program, beside its base alone in the same run.
pub(super) struct Cost {
    /// The work of the base alone.
    pub(super) reference: Work,
    /// The work beyond that.
    pub(super) added: Work,
    /// The rlibs of the base alone.
    pub(super) reference_sizes: Sizes,
    /// The rlibs of the program.
    pub(super) sizes: Sizes,
}

impl Cost {
    /// Returns the growth of each package's rlibs in megabytes, largest first.
    fn growth(&self) -> Vec<(&str, f64)> {
        let before = |name| self.reference_sizes.get(name).copied().unwrap_or(0);
        let grown = self
            .sizes
            .iter()
            .map(|(name, size)| (name.as_str(), megabytes(*size) - megabytes(before(name))));
        // Differences below the precision of the table don't matter.
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

    /// Returns the added work as a share of that of the base alone, in each run.
    fn shares(&self) -> Vec<f64> {
        let basis = self.basis();
        let costs = self.costs.iter();
        costs
            .map(|cost| cost.added.share_of(cost.reference, basis))
            .collect()
    }

    /// Returns the share that is compared with the budget. Other programs only add to CPU time, to
    /// that of the base too, and not always to both of a run: the least of each is compared.
    fn share(&self) -> f64 {
        if self.basis() == Basis::Instructions {
            return median(self.shares());
        }
        let least = |value: fn(&Cost) -> f64| self.costs.iter().map(value).reduce(f64::min);
        let added = least(|cost| cost.added.cpu);
        let reference = least(|cost| cost.reference.cpu);
        added
            .zip(reference)
            .map_or(f64::NAN, |(own, all)| own / all)
    }

    /// Returns the measure by which shares are compared: CPU time if a run has no instructions.
    pub(super) fn basis(&self) -> Basis {
        let mut bases = self
            .costs
            .iter()
            .map(|cost| cost.added.basis(cost.reference));
        match bases.any(|basis| basis == Basis::Time) {
            true => Basis::Time,
            false => Basis::Instructions,
        }
    }

    /// Returns the reason if the work can't be compared: the runs differ by more than the budget,
    /// and would not exceed what is tolerated if each was disturbed by as much as they differ.
    pub(super) fn unclear(&self, limits: &Limits) -> Option<String> {
        let shares = self.shares();
        let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
        let most = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let limit = self.limit.share();
        let differ = most - least;
        let is_near = least - differ <= limits.tolerated_share(self.limit, self.basis());
        let is_unclear = self.basis() == Basis::Time && differ > limit && is_near;
        (is_unclear && self.is_slow(limits)).then(|| {
            format!(
                "{} adds {} to {} of {}'s CPU time, so whether it exceeds its budget of {} can't \
                 be measured; measure on an idle machine or one that counts instructions",
                self.limit.label(),
                percent(least),
                percent(most),
                self.limit.base,
                percent(limit),
            )
        })
    }

    fn added_megabytes(&self) -> f64 {
        self.median(|cost| total(&cost.sizes) - total(&cost.reference_sizes))
    }

    /// Returns true if the work exceeds the tolerance.
    pub(super) fn is_slow(&self, limits: &Limits) -> bool {
        self.share() > limits.tolerated_share(self.limit, self.basis())
    }

    /// The budgets that are exceeded, each as a sentence.
    pub(super) fn exceeded(&self, limits: &Limits) -> Vec<String> {
        let label = self.limit.label();
        let mut exceeded = Vec::new();
        if self.is_slow(limits) && self.unclear(limits).is_none() {
            let (basis, limit) = (self.basis(), self.limit.share());
            let tolerated = limits.tolerated_share(self.limit, basis);
            let mut text = format!(
                "{label} adds {} of the {} of {}'s build; its budget is {}",
                percent(self.share()),
                basis.label(),
                self.limit.base,
                percent(limit),
            );
            if tolerated > limit {
                text.push_str(&format!(", and {} is tolerated", percent(tolerated)));
            }
            exceeded.push(text);
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

/// Prints the table; `alone` names the base.
pub(super) fn print(alone: &str, rows: &[Row<'_>]) -> String {
    let head = [
        "", "CPU s", "added", "share", "budget", "rlib MB", "added", "budget",
    ];
    let mut lines = vec![head.map(str::to_owned)];
    let mut references = rows.iter().flat_map(|row| &row.costs).peekable();
    if references.peek().is_some() {
        let references: Vec<_> = references.collect();
        let median =
            |value: fn(&Cost) -> f64| median(references.iter().map(|cost| value(cost)).collect());
        let mut line = [const { String::new() }; 8];
        line[0] = alone.to_owned();
        line[1] = format!("{:.1}", median(|cost| cost.reference.cpu));
        line[5] = format!("{:.1}", median(|cost| total(&cost.reference_sizes)));
        lines.push(line);
    }
    for row in rows {
        lines.push([
            row.limit.label(),
            format!(
                "{:.1}",
                row.median(|cost| cost.reference.cpu + cost.added.cpu)
            ),
            format!("{:+.1}", row.median(|cost| cost.added.cpu)),
            percent(row.share()),
            percent(row.limit.share()),
            format!("{:.1}", row.median(|cost| total(&cost.sizes))),
            format!("{:+.1}", row.added_megabytes()),
            format!("{:.1}", row.limit.megabytes),
        ]);
    }
    let width = lines
        .iter()
        .map(|line| line[0].chars().count())
        .max()
        .unwrap_or(0);
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
        let growth = growth
            .iter()
            .map(|(name, more)| format!("{name} {more:+.1}"));
        let growth: Vec<_> = growth.collect();
        text.push_str(&format!(
            "\n{}, MB: {}\n",
            row.limit.label(),
            growth.join(", ")
        ));
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

    const FILE: &str = "cpu-tolerance = 0.5\n\
        [[budget]]\ncrate = \"a\"\nfeatures = \"default\"\npercent = 10.0\n\
        megabytes = 10.0\n";

    /// One run of a machine that takes `reference_cpu` seconds for k8s-openapi.
    fn cost(reference_cpu: f64, added_cpu: f64, added_size: u64) -> Cost {
        let sizes = |more: &[(&str, u64)]| {
            more.iter()
                .map(|(name, size)| ((*name).to_owned(), *size))
                .collect()
        };
        Cost {
            reference: Work::of_time(reference_cpu),
            added: Work::of_time(added_cpu),
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
                "a adds 16.0 % of the CPU time of k8s-openapi's build; its budget is 10.0 %, and \
                 15.0 % is tolerated"
            ]
        );
    }

    /// A budget of instructions has no tolerance, whatever the time was.
    #[test]
    fn instructions_are_compared_where_they_are_counted() {
        let counted = |added: f64| {
            let mut cost = cost(20.0, 19.0, 1_000_000);
            cost.reference.instructions = Some(1e9);
            cost.added.instructions = Some(added);
            cost
        };
        assert!(exceeded(vec![counted(1e8)]).is_empty());
        assert_eq!(
            exceeded(vec![counted(1.01e8)]),
            ["a adds 10.1 % of the instructions of k8s-openapi's build; its budget is 10.0 %"]
        );
        // If one run has none, CPU time is compared in all.
        let runs = vec![counted(1e8), counted(1e8), cost(20.0, 18.5, 1_000_000)];
        assert_eq!(exceeded(runs).len(), 1);
    }

    #[test]
    fn one_run_that_was_disturbed_does_not_matter() {
        let run = |added| cost(20.0, added, 1_000_000);
        assert!(exceeded(vec![run(2.0), run(9.0), run(2.1)]).is_empty());
        assert!(exceeded(vec![run(4.2), run(9.0), run(2.9)]).is_empty());
        assert_eq!(exceeded(vec![run(3.2), run(5.0), run(4.1)]).len(), 1);
        // A slow k8s-openapi hides nothing, and a slow crate beside a fast one accuses of nothing.
        let slow = |added| cost(40.0, added, 1_000_000);
        assert_eq!(exceeded(vec![slow(3.2), run(3.4)]).len(), 1);
        assert!(exceeded(vec![slow(2.9), run(3.4)]).is_empty());
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), 2.5);
    }

    #[test]
    fn runs_that_differ_by_more_than_the_budget_say_nothing() {
        let limits = Limits::parse(FILE).unwrap();
        let mut row = Row::new(&limits.budgets[0]);
        row.costs = [3.2, 9.0, 4.1]
            .map(|added| cost(20.0, added, 1_000_000))
            .into();
        assert!(row.is_slow(&limits) && row.exceeded(&limits).is_empty());
        let text = row.unclear(&limits).unwrap();
        assert!(text.starts_with("a adds 16.0 % to 45.0 % of"), "{text}");
        // Far above the budget it doesn't matter by how much they differ.
        row.costs = [30.0, 34.0, 31.0]
            .map(|added| cost(20.0, added, 1_000_000))
            .into();
        assert_eq!(
            (row.unclear(&limits), row.exceeded(&limits).len()),
            (None, 1)
        );
        // Nothing is said if they are clear.
        row.costs.truncate(1);
        assert_eq!(row.unclear(&limits), None);
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
        let table = print("k8s-openapi 1 alone", &[row]);
        assert_eq!(table, expected.trim_start_matches('\n'));
    }

    #[test]
    fn a_file_that_says_something_else_is_an_error() {
        for (from, to) in [
            ("tolerance = 0.5", "tolerance = nan"),
            ("percent = 10.0", "percent = 0.0"),
            ("percent = 10.0", "percent = nan"),
            ("\"default\"", "\"most\""),
            ("megabytes", "mb"),
        ] {
            assert!(FILE.contains(from), "{from}");
            assert!(Limits::parse(&FILE.replace(from, to)).is_err(), "{to}");
        }
    }
}
