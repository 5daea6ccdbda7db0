//! csi-sanity, the checks of the specification's authors, on the driver and on the kit's example.

mod sanity;

use std::fs;
use std::path::Path;
use std::process::Command;

use kubernetes_csi_test::Checks;
use root_tests::{as_root, loop_files};
use sanity::{Driver, Report, by_contents, check, check_by};
use tempfile::TempDir;

use super::folders;

/// The check that no driver passes whose snapshots have a topology: it compares what csi-sanity
/// read with what it sent, including how many bytes Go has counted for it, `sizeCache`.
const CACHED: &str = "should succeed when creating a snapshot with accessibility requirements";

/// Secrets, one for each call that has them, of which none may be in the log.
const SECRETS: [&str; 11] = [
    "CreateVolumeSecret",
    "DeleteVolumeSecret",
    "ControllerPublishVolumeSecret",
    "ControllerUnpublishVolumeSecret",
    "ControllerValidateVolumeCapabilitiesSecret",
    "NodeStageVolumeSecret",
    "NodePublishVolumeSecret",
    "CreateSnapshotSecret",
    "DeleteSnapshotSecret",
    "ControllerExpandVolumeSecret",
    "ListSnapshotsSecret",
];

/// Sizes of 16 and 32 MiB, so that file systems are made in no time.
const SMALL: [&str; 2] = [
    "-csi.testvolumesize=16777216",
    "-csi.testvolumeexpandsize=33554432",
];

fn secrets(folder: &Path) -> String {
    let lines = SECRETS.map(|call| format!("{call}: {{password: swordfish-{call}}}\n"));
    let path = folder.join("secrets.yaml");
    fs::write(&path, lines.concat()).unwrap();
    path.display().to_string()
}

/// Returns the driver with all of its parts.
fn hostpath(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_csi-hostpath"));
    command
        .args([
            "--nodeid",
            "node-1",
            "--enable-attach",
            "--maxvolumespernode",
            "4",
        ])
        .args(["--accepted-mutable-parameter-names", "iops"])
        .arg("--statedir")
        .arg(folder.join("state"))
        .env("RUST_LOG", "trace");
    command
}

fn options(folder: &Path) -> Vec<String> {
    let parameters = folder.join("parameters.yaml");
    fs::write(&parameters, "iops: \"100\"\n").unwrap();
    vec![
        "-csi.testnodevolumeattachlimit".to_owned(),
        format!("-csi.testvolumemutableparameters={}", parameters.display()),
        format!("-csi.secrets={}", secrets(folder)),
    ]
}

