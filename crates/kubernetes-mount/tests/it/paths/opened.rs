//! Opening below a base, where every link is an error.

use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use kubernetes_mount::Error;
use kubernetes_mount::subpath::safe_open;

#[test]
fn no_link_is_followed() {
    let (base, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = |name: &str| base.path().join(name);
    fs::create_dir_all(path("dir/deep")).unwrap();
    fs::write(path("dir/file"), "").unwrap();
    fs::write(outside.path().join("file"), "").unwrap();
    let _socket = UnixListener::bind(path("socket")).unwrap();
    nix::unistd::mkfifo(&path("fifo"), nix::sys::stat::Mode::S_IRUSR).unwrap();
    symlink("dir", path("to-dir")).unwrap();
    symlink("dir/file", path("to-file")).unwrap();
    symlink(outside.path(), path("out")).unwrap();
    symlink("loop", path("loop")).unwrap();
    symlink("nothing", path("dangling")).unwrap();
    symlink("/", path("root")).unwrap();
    // The path, and the beginning of an error.
    let rows = [
        ("", None),
        ("dir", None),
        ("dir/deep", None),
        ("dir/file", None),
        ("dir/../dir/./deep", None),
        ("/dir", None),
        ("socket", None),
        ("fifo", None),
        ("..", Some("leads out of the volume")),
        ("dir/../../x", Some("leads out of the volume")),
        ("to-dir", Some("symbolic link")),
        ("to-dir/deep", Some("symbolic link")),
        ("to-file", Some("symbolic link")),
        ("out/file", Some("symbolic link")),
        ("loop", Some("symbolic link")),
        ("dangling", Some("symbolic link")),
        ("root/etc", Some("symbolic link")),
        ("dir/file/x", Some("Not a directory")),
        ("socket/x", Some("Not a directory")),
        ("missing", Some("No such file")),
    ];
    for (name, error) in rows {
        match (safe_open(base.path(), Path::new(name)), error) {
            (Ok(fd), None) => {
                let opened = fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd())).unwrap();
                assert!(opened.starts_with(base.path()), "{name}: {opened:?}");
            }
            (Err(found), Some(error)) => {
                assert!(found.to_string().contains(error), "{name}: {found}");
            }
            (done, _) => panic!("{name}: {done:?}"),
        }
    }
    let error = safe_open(Path::new("relative"), Path::new("x")).unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error}");
}
