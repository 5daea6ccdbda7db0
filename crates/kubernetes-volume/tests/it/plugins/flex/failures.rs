//! FlexVolume drivers that fail, hang, or report wrong results.

use std::time::Duration;

use kubernetes_volume::exec::ExecError;
use kubernetes_volume::{Error, NodeError};

use super::*;

/// Each row: what a driver does for `mount`, and the error.
#[test]
fn drivers_that_fail_leave_nothing() {
    let rows = [
        (
            "echo '{\"status\":\"Failure\",\"message\":\"no share a\"}'; exit 1",
            "example.com/nas failed to mount: no share a",
        ),
        (
            "echo '{\"status\":\"Failure\"}'",
            "example.com/nas failed to mount: ",
        ),
        ("echo ouch >&2; exit 3", "(exit status: 3): ouch"),
        ("echo hello", "printed unparsable output"),
        ("echo '{\"status\":\"Fine\"}'", "unknown variant `Fine`"),
        ("echo '{}'", "missing field `status`"),
        ("ok; exit 4", "(exit status: 4)"),
        ("kill -9 $$", "(signal: 9 (SIGKILL))"),
        (":", "printed unparsable output"),
    ];
    for (does, expected) in rows {
        let drivers = Drivers::new(&format!("mount) {does};;"));
        let mounter = drivers.mounter(&flex(json!({}))).unwrap();
        let error = mounter.set_up(&no_args()).unwrap_err();
        assert!(error.is_final(), "{does}: {error:?}");
        let error = error.to_string();
        assert!(error.contains(expected), "{does}: {error}");
        assert!(!mounter.path().exists(), "{does}");
    }
}

#[test]
fn a_driver_that_hangs_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let executable = dir.path().join("nas");
    write_program(
        &executable,
        "#!/bin/sh\ncase $1 in init) echo '{\"status\":\"Success\"}';; *) sleep 1000;; esac\n",
    );
    let host = FakeHost::with(
        dir.path().join("root"),
        FakeMounter::new(),
        FakeExec::new(),
        |host| host.exec(Arc::new(Local)),
    );
    let host = host.unwrap();
    let driver = kubernetes_volume::probe::Driver {
        plugin_name: DRIVER.to_owned(),
        executable,
    };
    let limit = Duration::from_secs(2);
    let plugin = FlexVolumePlugin::new(&driver).with_limit(limit);
    let manager = host.start(vec![Box::new(plugin)], None).unwrap();
    let plugin = manager.find_plugin_by_name(DRIVER).unwrap();
    let spec = flex(json!({}));
    let mounter = plugin
        .new_mounter(&spec, &pod(json!({})), &VolumeOptions::default())
        .unwrap();
    let error = mounter.set_up(&no_args()).unwrap_err();
    // The driver may still finish a mount that it has begun.
    let Error::Uncertain(error) = error else {
        panic!("{error:?}")
    };
    assert!(
        matches!(*error, Error::Node(NodeError::Exec(ExecError::TimedOut { limit: of, .. })) if of == limit),
        "{error:?}"
    );
    assert!(!mounter.path().exists());
}

#[test]
fn a_driver_without_init_is_no_plugin() {
    let drivers =
        Drivers::new("init) echo '{\"status\":\"Failure\",\"message\":\"no network\"}';;");
    let error = drivers.manager.find_plugin_by_name(DRIVER).err().unwrap();
    assert_eq!(
        error.to_string(),
        "no volume plugin matched name: example.com/nas"
    );
    let error = drivers
        .manager
        .find_plugin_by_spec(&flex(json!({})))
        .err()
        .unwrap();
    assert!(
        error.to_string().contains("no volume plugin matched"),
        "{error}"
    );
}

#[test]
fn what_a_driver_says_is_checked() {
    as_root(|| {
        // It fails after it has mounted, and never unmounts.
        let cases = "init) echo '{\"status\":\"Success\",\"capabilities\":{\"attach\":false}}';;\n\
             mount) mount -t tmpfs nas \"$2\"; echo '{\"status\":\"Failure\",\"message\":\"late\"}';;\n\
             unmount) ok;;";
        let drivers = Drivers::with(cases, |host| {
            host.mounter(Arc::new(kubernetes_volume::mount::LinuxMounter::new()))
        });
        let mounter = drivers.mounter(&flex(json!({}))).unwrap();
        assert!(failed(mounter.set_up(&no_args())).contains("late"));
        assert!(!mounter.path().exists());

        let dir = mounter.path();
        fs::create_dir_all(&dir).unwrap();
        let mounts = kubernetes_volume::mount::LinuxMounter::new();
        mounts.mount(Path::new("none"), &dir, "tmpfs", &[]).unwrap();
        let error = failed(drivers.unmounter().tear_down());
        assert!(
            error.contains("unmount first") && error.contains("example.com~nas/data"),
            "{error}"
        );
        mounts.unmount(&dir).unwrap();
        drivers.unmounter().tear_down().unwrap();
        assert!(!dir.exists());
    });
}
