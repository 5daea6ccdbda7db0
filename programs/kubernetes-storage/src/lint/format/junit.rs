//! JUnit XML: a test case for each file, which fails if the file has errors.

use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::text::Line;
use crate::lint::finding::{Finding, Severity};
use crate::lint::report::FileReport;
use crate::text::counted;

/// The name of the report and of its only suite.
const NAME: &str = env!("CARGO_PKG_NAME");

pub(super) fn print(out: &mut impl Write, files: &[FileReport]) -> io::Result<()> {
    let mut suite = TestSuite::new(NAME);
    suite.add_test_cases(files.iter().map(case));
    let mut report = Report::new(NAME);
    report.add_test_suite(suite);
    let text = report.to_string().map_err(io::Error::other)?;
    out.write_all(without_skipped(&text).as_bytes())
}

/// Removes an attribute of the root that Jenkins' schema doesn't have.
fn without_skipped(report: &str) -> String {
    let parts = report.split_once(" skipped=\"");
    match parts.and_then(|(before, after)| Some((before, after.split_once('"')?.1))) {
        Some((before, after)) => format!("{before}{after}"),
        None => report.to_owned(),
    }
}

fn case(file: &FileReport) -> TestCase {
    let lines = |is: fn(&Finding) -> bool| {
        let findings = file.findings.iter().filter(|finding| is(finding));
        // Without escape sequences for colors.
        let lines = findings
            .map(|finding| anstream::adapter::strip_str(&Line(finding).to_string()).to_string());
        lines.collect::<Vec<_>>()
    };
    let errors = lines(|finding| finding.message.severity == Severity::Error);
    let others = lines(|finding| finding.message.severity != Severity::Error);
    let status = match (file.note, errors.as_slice()) {
        (Some(note), []) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(note.text());
            status
        }
        (None, []) => TestCaseStatus::success(),
        (_, errors) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(counted(errors.len(), "error"));
            status.set_description(errors.join("\n"));
            status
        }
    };
    let mut case = TestCase::new(file.file.as_str(), status);
    case.set_classname(NAME);
    if !others.is_empty() {
        case.set_system_out(others.join("\n"));
    }
    case
}
