//! The checks of `kubernetes-csi-test`, in this process.

use std::path::Path;

use kubernetes_csi::v1::volume_capability::{AccessType, BlockVolume, MountVolume};
use kubernetes_csi_test::{Checks, Report};
use root_tests::as_root;
use tempfile::TempDir;

use super::driver::{capability, services};

/// The checks of a driver that has all that there is.
fn checks(folder: &Path) -> Checks {
    let all = [
        "--maxvolumespernode=4",
        "--enable-attach",
        "--accepted-mutable-parameter-names=iops",
    ];
    Checks::of_services(&services(&folder.join("state"), &all))
        .mutable_parameters([("iops", "100")])
        .secrets([("password", "swordfish-of-the-checks")])
}

fn without_blocks(checks: Checks) -> Checks {
    checks.leave_out("get_metadata", "folders have no blocks")
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

/// What can't be tried on a driver that has all else, or on volumes of a sort.
const LACKS: [&str; 4] = [
    "has CREATE_DELETE_SNAPSHOT",
    "has CLONE_VOLUME",
    "folders have no blocks",
    "volumes are devices",
];

#[tokio::test]
async fn the_controller_part_passes() {
    let folder = TempDir::new().unwrap();
    let report = without_blocks(checks(folder.path())).run().await;
    assert_left_out(&report, &[&LACKS[..], &["`folder` isn't set"]].concat());
    assert!(report.passed().count() > 200, "{report}");
}

#[tokio::test]
async fn a_driver_without_attachments_passes() {
    let folder = TempDir::new().unwrap();
    let services = services(folder.path(), &[]);
    let checks = without_blocks(Checks::of_services(&services));
    checks.run().await.assert();
}

/// Runs all checks as root, whose volumes are set up by the last argument.
fn assert_all(set: impl FnOnce(Checks) -> Checks + Send) {
    as_root(|| {
        let folder = TempDir::new().unwrap();
        // One thread, in whose mount namespace those that it starts are, too.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let paths = folder.path().join("paths");
        let report = runtime.block_on(async {
            let checks = checks(folder.path()).folder(&paths);
            set(checks).run().await
        });
        assert_left_out(&report, &LACKS);
        let left = std::fs::read_dir(paths).unwrap().count();
        assert_eq!(left, 0);
    });
}

#[test]
fn folders_pass_as_root() {
    assert_all(without_blocks);
}

/// XFS, as ext4 that is mounted grows only with the capability `CAP_SYS_RESOURCE`.
#[test]
fn images_pass_as_root() {
    assert_all(|checks| {
        let xfs = AccessType::Mount(MountVolume {
            fs_type: "xfs".to_owned(),
            ..MountVolume::default()
        });
        let checks = checks.capability(capability(xfs));
        let checks = checks.parameters([("backing", "image")]);
        checks.volume_size(300 << 20).expanded_size(400 << 20)
    });
}

#[test]
fn devices_pass_as_root() {
    assert_all(|checks| {
        let checks = checks.capability(capability(AccessType::Block(BlockVolume {})));
        checks.volume_size(8 << 20).expanded_size(16 << 20)
    });
}
