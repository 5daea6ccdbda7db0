//! Choices of authors, and reports.

use std::collections::BTreeSet;
use std::time::Duration;

use kubernetes_csi_driver::{Access, Endpoint};
use kubernetes_csi_test::{Checks, Outcome};
use tokio::sync::oneshot;

use crate::memory;

/// Returns the names of all checks.
pub(crate) async fn names() -> Vec<String> {
    let checks = Checks::of_services(&memory::services()).leave_out("", "only their names");
    let report = checks.run().await;
    report.checks.into_iter().map(|check| check.name).collect()
}

#[tokio::test]
async fn names_are_different() {
    let names = names().await;
    let different: BTreeSet<_> = names.iter().collect();
    let again: Vec<_> = different
        .iter()
        .filter(|one| names.iter().filter(|name| *name == **one).count() > 1)
        .collect();
    assert!(again.is_empty(), "{again:?}");
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_/".contains(c);
    assert!(
        names.iter().all(|name| name.chars().all(is_name)),
        "{names:#?}"
    );
}

#[tokio::test]
async fn an_author_chooses_checks() {
    let checks = Checks::of_services(&memory::services())
        .only("create_volume/*_size")
        .only("probe")
        .leave_out("*/negative_", "it counts backwards");
    let report = checks.run().await;
    println!("{report}");
    report.assert();
    let outcome = |name: &str| {
        let check = report.checks.iter().find(|check| check.name == name);
        check.map(|check| check.outcome.clone())
    };
    assert_eq!(
        outcome("create_volume/same_name_other_size"),
        Some(Outcome::Passed)
    );
    assert_eq!(outcome("probe/answers"), Some(Outcome::Passed));
    assert_eq!(outcome("create_volume/without_name"), None);
    let left_out = Outcome::LeftOut("it counts backwards".to_owned());
    assert_eq!(
        outcome("create_volume/negative_required_size"),
        Some(left_out)
    );
    let text = report.to_string();
    let line = "left out  create_volume/negative_required_size: it counts backwards\n";
    assert!(text.contains(line), "{text}");
}

#[tokio::test]
#[should_panic(expected = "FAILED    probe/answers: ProbeRequest is answered by UNAVAILABLE")]
async fn nobody_passes() {
    let checks = Checks::at("unix:///csi-test/nobody.sock").unwrap();
    checks
        .timeout(Duration::from_millis(50))
        .run()
        .await
        .assert();
}

#[tokio::test]
#[should_panic(expected = "0 failed")]
async fn no_checks_are_no_success() {
    let checks = Checks::of_services(&memory::services());
    checks.leave_out("", "none").run().await.checks.clear();
    kubernetes_csi_test::Report::default().assert();
}

/// A failure has the request, what was expected, and the answer.
#[tokio::test]
async fn failures_say_all() {
    // The size is the largest that the driver has, so that none can be twice as large.
    let checks = Checks::of_services(&memory::services()).volume_size(1 << 40);
    let report = checks.only("controller_expand_volume/grown").run().await;
    let Some(Outcome::Failed(message)) = report.failed().next().map(|check| &check.outcome) else {
        panic!("{report}");
    };
    let parts = [
        "ControllerExpandVolumeRequest { volume_id: \"id-0001\"",
        "is answered by OUT_OF_RANGE, \"at most 1 TiB\"",
        "expected is OK",
    ];
    assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    assert!(!message.contains("secret-"), "{message}");
}

/// A driver at sockets of its own, of which one starts late.
#[tokio::test]
async fn a_driver_at_sockets_passes() {
    let folder = tempfile::tempdir().unwrap();
    let services = memory::services();
    let (stop, stopped) = oneshot::channel::<()>();
    let path = folder.path().join("csi.sock");
    let endpoint = Endpoint::Unix(path.clone());
    let served = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let stopped = async { drop(stopped.await) };
        services
            .serve_with(&endpoint, Access::default(), stopped)
            .await
    });
    let checks = Checks::at(&format!("unix://{}", path.display())).unwrap();
    let report = checks.only("create_volume").run().await;
    report.assert();
    drop(stop);
    served.await.unwrap().unwrap();
}
