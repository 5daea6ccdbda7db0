//! Runs what the golden `server` says of a server's defaults and rules.

use golden_server::{Hand, Mill, MillSpec, Power};
use kubernetes_kinds::Release;
use kubernetes_validation::{ErrorType, Report, Target, Validate};

fn mill() -> Mill {
    let spec = MillSpec::new("rye", "Ada", Power::default())
        .with_crew([Hand::new("Bob").with_years(3)])
        .with_notes([("built", "1799")]);
    Mill::new("m", spec)
}

/// The types of errors and the paths that a server reports.
fn told(report: &Report) -> Vec<(ErrorType, &str)> {
    report
        .errors
        .iter()
        .map(|error| (error.error_type, error.field.as_str()))
        .collect()
}

#[test]
fn defaults_and_rules_are_those_of_the_overlay() {
    let mut mill = mill();
    let report = mill.default_and_validate(&Target::new(golden_server::KUBERNETES));
    assert_eq!(told(&report), []);
    assert_eq!(mill.spec.power.brook.as_deref(), Some("rhine"));
    assert_eq!((mill.spec.bags, mill.spec.quiet), (Some(12), Some(true)));
    assert_eq!(
        mill.spec.stones.as_deref(),
        Some(&["Basalt".to_owned()][..])
    );

    let mut other = mill.clone();
    other.spec.miller = "eve".to_owned();
    other.spec.power.hill = Some("Brocken".to_owned());
    other.spec.crew.as_mut().unwrap()[0].years = Some(-1);
    let report = other.validate_update(&mill, &Target::new(Release::new(1, 36)));
    assert_eq!(
        told(&report),
        [
            (ErrorType::Invalid, "spec.owner"),
            (ErrorType::Forbidden, "spec.power"),
            (ErrorType::Invalid, "spec.crew[0].years"),
            (ErrorType::Forbidden, "spec.owner"),
            (ErrorType::Invalid, "spec.crew"),
        ]
    );
    assert_eq!(report.errors[4].path.to_string(), "spec.crew[0].years");
}
