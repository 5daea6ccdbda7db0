//! Making directories below a base.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use kubernetes_mount::subpath::{LinuxSubpath, Subpath};

fn make(base: &Path, path: &str, mode: u32) -> Result<(), String> {
    let made = LinuxSubpath::new().safe_make_dir(Path::new(path), base, mode);
    made.map_err(|error| error.to_string())
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn directories_have_their_mode_whatever_the_umask_is() {
    for wanted in [0o755_u32, 0o700, 0o777, 0o2775, 0o4755, 0o1777, 0o6777] {
        let base = tempfile::tempdir().unwrap();
        make(base.path(), "a/b/c", wanted).unwrap();
        for path in ["a", "a/b", "a/b/c"] {
            assert_eq!(mode(&base.path().join(path)), wanted, "{path}");
        }
        // Repeated, and with another mode: what exists is left alone.
        make(base.path(), "a/b/c", 0o711).unwrap();
        assert_eq!(mode(&base.path().join("a/b/c")), wanted);
    }
}

#[test]
fn the_group_of_a_volume_is_inherited() {
    let base = tempfile::tempdir().unwrap();
    fs::set_permissions(base.path(), fs::Permissions::from_mode(0o2775)).unwrap();
    make(base.path(), "a/b", 0o750).unwrap();
    assert_eq!(mode(&base.path().join("a/b")), 0o2750);
}

#[test]
fn links_are_followed_inside_only() {
    let (base, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = |name: &str| base.path().join(name);
    fs::create_dir_all(path("dir/deep")).unwrap();
    fs::write(path("file"), "").unwrap();
    nix::unistd::mkfifo(&path("fifo"), nix::sys::stat::Mode::S_IRUSR).unwrap();
    symlink("dir", path("inside")).unwrap();
    symlink("../dir", path("dir/up")).unwrap();
    symlink(outside.path(), path("outside")).unwrap();
    symlink("../..", path("above")).unwrap();
    symlink("/", path("root")).unwrap();
    symlink("nothing", path("dangling")).unwrap();
    symlink("loop", path("loop")).unwrap();
    // The path, the directory that is made, or part of the error.
    let rows = [
        ("new", Ok("new")),
        ("dir/new", Ok("dir/new")),
        ("dir/deep", Ok("dir/deep")),
        ("/absolute/new", Ok("absolute/new")),
        ("dir/../beside", Ok("beside")),
        ("inside/linked", Ok("dir/linked")),
        ("dir/up/twice", Ok("dir/twice")),
        ("", Ok("")),
        ("..", Err("leads out of the volume")),
        ("a/../../b", Err("leads out of the volume")),
        ("outside/new", Err("leads out of the volume")),
        ("above/new", Err("leads out of the volume")),
        ("root/new", Err("leads out of the volume")),
        ("dangling/new", Err("is not a directory")),
        ("dangling", Err("is not a directory")),
        ("loop/new", Err("symbolic link")),
        ("file/new", Err("is not a directory")),
        ("fifo/new", Err("is not a directory")),
        ("file", Err("is not a directory")),
    ];
    for (name, wanted) in rows {
        match (make(base.path(), name, 0o755), wanted) {
            (Ok(()), Ok(made)) => assert!(path(made).is_dir(), "{name}"),
            (Err(error), Err(wanted)) => {
                assert!(error.contains(wanted), "{name}: {error}")
            }
            (done, _) => panic!("{name}: {done:?}"),
        }
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    assert!(!path("nothing").exists() && !Path::new("/new").exists());
}