/// All checks but the one pass, and nothing is left: no volume, no mount and no secret in the log.
fn assert_all(report: &Report, driver: &Driver) {
    let failed: Vec<_> = report.failed.iter().map(|check| &*check.name).collect();
    assert!(
        failed.iter().all(|name| name.ends_with(CACHED)) && failed.len() == 1,
        "{failed:#?}"
    );
    assert!(
        report.failed[0].message.contains("sizeCache"),
        "{}",
        report.failed[0].message
    );
    assert!(report.skipped.is_empty(), "{:#?}", report.skipped);
    assert_eq!((report.passed, report.pending), (101, 1));
    let log = driver.log();
    assert!(log.contains("CreateVolume") && !log.contains("swordfish"));
    for folder in ["volumes", "snapshots", "groups", "data"] {
        let left: Vec<_> = fs::read_dir(driver.folder().join("state").join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
    let folder = driver.folder().display().to_string();
    let mounts = fs::read_to_string("/proc/thread-self/mountinfo").unwrap();
    assert!(!mounts.contains(&folder), "{mounts}");
    assert_eq!(loop_files(driver.folder()), []);
}

#[test]
#[ignore = "needs Go and root: see docs/testing.md"]
fn all_checks_pass() {
    as_root(|| {
        let folder = TempDir::new().unwrap();
        let driver = Driver::start(hostpath(folder.path()), folder.path(), "csi.sock");
        let report = check(&driver, None, &options(folder.path()));
        println!("csi-sanity: {}", report.summary());
        assert_all(&report, &driver);
    });
}

/// The check that fails above passes if it compares what the topologies say.
#[test]
#[ignore = "needs Go and root: see docs/testing.md"]
fn the_topology_of_a_snapshot_is_right() {
    as_root(|| {
        let folder = TempDir::new().unwrap();
        let driver = Driver::start(hostpath(folder.path()), folder.path(), "csi.sock");
        let mut options = options(folder.path());
        options.push(format!("-ginkgo.focus={CACHED}"));
        let report = check_by(&by_contents(), &driver, None, &options);
        println!("csi-sanity, topology: {}", report.summary());
        assert_eq!((report.passed, report.failed.len()), (1, 0), "{report:#?}");
    });
}

/// Loop devices with a file system of their own.
#[test]
#[ignore = "needs Go and root: see docs/testing.md"]
fn all_checks_pass_with_images() {
    as_root(|| {
        let folder = TempDir::new().unwrap();
        let driver = Driver::start(hostpath(folder.path()), folder.path(), "csi.sock");
        let parameters = folder.path().join("class.yaml");
        fs::write(&parameters, "backing: image\n").unwrap();
        let mut options = options(folder.path());
        options.extend(SMALL.map(str::to_owned));
        options.push(format!(
            "-csi.testvolumeparameters={}",
            parameters.display()
        ));
        let report = check(&driver, None, &options);
        println!("csi-sanity, images: {}", report.summary());
        assert_all(&report, &driver);
    });
}

/// Loop devices that Pods use as devices.
#[test]
#[ignore = "needs Go and root: see docs/testing.md"]
fn all_checks_pass_with_devices() {
    as_root(|| {
        let folder = TempDir::new().unwrap();
        let driver = Driver::start(hostpath(folder.path()), folder.path(), "csi.sock");
        let mut options = options(folder.path());
        options.extend(SMALL.map(str::to_owned));
        options.push("-csi.testvolumeaccesstype=block".to_owned());
        let report = check(&driver, None, &options);
        println!("csi-sanity, devices: {}", report.summary());
        assert_all(&report, &driver);
    });
}

/// The controller part has a socket of its own.
#[test]
#[ignore = "needs Go and root: see docs/testing.md"]
fn all_checks_pass_at_two_sockets() {
    as_root(|| {
        let folder = TempDir::new().unwrap();
        let mut command = hostpath(folder.path());
        let controller = folder.path().join("controller.sock");
        command.arg(format!(
            "--controller-endpoint=unix://{}",
            controller.display()
        ));
        let driver = Driver::start(command, folder.path(), "csi.sock");
        let report = check(&driver, Some(&controller), &options(folder.path()));
        println!("csi-sanity: {}", report.summary());
        assert_all(&report, &driver);
    });
}

#[test]
#[ignore = "needs Go and root: see docs/testing.md"]
fn a_driver_without_attachments_passes() {
    as_root(|| {
        let folder = TempDir::new().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_csi-hostpath"));
        command
            .args(["--nodeid", "node-1", "--statedir"])
            .arg(folder.path().join("state"));
        let driver = Driver::start(command, folder.path(), "csi.sock");
        let report = check(&driver, None, &[]);
        println!("csi-sanity: {}", report.summary());
        let failed: Vec<_> = report.failed.iter().map(|check| &*check.name).collect();
        assert!(
            failed.iter().all(|name| name.ends_with(CACHED)),
            "{failed:#?}"
        );
        assert_eq!(report.passed, 83, "{}", report.summary());
    });
}

/// Runs the checks of `kubernetes-csi-test` on a driver without a record of what is published.
fn assert_our_checks_pass(folder: &Path, socket: &str) {
    let endpoint = format!("unix://{}", folder.join(socket).display());
    // One thread, in whose mount namespace those that it starts are, too.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let report = runtime.unwrap().block_on(async {
        let checks = Checks::at(&endpoint).unwrap();
        checks.folder(folder.join("paths")).run().await
    });
    println!("{report}");
    report.assert();
    assert!(report.passed().count() > 80, "{report}");
}

/// The example of the kit.
#[test]
#[ignore = "needs Go and root: see docs/testing.md"]
fn the_example_of_the_kit_passes() {
    as_root(|| {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("root");
        fs::create_dir(&root).unwrap();
        let mut command = Command::new(folders::program());
        command.arg(root).arg("node-1");
        let driver = Driver::start(command, folder.path(), "csi.sock");
        assert_our_checks_pass(folder.path(), "csi.sock");
        let report = check(&driver, None, &[]);
        println!("csi-sanity: {}", report.summary());
        assert!(report.failed.is_empty(), "{:#?}", report.failed);
        assert!(report.passed >= 28, "{}", report.summary());
    });
}
