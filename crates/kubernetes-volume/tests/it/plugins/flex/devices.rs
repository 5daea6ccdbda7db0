//! Devices that are mounted once for the node.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::process::Command;

use super::*;

/// A node that mounts for real.
fn real(cases: &str) -> Drivers {
    Drivers::with(cases, |host| {
        host.mounter(Arc::new(kubernetes_volume::mount::LinuxMounter::new()))
    })
}

#[test]
fn a_driver_unmounts_what_is_mounted() {
    as_root(|| {
        let drivers = real(
            "mountdevice) mount -t tmpfs nas \"$2\" && ok;;\n\
             unmountdevice) umount \"$2\" && ok;;",
        );
        let spec = flex(json!({}));
        let attachable = drivers.plugin().as_attachable().unwrap();
        let attacher = attachable.new_attacher().unwrap();
        let at = attacher.device_mount_path(&spec).unwrap();
        for _ in 0..2 {
            attacher
                .mount_device(&spec, Path::new("/dev/x"), &at, &no_device_args())
                .unwrap();
            assert_eq!(
                read_mount_info()
                    .unwrap()
                    .iter()
                    .filter(|mount| mount.mount_point == at)
                    .count(),
                1
            );
        }
        let detacher = attachable.new_detacher().unwrap();
        for _ in 0..2 {
            detacher.unmount_device(&at).unwrap();
            assert!(!at.exists());
        }
        // A directory in which nothing is mounted.
        fs::create_dir_all(&at).unwrap();
        detacher.unmount_device(&at).unwrap();
        assert!(!at.exists());
        let calls = drivers.calls();
        let unmounts = calls
            .iter()
            .filter(|call| call.starts_with("unmountdevice"));
        assert_eq!(unmounts.count(), 1, "{calls:?}");
    });
}

/// Its server is gone: the path can't be looked at, and is mounted nevertheless.
#[test]
fn a_driver_unmounts_what_is_broken() {
    as_root(|| {
        let Ok(fuse) = File::options().read(true).write(true).open("/dev/fuse") else {
            return;
        };
        let drivers = real("unmount | unmountdevice) umount \"$2\" && ok;;");
        let spec = flex(json!({}));
        let attachable = drivers.plugin().as_attachable().unwrap();
        let at = attachable
            .new_attacher()
            .unwrap()
            .device_mount_path(&spec)
            .unwrap();
        let path = drivers.unmounter().path();
        let number = fuse.as_raw_fd();
        let data = format!("fd={number},rootmode=40000,user_id=0,group_id=0");
        for dir in [&at, &path] {
            fs::create_dir_all(dir).unwrap();
        }
        let mounter = kubernetes_volume::mount::LinuxMounter::new();
        mounter
            .mount(Path::new("daemon"), &at, "fuse", &[&data])
            .unwrap();
        mounter.mount(&at, &path, "", &["bind"]).unwrap();
        drop(fuse);
        assert!(fs::metadata(&at).is_err() && fs::metadata(&path).is_err());
        drivers.unmounter().tear_down().unwrap();
        attachable
            .new_detacher()
            .unwrap()
            .unmount_device(&at)
            .unwrap();
        assert!(!at.exists() && !path.exists());
        assert_eq!(drivers.calls().len(), 3, "{:?}", drivers.calls());
    });
}

/// The options of a mount by the default, and that a driver without devices has none.
#[test]
fn a_device_is_mounted_by_default() {
    for (source, expected) in [
        (json!({}), "rw"),
        (json!({"fsType": "ext4"}), "rw"),
        (json!({"readOnly": true}), "ro"),
    ] {
        let drivers = Drivers::new("");
        let image = drivers.dir.path().join("image");
        File::create(&image).unwrap().set_len(8 << 20).unwrap();
        let made = Command::new("mkfs.ext4")
            .args(["-q", "-F"])
            .arg(&image)
            .status();
        assert!(made.unwrap().success());
        let spec = flex(source.clone());
        let attachable = drivers.plugin().as_attachable().unwrap();
        let attacher = attachable.new_attacher().unwrap();
        let at = attacher.device_mount_path(&spec).unwrap();
        attacher
            .mount_device(&spec, Path::new(""), &at, &no_device_args())
            .unwrap();
        assert!(drivers.host.mounter.mount_points().is_empty(), "{source}");
        attacher
            .mount_device(&spec, &image, &at, &no_device_args())
            .unwrap();
        let mounts = drivers.host.mounter.mount_points();
        assert_eq!(mounts[0].fs_type, "ext4", "{source}");
        assert!(
            mounts[0].options.iter().any(|option| option == expected),
            "{mounts:?}"
        );
        assert!(
            mounts[0]
                .options
                .iter()
                .all(|option| option == expected || option == "defaults"),
            "{mounts:?}"
        );
    }
}

/// An answer without a device is the device, as by a kubelet; no answer is not.
#[test]
fn a_driver_that_waits_for_a_device_names_it() {
    let rows = [
        (
            "waitforattach) echo '{\"status\":\"Success\",\"device\":\"/dev/y\"}';;",
            "/dev/y",
        ),
        ("waitforattach) ok;;", ""),
        ("", "/dev/x"),
    ];
    for (cases, expected) in rows {
        let drivers = Drivers::new(cases);
        let attacher = drivers
            .plugin()
            .as_attachable()
            .unwrap()
            .new_attacher()
            .unwrap();
        let (spec, pod) = (flex(json!({})), pod(json!({})));
        let limit = Duration::from_secs(60);
        let device = attacher.wait_for_attach(&spec, Path::new("/dev/x"), &pod, limit);
        assert_eq!(device.unwrap(), Path::new(expected), "{cases}");
    }
}

/// Each lookup asks it again, without a change of its files.
#[test]
fn a_driver_that_cannot_be_initialized_is_asked_again() {
    let answers = "init) test -e $(dirname $0)/../../ready && ok || exit 1;;";
    let drivers = Drivers::new(answers);
    for _ in 0..2 {
        assert!(drivers.manager.find_plugin_by_name(DRIVER).is_err());
    }
    fs::write(drivers.dir.path().join("ready"), "").unwrap();
    assert_eq!(drivers.plugin().plugin_name(), DRIVER);
    let asked = || {
        let calls = fs::read_to_string(drivers.dir.path().join("calls")).unwrap();
        calls.lines().count()
    };
    let before = asked();
    assert!(before >= 3, "{before}");
    // Once it works, no more.
    for _ in 0..3 {
        drivers.plugin();
    }
    assert_eq!(asked(), before);
}
