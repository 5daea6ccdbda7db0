//! Removing what was prepared.

use std::fs;
use std::os::unix::fs::symlink;

use kubernetes_mount::Error;
use kubernetes_mount::subpath::{LinuxSubpath, Subpath, SubpathRequest};
use nix::mount::{MsFlags, mount};
use root_tests::as_root;

use super::mounted::Pod;

#[test]
fn what_isn_t_there_is_no_error() {
    let pod = Pod::new();
    pod.clean().unwrap();
    let part = pod.dir.path().join("volume-subpaths/data/app/0");
    for missing in [
        "volume-subpaths/data/app/0",
        "volume-subpaths/data/app",
        "volume-subpaths/data",
    ] {
        fs::create_dir_all(&part).unwrap();
        fs::remove_dir_all(pod.dir.path().join(missing)).unwrap();
        pod.clean().unwrap();
        assert!(
            !pod.dir.path().join("volume-subpaths").exists(),
            "{missing}"
        );
    }
    let gone = tempfile::tempdir().unwrap().path().to_owned();
    LinuxSubpath::new().clean_subpaths(&gone, "data").unwrap();
}

#[test]
fn placeholders_are_removed_and_other_volumes_stay() {
    as_root(|| {
        let pod = Pod::new();
        let part = |name: &str| pod.dir.path().join("volume-subpaths").join(name);
        for name in ["data/app/0", "data/app/1", "data/other/0", "logs/app/0"] {
            fs::create_dir_all(part(name)).unwrap();
        }
        fs::write(part("data/app/2"), "").unwrap();
        pod.clean().unwrap();
        assert!(!part("data").exists() && part("logs/app/0").exists());
    });
}

#[test]
fn mounts_are_unmounted_however_many_there_are() {
    as_root(|| {
        let pod = Pod::new();
        fs::create_dir(pod.volume().join("dir")).unwrap();
        fs::write(pod.volume().join("dir/file"), "kept").unwrap();
        let prepared = pod.prepare("dir").unwrap();
        for _ in 0..3 {
            let none = None::<&str>;
            mount(
                Some(pod.outside.path()),
                &prepared,
                none,
                MsFlags::MS_BIND,
                none,
            )
            .unwrap();
        }
        pod.clean().unwrap();
        assert!(!pod.dir.path().join("volume-subpaths").exists());
        assert_eq!(
            fs::read_to_string(pod.volume().join("dir/file")).unwrap(),
            "kept"
        );
        assert!(pod.outside.path().join("canary").exists());
        pod.clean().unwrap();
    });
}

#[test]
fn parts_of_several_containers_are_unmounted() {
    as_root(|| {
        let pod = Pod::new();
        fs::write(pod.volume().join("file"), "kept").unwrap();
        for (container, index) in [("app", 0), ("app", 3), ("other", 0)] {
            let request = SubpathRequest {
                container_name: container.to_owned(),
                volume_mount_index: index,
                ..pod.request("file")
            };
            LinuxSubpath::new().prepare_safe_subpath(&request).unwrap();
        }
        pod.clean().unwrap();
        assert!(!pod.dir.path().join("volume-subpaths").exists());
        assert!(pod.volume().join("file").exists());
    });
}

#[test]
fn what_is_before_a_wrong_entry_is_removed() {
    let pod = Pod::new();
    let container = |name: &str| pod.dir.path().join("volume-subpaths/data").join(name);
    for (file, before, after) in [
        ("b", ["a"].as_slice(), ["c"].as_slice()),
        ("0", &[], &["a"]),
    ] {
        for name in before.iter().chain(after) {
            fs::create_dir_all(container(name)).unwrap();
        }
        fs::write(container(file), "").unwrap();
        let error = pod.clean().unwrap_err();
        assert!(error.to_string().contains("is not a directory"), "{error}");
        assert!(container(file).exists());
        assert!(before.iter().all(|name| !container(name).exists()));
        assert!(after.iter().all(|name| container(name).exists()));
        fs::remove_file(container(file)).unwrap();
        pod.clean().unwrap();
    }
}

#[test]
fn nothing_is_removed_that_has_content() {
    let pod = Pod::new();
    let container = pod.dir.path().join("volume-subpaths/data/app");
    type Attempt = (&'static str, fn(&std::path::Path));
    let attempts: [Attempt; 4] = [
        ("a file", |path| fs::write(path, "data").unwrap()),
        ("a link", |path| symlink("/etc", path).unwrap()),
        ("a directory", |path| {
            fs::create_dir_all(path.join("sub")).unwrap()
        }),
        ("a fifo", |path| {
            nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRUSR).unwrap();
        }),
    ];
    for (what, make) in attempts {
        fs::create_dir_all(&container).unwrap();
        make(&container.join("0"));
        let error = pod.clean().unwrap_err();
        assert!(
            error.to_string().contains("volume-subpaths/data/app/0"),
            "{what}: {error}"
        );
        assert!(fs::symlink_metadata(container.join("0")).is_ok(), "{what}");
        fs::remove_dir_all(&container).unwrap();
    }
    // A link in place of a directory is not followed.
    symlink(pod.outside.path(), &container).unwrap();
    assert!(matches!(pod.clean(), Err(Error::Invalid(_))));
    assert!(pod.outside.path().join("canary").exists());
}
