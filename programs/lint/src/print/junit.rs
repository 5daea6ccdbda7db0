//! JUnit's XML: a test case for each file, which fails if the file has errors.

use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{Checked, Line, counted};
use crate::finding::{Finding, Severity};

/// What the report and the only suite in it are called.
const NAME: &str = "kubernetes-storage-lint";

pub(super) fn print(out: &mut impl Write, files: &[Checked]) -> io::Result<()> {
    let mut suite = TestSuite::new(NAME);
    suite.add_test_cases(files.iter().map(case));
    let mut report = Report::new(NAME);
    report.add_test_suite(suite);
    report.serialize(out).map_err(io::Error::other)
}

fn case(checked: &Checked) -> TestCase {
    let lines = |is: fn(&Finding) -> bool| {
        let findings = checked
            .outcome
            .findings
            .iter()
            .filter(|finding| is(finding));
        // Without the codes of colours.
        let lines = findings
            .map(|finding| anstream::adapter::strip_str(&Line(finding).to_string()).to_string());
        lines.collect::<Vec<_>>()
    };
    let errors = lines(|finding| finding.note.severity == Severity::Error);
    let others = lines(|finding| finding.note.severity != Severity::Error);
    let status = if checked.outcome.is_template {
        let mut status = TestCaseStatus::skipped();
        status.set_message("template, not read");
        status
    } else if errors.is_empty() {
        TestCaseStatus::success()
    } else {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_message(counted(errors.len(), "error"));
        status.set_description(errors.join("\n"));
        status
    };
    let mut case = TestCase::new(checked.file.as_str(), status);
    case.set_classname(NAME);
    if !others.is_empty() {
        case.set_system_out(others.join("\n"));
    }
    case
}
