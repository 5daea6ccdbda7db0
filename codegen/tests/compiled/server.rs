//! Runs what the golden `server` says of a server's defaults and rules.

use golden_server::{Hand, Mill, MillSpec, Power};
use kubernetes_kinds::Release;
use kubernetes_validation::{Admission, FaultKind, Report, Target};

fn mill() -> Mill {
    let spec = MillSpec::new("rye", "Ada", Power::default())
        .with_crew([Hand::new("Bob").with_years(3)])
        .with_notes([("built", "1799")]);
    Mill::new("m", spec)
}

/// The kinds of faults and the paths that a server reports.
fn told(report: &Report) -> Vec<(FaultKind, &str)> {
    report.faults.iter().map(|fault| (fault.kind, fault.field.as_str())).collect()
}

#[test]
fn defaults_and_rules_are_those_of_the_overlay() {
    let mut mill = mill();
    let report = mill.admit(&Target::LATEST);
    assert_eq!(told(&report), []);
    assert_eq!(mill.spec.power.brook.as_deref(), Some("rhine"));
    assert_eq!((mill.spec.bags, mill.spec.quiet), (Some(12), Some(true)));
    assert_eq!(mill.spec.stones.as_deref(), Some(&["Basalt".to_owned()][..]));

    let mut other = mill.clone();
    other.spec.miller = "eve".to_owned();
    other.spec.power.hill = Some("Brocken".to_owned());
    other.spec.crew.as_mut().unwrap()[0].years = Some(-1);
    let report = other.validate_update(&mill, &Target::new(Release::new(1, 36)));
    assert_eq!(
        told(&report),
        [
            (FaultKind::Invalid, "spec.owner"),
            (FaultKind::Forbidden, "spec.power"),
            (FaultKind::Invalid, "spec.crew[0].years"),
            (FaultKind::Forbidden, "spec.owner"),
            (FaultKind::Invalid, "spec.crew"),
        ]
    );
    assert_eq!(report.faults[4].path.to_string(), "spec.crew[0].years");
}
