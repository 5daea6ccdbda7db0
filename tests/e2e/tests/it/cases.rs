//! Numbers of cases, and reports of their differences, for tests that compare many cases.

use std::env;

/// The number of differences that are shown.
const SHOWN: usize = 40;

/// The number that an environment variable has; `otherwise` if it isn't set.
pub(crate) fn number(variable: &str, otherwise: u64) -> u64 {
    let given = env::var(variable).ok();
    given.map_or(otherwise, |text| text.parse().expect("a number"))
}

/// The differences that were found.
#[derive(Default)]
pub(crate) struct Differences(Vec<String>);

impl Differences {
    pub(crate) fn add(&mut self, difference: String) {
        self.0.push(difference);
    }

    /// Fails if anything differed, and shows the first of it.
    pub(crate) fn assert_none(&self) {
        let shown: Vec<_> = self.0.iter().take(SHOWN).cloned().collect();
        let count = self.0.len();
        assert!(
            count == 0,
            "{count} differences\n{}",
            shown.join("\n=====\n")
        );
    }
}
