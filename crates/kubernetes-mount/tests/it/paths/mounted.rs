//! Parts of volumes, mounted.

use std::fs;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use kubernetes_mount::Error;
use kubernetes_mount::subpath::{LinuxSubpath, Subpath, SubpathRequest};
use nix::mount::{MsFlags, mount};
use root_tests::as_root;

/// A Pod's directory with a volume, and a directory outside.
pub(crate) struct Pod {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) outside: tempfile::TempDir,
}

impl Pod {
    pub(crate) fn new() -> Self {
        let pod = Self {
            dir: tempfile::tempdir().unwrap(),
            outside: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(pod.volume()).unwrap();
        fs::write(pod.outside.path().join("canary"), "outside").unwrap();
        pod
    }

    pub(crate) fn volume(&self) -> PathBuf {
        self.dir.path().join("volumes/data")
    }

    pub(crate) fn request(&self, part: &str) -> SubpathRequest {
        SubpathRequest {
            volume_mount_index: 1,
            path: self.volume().join(part),
            volume_name: "data".to_owned(),
            volume_path: self.volume(),
            pod_dir: self.dir.path().to_owned(),
            container_name: "app".to_owned(),
        }
    }

    pub(crate) fn prepare(&self, part: &str) -> kubernetes_mount::Result<PathBuf> {
        LinuxSubpath::new().prepare_safe_subpath(&self.request(part))
    }

    pub(crate) fn clean(&self) -> kubernetes_mount::Result<()> {
        LinuxSubpath::new().clean_subpaths(self.dir.path(), "data")
    }
}

impl Drop for Pod {
    /// A mount that is left would keep the directory.
    fn drop(&mut self) {
        let _ = self.clean();
    }
}

/// Returns true if two paths lead to the same file.
pub(crate) fn same(one: &Path, other: &Path) -> bool {
    let identity = |path| fs::metadata(path).map(|file| (file.dev(), file.ino())).ok();
    identity(one).is_some() && identity(one) == identity(other)
}

#[test]
fn what_is_in_the_volume_is_mounted() {
    as_root(|| {
        let pod = Pod::new();
        let path = |name: &str| pod.volume().join(name);
        fs::create_dir_all(path("dir/deep")).unwrap();
        fs::write(path("dir/file"), "inside").unwrap();
        let _socket = UnixListener::bind(path("socket")).unwrap();
        nix::unistd::mkfifo(&path("fifo"), nix::sys::stat::Mode::S_IRUSR).unwrap();
        symlink("dir", path("link")).unwrap();
        symlink("../dir/file", path("dir/up")).unwrap();
        for part in [
            "",
            "dir",
            "dir/deep",
            "dir/file",
            "socket",
            "fifo",
            "link/file",
            "dir/up",
            "dir/../dir",
        ] {
            let prepared = pod.prepare(part).unwrap();
            assert_eq!(prepared, pod.dir.path().join("volume-subpaths/data/app/1"));
            assert!(same(&prepared, &path(part)), "{part}");
            // Repeated, it stays.
            assert_eq!(pod.prepare(part).unwrap(), prepared);
            pod.clean().unwrap();
            assert!(!prepared.exists());
        }
    });
}

/// A kubelet follows any link that ends in the volume.
#[test]
fn links_may_leave_the_volume_and_come_back() {
    as_root(|| {
        let pod = Pod::new();
        let path = |name: &str| pod.volume().join(name);
        fs::create_dir_all(path("dir/deep")).unwrap();
        fs::write(path("dir/file"), "inside").unwrap();
        symlink(path("dir"), path("absolute")).unwrap();
        symlink(path("absolute/file"), path("twice")).unwrap();
        symlink("../../volumes/data/dir", path("back")).unwrap();
        symlink(path("dir/missing"), path("nowhere")).unwrap();
        symlink(path("new"), path("to-new")).unwrap();
        for (part, to) in [
            ("absolute", "dir"),
            ("absolute/deep", "dir/deep"),
            ("twice", "dir/file"),
            ("back/file", "dir/file"),
            ("back/../dir/deep", "dir/deep"),
        ] {
            let prepared = pod.prepare(part).unwrap();
            assert!(same(&prepared, &path(to)), "{part}");
            pod.clean().unwrap();
        }
        let error = pod.prepare("nowhere").unwrap_err();
        assert!(error.to_string().contains("No such file"), "{error}");

        let make =
            |part: &str| LinuxSubpath::new().safe_make_dir(Path::new(part), &pod.volume(), 0o750);
        make("absolute/made/below").unwrap();
        assert!(path("dir/made/below").is_dir());
        make("back/also").unwrap();
        assert!(path("dir/also").is_dir());
        // Each leads to the other.
        fs::create_dir(path("one")).unwrap();
        fs::create_dir(path("two")).unwrap();
        symlink(path("two"), path("one/on")).unwrap();
        symlink(path("one"), path("two/on")).unwrap();
        make("one/on/on/on/on/on/end").unwrap();
        assert!(path("two/end").is_dir() && !path("one/end").exists());
        for part in ["nowhere/x", "to-new"] {
            make(part).unwrap_err();
        }
        assert!(!path("new").exists() && !path("dir/missing").exists());
    });
}

/// The server of what is mounted at the target is gone.
#[test]
fn a_broken_target_is_mounted_anew() {
    as_root(|| {
        let pod = Pod::new();
        fs::create_dir(pod.volume().join("dir")).unwrap();
        let target = pod.dir.path().join("volume-subpaths/data/app/1");
        fs::create_dir_all(&target).unwrap();
        let Ok(server) = fs::File::options().read(true).write(true).open("/dev/fuse") else {
            // The harness keeps what `eprintln!` prints of a test that passes.
            let _ = writeln!(
                std::io::stderr(),
                "left out, needs /dev/fuse: a broken mount"
            );
            return;
        };
        let options = format!(
            "fd={},rootmode=40000,user_id=0,group_id=0",
            server.as_raw_fd()
        );
        mount(
            Some("gone"),
            &target,
            Some("fuse"),
            MsFlags::empty(),
            Some(options.as_str()),
        )
        .unwrap();
        drop(server);
        let error = fs::metadata(&target).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(nix::libc::ENOTCONN));

        let prepared = pod.prepare("dir").unwrap();
        assert_eq!(prepared, target);
        assert!(same(&prepared, &pod.volume().join("dir")));
        pod.clean().unwrap();
        assert!(!target.exists());
    });
}

