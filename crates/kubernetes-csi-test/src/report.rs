//! The results of checks.

use std::fmt;
use std::time::Duration;

/// The results of all checks, in the order in which they ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "`assert` fails the test if a check failed"]
pub struct Report {
    /// The checks.
    pub checks: Vec<CheckReport>,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckReport {
    /// The name: the call and what is checked, as in `create_volume/same_name_other_size`.
    pub name: String,
    /// The outcome.
    pub outcome: Outcome,
    /// The time that the check took.
    pub time: Duration,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The driver does what the specification says.
    Passed,
    /// The driver doesn't. The text has the request, what was expected, and the answer.
    Failed(String),
    /// The check didn't run, for the reason in the text.
    LeftOut(String),
}

impl Report {
    /// Returns the checks that passed.
    pub fn passed(&self) -> impl Iterator<Item = &CheckReport> {
        self.of(|outcome| matches!(outcome, Outcome::Passed))
    }

    /// Returns the checks that failed.
    pub fn failed(&self) -> impl Iterator<Item = &CheckReport> {
        self.of(|outcome| matches!(outcome, Outcome::Failed(_)))
    }

    /// Returns the checks that didn't run.
    pub fn left_out(&self) -> impl Iterator<Item = &CheckReport> {
        self.of(|outcome| matches!(outcome, Outcome::LeftOut(_)))
    }

    fn of(&self, is_it: fn(&Outcome) -> bool) -> impl Iterator<Item = &CheckReport> {
        self.checks
            .iter()
            .filter(move |check| is_it(&check.outcome))
    }

    /// Fails the test unless checks ran and all of them passed.
    ///
    /// # Panics
    ///
    /// With the table of all checks, when one failed, or when none ran.
    #[allow(clippy::panic, reason = "a test fails by a panic")]
    #[track_caller]
    pub fn assert(&self) {
        if self.failed().next().is_some() || self.passed().next().is_none() {
            panic!("the driver doesn't pass the checks\n{self}");
        }
    }
}

/// A line for each check, those that failed at the end, and the numbers of all.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for check in self.passed() {
            writeln!(
                f,
                "passed    {} ({} ms)",
                check.name,
                check.time.as_millis()
            )?;
        }
        for check in self.left_out().chain(self.failed()) {
            match &check.outcome {
                Outcome::LeftOut(reason) => writeln!(f, "left out  {}: {reason}", check.name)?,
                Outcome::Failed(message) => writeln!(f, "FAILED    {}: {message}", check.name)?,
                Outcome::Passed => {}
            }
        }
        let (passed, failed) = (self.passed().count(), self.failed().count());
        let left_out = self.left_out().count();
        write!(f, "{passed} passed, {failed} failed, {left_out} left out")
    }
}
