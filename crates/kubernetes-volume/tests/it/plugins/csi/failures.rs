//! Drivers that fail.

use kubernetes_volume::mount::Mount;

use super::*;

const DIR: &str = "pods/7d4c1a52/volumes/kubernetes.io~csi/disk";

/// The codes after which a driver may go on.
#[test]
fn some_errors_leave_the_outcome_open() {
    use Code::*;
    let all = [
        Cancelled,
        Unknown,
        InvalidArgument,
        DeadlineExceeded,
        NotFound,
        AlreadyExists,
        PermissionDenied,
        ResourceExhausted,
        FailedPrecondition,
        Aborted,
        OutOfRange,
        Unimplemented,
        Internal,
        Unavailable,
        DataLoss,
        Unauthenticated,
    ];
    let open = [
        Cancelled,
        DeadlineExceeded,
        ResourceExhausted,
        Aborted,
        Unavailable,
    ];
    let errors = all.map(|code| (CsiError::new(code, "why"), !open.contains(&code)));
    let not_sent = (CsiError::not_sent("no socket"), false);
    for (error, is_final) in errors.into_iter().chain([not_sent]) {
        let csi = Csi::new(STAGES, json!({}));
        let spec = disk(json!({}));
        csi.driver.fail("NodeStageVolume", error.clone());
        let staged = csi.stage(&spec, &no_device_args()).unwrap_err();
        csi.driver.fail("NodePublishVolume", error.clone());
        let published = csi.set_up(&spec, &no_args()).unwrap_err();
        for failed in [staged, published] {
            assert_eq!(failed.is_final(), is_final, "{failed}");
            assert_eq!(failed.is_uncertain(), !is_final, "{failed}");
            assert_eq!(failed.csi(), Some(&error));
        }
        // After a final one nothing is left.
        let left = csi.on_disk();
        let files: Vec<_> = left
            .iter()
            .filter(|path| path.ends_with("vol_data.json"))
            .collect();
        assert_eq!(files.len(), if is_final { 0 } else { 2 }, "{left:?}");
        let is_above = |path: &String| !path.contains(HANDLE) && !path.ends_with("disk");
        assert!(!is_final || left.iter().all(is_above), "{left:?}");
    }
}

#[test]
fn messages_name_the_driver_and_the_call() {
    let csi = Csi::new(STAGES, json!({}));
    csi.driver.fail("NodePublishVolume", refused());
    let error = csi.set_up(&disk(json!({})), &no_args()).unwrap_err();
    let expected = "the CSI driver disk.example.com failed NodePublishVolume: InvalidArgument: no";
    assert_eq!(error.to_string(), expected);
}

/// What is uncertain is found again, also by another program.
#[test]
fn an_open_outcome_is_torn_down() {
    let csi = Csi::new(STAGES, json!({}));
    let spec = disk(json!({}));
    csi.driver.fail("NodeStageVolume", timed_out());
    csi.stage(&spec, &no_device_args()).unwrap_err();
    csi.driver.fail("NodePublishVolume", timed_out());
    csi.set_up(&spec, &no_args()).unwrap_err();
    csi.tear_down("disk").unwrap();
    let staged = kubernetes_volume::plugins::csi::staged_on_disk(&**csi.host).unwrap();
    let [at] = &staged[..] else {
        panic!("{staged:?}");
    };
    csi.unstage(at).unwrap();
    let calls = [
        "NodeStageVolume",
        "NodePublishVolume",
        "NodeUnpublishVolume",
        "NodeUnstageVolume",
    ];
    assert_eq!(csi.calls(), calls);
    assert!(!csi.path(DIR).exists() && !at.parent().unwrap().exists());
}

/// A Pod that has the volume keeps it, whatever a later call answers.
#[test]
fn a_mounted_volume_stays_when_mounting_again_fails() {
    let again = MounterArgs {
        is_remount: true,
        ..MounterArgs::default()
    };
    let found = MounterArgs {
        reconstructed_volume: true,
        ..MounterArgs::default()
    };
    for (args, stays) in [(again, true), (found, true), (no_args(), false)] {
        // Without a mounter: the driver's mount can't be seen.
        let csi = Csi::new([], json!({}));
        let dir = csi.set_up(&disk(json!({})), &no_args()).unwrap();
        csi.host.mounter.unmount(&dir).unwrap();
        csi.driver.fail("NodePublishVolume", refused());
        csi.set_up(&disk(json!({})), &args).unwrap_err();
        assert_eq!(csi.path(DIR).join("vol_data.json").exists(), stays);
        assert_eq!(dir.exists(), stays);
    }
    // A mount that can be seen is never removed.
    let csi = Csi::new(STAGES, json!({}));
    let at = csi.stage(&disk(json!({})), &no_device_args()).unwrap();
    let dir = csi.set_up(&disk(json!({})), &no_args()).unwrap();
    csi.driver.fail("NodePublishVolume", refused());
    csi.set_up(&disk(json!({})), &no_args()).unwrap_err();
    csi.driver.fail("NodeStageVolume", refused());
    csi.stage(&disk(json!({})), &no_device_args()).unwrap_err();
    for path in [dir, at] {
        assert!(path.with_file_name("vol_data.json").exists());
    }
    csi.tear_down("disk").unwrap();
}