#[test]
fn what_leads_elsewhere_is_refused() {
    as_root(|| {
        let pod = Pod::new();
        let path = |name: &str| pod.volume().join(name);
        symlink(pod.outside.path(), path("out")).unwrap();
        symlink(pod.outside.path().join("canary"), path("file")).unwrap();
        symlink("../..", path("above")).unwrap();
        fs::create_dir(path("dir")).unwrap();
        symlink("../..", path("dir/above")).unwrap();
        fs::create_dir(pod.dir.path().join("volumes/other")).unwrap();
        symlink("/etc", path("etc")).unwrap();
        symlink("/proc/self/cwd", path("magic")).unwrap();
        symlink("loop", path("loop")).unwrap();
        symlink("nothing", path("dangling")).unwrap();
        for part in [
            "out",
            "out/canary",
            "file",
            "above",
            "dir/above/other",
            "dir/above/missing",
            "etc",
            "magic",
            "loop",
            "dangling",
            "missing",
        ] {
            let error = pod.prepare(part).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
            assert!(!pod.dir.path().join("volume-subpaths").exists(), "{part}");
        }
        for part in ["..", "../..", "a/../../x"] {
            let error = pod.prepare(part).unwrap_err();
            assert!(matches!(error, Error::Invalid(_)), "{error}");
        }
        let elsewhere = SubpathRequest {
            path: "/etc".into(),
            ..pod.request("")
        };
        let error = LinuxSubpath::new()
            .prepare_safe_subpath(&elsewhere)
            .unwrap_err();
        assert!(
            error.to_string().contains("/etc is not in the volume"),
            "{error}"
        );
        for name in ["", "..", "a/b"] {
            let request = SubpathRequest {
                container_name: name.to_owned(),
                ..pod.request("")
            };
            let error = LinuxSubpath::new()
                .prepare_safe_subpath(&request)
                .unwrap_err();
            assert!(error.to_string().contains(&format!("{name:?}")), "{error}");
        }
    });
}

/// As after a crash between making and mounting it.
#[test]
fn a_target_that_is_there_is_used() {
    as_root(|| {
        let pod = Pod::new();
        fs::create_dir(pod.volume().join("dir")).unwrap();
        let target = pod.dir.path().join("volume-subpaths/data/app/1");
        fs::create_dir_all(&target).unwrap();
        assert_eq!(pod.prepare("dir").unwrap(), target);
        assert!(same(&target, &pod.volume().join("dir")));
    });
}

#[test]
fn a_part_that_is_another_file_by_now_is_mounted_anew() {
    as_root(|| {
        let pod = Pod::new();
        let part = pod.volume().join("part");
        fs::write(&part, "old").unwrap();
        let prepared = pod.prepare("part").unwrap();
        // Somebody still reads it.
        let _open = fs::File::open(&prepared).unwrap();
        fs::rename(&part, pod.volume().join("old")).unwrap();
        fs::write(&part, "new").unwrap();
        assert_eq!(fs::read_to_string(&prepared).unwrap(), "old");
        pod.prepare("part").unwrap();
        assert_eq!(fs::read_to_string(&prepared).unwrap(), "new");
        // Also if it is no longer a file.
        fs::remove_file(&part).unwrap();
        fs::create_dir(&part).unwrap();
        pod.prepare("part").unwrap();
        assert!(same(&prepared, &part));
    });
}
