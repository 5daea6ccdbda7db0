//! The checks of `kubernetes-csi-test`, in this process.

use std::path::Path;

use csi_hostpath::{HostPath, Options};
use kubernetes_csi_test::{Checks, Report};
use root_tests::as_root;
use tempfile::TempDir;

fn options(folder: &Path) -> Options {
    Options {
        endpoint: "unix:///unused".parse().unwrap(),
        controller_endpoint: None,
        driver_name: "hostpath.csi.k8s.io".to_owned(),
        node_id: "node-1".to_owned(),
        state_dir: folder.join("state"),
        max_volumes_per_node: Some(4),
        max_volume_size: 1 << 40,
        capacity: None,
        enable_attach: true,
        accepted_mutable_parameter_names: vec!["iops".to_owned()],
        kubelet_registration: None,
        kubelet_endpoint: None,
    }
}

fn checks(options: &Options) -> Checks {
    let services = HostPath::open(options)
        .unwrap()
        .services(&options.driver_name);
    Checks::of_services(&services.unwrap())
        .mutable_parameters([("iops", "100")])
        .secrets([("password", "swordfish-of-the-checks")])
}

/// Fails unless all checks passed, but those that were left out for some reasons.
#[track_caller]
fn assert_left_out(report: &Report, reasons: &[&str]) {
    println!("{report}");
    report.assert();
    let mut left_out: Vec<_> = report
        .left_out()
        .map(|check| format!("{:?}", check.outcome))
        .filter(|outcome| !reasons.iter().any(|reason| outcome.contains(reason)))
        .collect();
    left_out.dedup();
    assert!(left_out.is_empty(), "{left_out:#?}");
}

/// What the driver doesn't have, or what can't be tried on a driver that has all else.
const LACKS: [&str; 3] = [
    "lacks SNAPSHOT_METADATA_SERVICE",
    "has CREATE_DELETE_SNAPSHOT",
    "has CLONE_VOLUME",
];

#[tokio::test]
async fn the_controller_part_passes() {
    let folder = TempDir::new().unwrap();
    let report = checks(&options(folder.path())).run().await;
    assert_left_out(&report, &[&LACKS[..], &["`folder` isn't set"]].concat());
    assert!(report.passed().count() > 200, "{report}");
}

#[tokio::test]
async fn a_driver_without_attachments_passes() {
    let folder = TempDir::new().unwrap();
    let options = Options {
        enable_attach: false,
        accepted_mutable_parameter_names: Vec::new(),
        ..options(folder.path())
    };
    checks(&options).run().await.assert();
}

#[test]
fn all_of_the_driver_passes_as_root() {
    as_root(|| {
        let folder = TempDir::new().unwrap();
        let options = options(folder.path());
        // One thread, in whose mount namespace those that it starts are, too.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let paths = folder.path().join("paths");
        let report = runtime.block_on(async { checks(&options).folder(&paths).run().await });
        assert_left_out(&report, &LACKS);
        let left = std::fs::read_dir(paths).unwrap().count();
        assert_eq!(left, 0);
    });
}