#[test]
fn an_absent_driver_may_come() {
    let csi = Csi::new(STAGES, json!({}));
    let spec = disk(json!({}));
    let at = csi.stage(&spec, &no_device_args()).unwrap();
    csi.set_up(&spec, &no_args()).unwrap();
    assert!(csi.drivers.unregister(DRIVER));
    let attempts = [
        csi.set_up(&spec, &no_args()).map(drop),
        csi.stage(&spec, &no_device_args()).map(drop),
        csi.tear_down("disk"),
        csi.unstage(&at),
    ];
    for attempt in attempts {
        let error = attempt.unwrap_err();
        assert!(error.is_transient(), "{error}");
        let expected = "the CSI driver \"disk.example.com\" is not registered on this node";
        assert_eq!(error.to_string(), expected);
    }
    assert!(at.exists() && csi.path(DIR).exists());
}

/// Nothing has happened then, whatever the code is.
#[test]
fn capabilities_that_can_not_be_read_change_nothing() {
    for error in [timed_out(), refused()] {
        let csi = Csi::new(STAGES, json!({}));
        let spec = disk(json!({}));
        csi.driver.fail("NodeGetCapabilities", error.clone());
        assert!(
            csi.stage(&spec, &no_device_args())
                .unwrap_err()
                .is_transient()
        );
        csi.driver.fail("NodeGetCapabilities", error.clone());
        assert!(csi.set_up(&spec, &no_args()).unwrap_err().is_transient());
        assert!(csi.on_disk().is_empty());
        let at = csi.stage(&spec, &no_device_args()).unwrap();
        csi.driver.fail("NodeGetCapabilities", error);
        assert!(csi.unstage(&at).unwrap_err().is_transient());
        csi.unstage(&at).unwrap();
    }
}

#[test]
fn what_can_not_be_unmounted_is_tried_again() {
    let csi = Csi::new(STAGES, json!({}));
    let at = csi.stage(&disk(json!({})), &no_device_args()).unwrap();
    csi.set_up(&disk(json!({})), &no_args()).unwrap();
    for error in [timed_out(), refused()] {
        csi.driver.fail("NodeUnpublishVolume", error.clone());
        assert_eq!(csi.tear_down("disk").unwrap_err().csi(), Some(&error));
        csi.driver.fail("NodeUnstageVolume", error.clone());
        assert_eq!(csi.unstage(&at).unwrap_err().csi(), Some(&error));
    }
    csi.tear_down("disk").unwrap();
    csi.unstage(&at).unwrap();
}

/// A driver that says that it has unmounted, but hasn't.
#[test]
fn a_mount_that_stays_is_an_error() {
    let csi = Csi::new(STAGES, json!({}));
    let at = csi.stage(&disk(json!({})), &no_device_args()).unwrap();
    csi.host
        .mounter
        .mount(Path::new("other"), &at, "", &[])
        .unwrap();
    let error = failed(csi.unstage(&at));
    assert!(error.contains("globalmount"), "{error}");
    assert!(at.with_file_name("vol_data.json").exists());
    csi.unstage(&at).unwrap();
}

/// Without its file nobody knows which volume is mounted.
#[test]
fn a_mount_without_its_file_is_an_error() {
    let csi = Csi::new(STAGES, json!({}));
    let at = csi.stage(&disk(json!({})), &no_device_args()).unwrap();
    let dir = csi.set_up(&disk(json!({})), &no_args()).unwrap();
    for path in [&at, &dir] {
        fs::remove_file(path.with_file_name("vol_data.json")).unwrap();
    }
    for error in [failed(csi.unstage(&at)), failed(csi.tear_down("disk"))] {
        assert!(error.contains("vol_data.json is absent"), "{error}");
    }
    fs::write(dir.with_file_name("vol_data.json"), "{").unwrap();
    let error = failed(csi.tear_down("disk"));
    assert!(
        error.contains("doesn't say which volume this is"),
        "{error}"
    );
}

/// An interrupted write of the file leaves the old one, and nothing that is in the way.
#[test]
fn an_interrupted_write_is_harmless() {
    let csi = Csi::new(STAGES, json!({}));
    let dir = csi.set_up(&disk(json!({})), &no_args()).unwrap();
    let left = dir.with_file_name("vol_data.json.new");
    fs::write(&left, "{").unwrap();
    csi.tear_down("disk").unwrap();
    assert!(!csi.path(DIR).exists());
}
