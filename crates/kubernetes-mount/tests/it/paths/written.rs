//! The atomic writer.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use kubernetes_mount::Error;
use kubernetes_mount::atomic_writer::{AtomicWriter, FileProjection, Payload};
use nix::mount::{MsFlags, mount};
use root_tests::{as_root, unmount};

fn payload(files: &[(&str, &str)]) -> Payload {
    let file = |data: &str| FileProjection {
        data: data.into(),
        mode: 0o644,
        fs_user: None,
    };
    files
        .iter()
        .map(|(path, data)| ((*path).to_owned(), file(data)))
        .collect()
}

fn write(dir: &Path, files: &[(&str, &str)]) -> bool {
    AtomicWriter::new(dir)
        .unwrap()
        .write(&payload(files), |_| Ok(()))
        .unwrap()
}

/// Returns every file that a reader sees: below the names that don't begin with two dots.
fn seen(dir: &Path) -> BTreeMap<String, String> {
    let mut seen = BTreeMap::new();
    let mut open = vec![(String::new(), dir.to_owned())];
    while let Some((above, dir)) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{above}{}", entry.file_name().to_str().unwrap());
            if name.starts_with("..") {
                continue;
            }
            if fs::metadata(entry.path()).unwrap().is_dir() {
                open.push((format!("{name}/"), entry.path()));
            } else {
                seen.insert(name, fs::read_to_string(entry.path()).unwrap());
            }
        }
    }
    seen
}

fn has(dir: &Path, files: &[(&str, &str)]) {
    let wanted = files
        .iter()
        .map(|(path, data)| ((*path).to_owned(), (*data).to_owned()));
    assert_eq!(seen(dir), wanted.collect());
    // One directory with files, `..data`, and nothing of earlier updates.
    let hidden = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let mut hidden: Vec<_> = hidden.map(|name| name.into_string().unwrap()).collect();
    hidden.retain(|name| name.starts_with(".."));
    hidden.sort();
    assert_eq!(hidden.len(), 2, "{hidden:?}");
    let data = fs::read_link(dir.join("..data")).unwrap();
    assert!(
        hidden.contains(&data.to_str().unwrap().to_owned()),
        "{hidden:?} {data:?}"
    );
}

#[test]
fn paths_are_checked() {
    let long_part = "a".repeat(256);
    let long = ["ab/"; 1400].concat() + "c";
    let rows = [
        ("file", None),
        ("a/b..c/..d", None),
        ("", Some("is empty")),
        ("/etc/passwd", Some("is absolute")),
        ("..file", Some("begins with")),
        ("../file", Some("begins with")),
        ("a/../file", Some("has the part \"..\"")),
        ("a//file", Some("has the part \"\"")),
        ("a/./file", Some("has the part \".\"")),
        ("a/file/", Some("has the part \"\"")),
        ("nu\0ll", Some("null byte")),
        (&long_part, Some("has a part of 256 bytes")),
        (&long, Some("has 4201 bytes")),
    ];
    for (path, error) in rows {
        let dir = tempfile::tempdir().unwrap();
        // One wrong path keeps all files from being written.
        let files = [("good", ""), (path, ""), ("later", "")];
        let done = AtomicWriter::new(dir.path())
            .unwrap()
            .write(&payload(&files), |_| Ok(()));
        match (done, error) {
            (Ok(true), None) => has(dir.path(), &files),
            (Err(Error::Invalid(text)), Some(error)) => {
                assert!(text.contains(error), "{path}: {text}");
                assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "{path}");
            }
            (done, error) => panic!("{path}: {done:?}, {error:?}"),
        }
    }
}

#[test]
fn a_file_is_not_below_another() {
    let dir = tempfile::tempdir().unwrap();
    let both = payload(&[("a/b", ""), ("a/b/c", "")]);
    let error = AtomicWriter::new(dir.path())
        .unwrap()
        .write(&both, |_| Ok(()))
        .unwrap_err();
    assert!(error.to_string().contains("\"a/b/c\"") && error.to_string().contains("\"a/b\""));
}

/// The first files of a volume.
const FIRST: [&[(&str, &str)]; 8] = [
    &[],
    &[("a", "1")],
    &[("a", "1"), ("b", "2")],
    &[("a", ""), ("dir/b", "2")],
    &[("dir/a", "1"), ("dir/b", "2"), ("dir/deep/er/c", "3")],
    &[(".hidden", "1")],
    &[("name with spaces", "1"), ("\u{e9}", "2")],
    &[("data", "1"), ("dir/..data", "2")],
];

#[test]
fn files_are_written_and_written_once() {
    for files in FIRST {
        let dir = tempfile::tempdir().unwrap();
        assert!(write(dir.path(), files));
        has(dir.path(), files);
        let data = fs::read_link(dir.path().join("..data")).unwrap();
        assert!(!write(dir.path(), files));
        assert_eq!(fs::read_link(dir.path().join("..data")).unwrap(), data);
        has(dir.path(), files);
    }
}

#[test]
fn every_update_leads_to_its_files() {
    for one in FIRST {
        for other in FIRST {
            let dir = tempfile::tempdir().unwrap();
            write(dir.path(), one);
            assert_eq!(write(dir.path(), other), one != other);
            has(dir.path(), other);
        }
    }
}

#[test]
fn several_updates_follow_each_other() {
    let dir = tempfile::tempdir().unwrap();
    for round in 0..20 {
        let text = round.to_string();
        let files = [("a", text.as_str()), ("dir/b", "same")];
        assert!(write(dir.path(), &files[..=round % 2]));
        has(dir.path(), &files[..=round % 2]);
    }
}

#[test]
fn layout_and_permissions_are_those_of_kubernetes() {
    let dir = tempfile::tempdir().unwrap();
    let modes = [0o644, 0o400, 0o777, 0o4755, 0o000];
    let file = |mode| FileProjection {
        data: vec![],
        mode,
        fs_user: None,
    };
    let mut payload: Payload = modes
        .map(|mode| (format!("dir/{mode:o}"), file(mode)))
        .into();
    payload.insert("plain".to_owned(), file(0o640));
    AtomicWriter::new(dir.path())
        .unwrap()
        .write(&payload, |_| Ok(()))
        .unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o7777;
    for wanted in modes {
        assert_eq!(mode(&dir.path().join(format!("dir/{wanted:o}"))), wanted);
    }
    let data = fs::read_link(dir.path().join("..data")).unwrap();
    assert_eq!(mode(&dir.path().join(&data)), 0o755);
    assert_eq!(mode(&dir.path().join("dir")), 0o755);
    assert_eq!(
        fs::read_link(dir.path().join("dir")).unwrap(),
        Path::new("..data/dir")
    );
    assert_eq!(
        fs::read_link(dir.path().join("plain")).unwrap(),
        Path::new("..data/plain")
    );
}

#[test]
fn bytes_are_written_below_many_directories() {
    let dir = tempfile::tempdir().unwrap();
    let deep = "1/2/3/4/5/6/7/8/9/10/.hidden.bin";
    let rows: [(&str, &[u8], u32); 3] = [
        (deep, b"\xff\xfe\0", 0o777),
        (".hidden", b"\x80", 0o400),
        ("1/2/beside", b"", 0o640),
    ];
    let payload = rows.map(|(path, data, mode)| {
        let data = data.to_vec();
        let file = FileProjection {
            data,
            mode,
            fs_user: None,
        };
        (path.to_owned(), file)
    });
    let writer = AtomicWriter::new(dir.path()).unwrap();
    assert!(writer.write(&payload.into(), |_| Ok(())).unwrap());
    for (path, data, mode) in rows {
        let path = dir.path().join(path);
        assert_eq!(fs::read(&path).unwrap(), data, "{path:?}");
        assert_eq!(
            fs::metadata(&path).unwrap().mode() & 0o7777,
            mode,
            "{path:?}"
        );
    }
}

#[test]
fn updates_bring_contents_and_modes() {
    let dir = tempfile::tempdir().unwrap();
    let writer = AtomicWriter::new(dir.path()).unwrap();
    for (text, mode) in [("1", 0o644), ("2", 0o400), ("3", 0o600), ("3", 0o640)] {
        let files = ["a", "dir/b"].map(|path| {
            let file = FileProjection {
                data: text.into(),
                mode,
                fs_user: None,
            };
            (path.to_owned(), file)
        });
        let is_new = writer.write(&files.into(), |_| Ok(())).unwrap();
        // The mode alone is no reason to write.
        assert_eq!(is_new, mode != 0o640);
        let wanted = if is_new { mode } else { 0o600 };
        for path in ["a", "dir/b"].map(|path| dir.path().join(path)) {
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            assert_eq!(
                fs::metadata(&path).unwrap().mode() & 0o7777,
                wanted,
                "{path:?}"
            );
        }
    }
}

#[test]
fn directories_come_and_go() {
    let dir = tempfile::tempdir().unwrap();
    let updates: [&[(&str, &str)]; 5] = [
        &[("a/1", "1"), ("b/1", "1"), ("c/d/1", "1")],
        &[("a/1", "2"), ("b/1", "2"), ("c/d/1", "2")],
        &[
            ("a/1", "2"),
            ("b/1", "2"),
            ("b/new/er/2", ""),
            ("c/d/1", "2"),
        ],
        &[("b/new/er/2", ""), ("c/d/1", "2")],
        &[("c/d/1", "2")],
    ];
    for files in updates {
        assert!(write(dir.path(), files));
        has(dir.path(), files);
        let names = fs::read_dir(dir.path()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name());
        // No directory is left that has no files.
        let tops = names.filter(|name| !name.to_string_lossy().starts_with(".."));
        let wanted = ["a", "b", "c"].map(|top| files.iter().any(|(path, _)| path.starts_with(top)));
        assert_eq!(tops.count(), wanted.iter().filter(|is| **is).count());
    }
}

#[test]
fn a_file_has_its_owner() {
    as_root(|| {
        let dir = tempfile::tempdir().unwrap();
        let token = FileProjection {
            data: vec![1],
            mode: 0o600,
            fs_user: Some(1000),
        };
        let payload = Payload::from([("token".to_owned(), token)]);
        AtomicWriter::new(dir.path())
            .unwrap()
            .write(&payload, |_| Ok(()))
            .unwrap();
        assert_eq!(fs::metadata(dir.path().join("token")).unwrap().uid(), 1000);
    });
}

#[test]
fn permissions_are_set_before_a_reader_sees_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let writer = AtomicWriter::new(dir.path()).unwrap();
    let files = payload(&[("a", "1")]);
    writer
        .write(&files, |new| {
            assert!(!dir.path().join("a").exists());
            fs::set_permissions(new.join("a"), fs::Permissions::from_mode(0o640)).unwrap();
            Ok(())
        })
        .unwrap();
    assert_eq!(
        fs::metadata(dir.path().join("a")).unwrap().mode() & 0o777,
        0o640
    );
    // A change of the content doesn't make it another file.
    assert!(!writer.write(&files, |_| panic!("nothing is new")).unwrap());
    // An error leaves all as it was.
    let more = payload(&[("a", "2"), ("b", "")]);
    let error = writer
        .write(&more, |_| Err(Error::invalid("not today")))
        .unwrap_err();
    assert_eq!(error.to_string(), "not today");
    has(dir.path(), &[("a", "1")]);
}

#[test]
fn what_others_have_there_stays() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("own"), "kept").unwrap();
    fs::create_dir(dir.path().join("..backup")).unwrap();
    symlink("/etc", dir.path().join("link")).unwrap();
    write(dir.path(), &[("a", "1")]);
    write(dir.path(), &[("b", "1")]);
    assert_eq!(fs::read_to_string(dir.path().join("own")).unwrap(), "kept");
    assert_eq!(
        fs::read_link(dir.path().join("link")).unwrap(),
        Path::new("/etc")
    );
    assert!(dir.path().join("..backup").is_dir());
    // Also where a file of the volume would be: as a kubelet leaves it.
    write(dir.path(), &[("own", "1"), ("c", "3")]);
    assert_eq!(fs::read_to_string(dir.path().join("own")).unwrap(), "kept");
    assert_eq!(
        fs::read_to_string(dir.path().join("..data/own")).unwrap(),
        "1"
    );
    assert_eq!(fs::read_to_string(dir.path().join("c")).unwrap(), "3");
}

#[test]
fn what_a_crash_has_left_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("a", "1"), ("dir/b", "2")]);
    // As after an update that was cut off before its end.
    let left = dir.path().join("..1700000000.000000001");
    fs::create_dir_all(left.join("deep/er")).unwrap();
    fs::write(left.join("deep/er/file"), "").unwrap();
    symlink("..1700000000.000000001", dir.path().join("..data_tmp")).unwrap();
    symlink("..data/gone", dir.path().join("gone")).unwrap();
    fs::remove_file(dir.path().join("a")).unwrap();
    assert!(!write(dir.path(), &[("a", "1"), ("dir/b", "2")]));
    has(dir.path(), &[("a", "1"), ("dir/b", "2")]);
}

#[test]
fn a_data_link_that_leads_elsewhere_is_replaced() {
    for target in ["/etc", "../..", "..", "own", "..data", "..1700000000.1"] {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(outside.path().join("a"), "1").unwrap();
        fs::create_dir(dir.path().join("own")).unwrap();
        symlink(outside.path(), dir.path().join("..1700000000.1")).unwrap();
        symlink(target, dir.path().join("..data")).unwrap();
        assert!(write(dir.path(), &[("a", "1")]), "{target}");
        assert_eq!(fs::read_to_string(dir.path().join("a")).unwrap(), "1");
        assert!(outside.path().join("a").exists() && dir.path().join("own").exists());
        assert!(Path::new("/etc/passwd").exists());
    }
}

#[test]
fn a_full_disk_leaves_the_old_files() {
    as_root(|| {
        let dir = tempfile::tempdir().unwrap();
        let none = None::<&str>;
        mount(
            none,
            dir.path(),
            Some("tmpfs"),
            MsFlags::empty(),
            Some("size=64k"),
        )
        .unwrap();
        write(dir.path(), &[("a", "old"), ("b", "old")]);
        let much = "x".repeat(100_000);
        let files = payload(&[("a", "new"), ("b", &much)]);
        let error = AtomicWriter::new(dir.path())
            .unwrap()
            .write(&files, |_| Ok(()))
            .unwrap_err();
        assert!(
            matches!(
                &error,
                Error::Io {
                    action: "write",
                    ..
                }
            ),
            "{error}"
        );
        has(dir.path(), &[("a", "old"), ("b", "old")]);
        unmount(dir.path());
    });
}

#[test]
fn a_reader_sees_all_old_or_all_new_files() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("a", "0"), ("b", "0")]);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                // As a reader that wants both of one update.
                let data = fs::read_link(dir.path().join("..data")).unwrap();
                let read = |name| fs::read_to_string(dir.path().join(&data).join(name));
                if let (Ok(a), Ok(b)) = (read("a"), read("b")) {
                    assert_eq!(a, b);
                }
            }
        });
        let done = std::panic::catch_unwind(|| {
            for round in 0..500 {
                let text = round.to_string();
                write(dir.path(), &[("a", &text), ("b", &text)]);
            }
        });
        stop.store(true, Ordering::Relaxed);
        done.unwrap();
    });
}

#[test]
fn no_directory_is_an_error_that_names_it() {
    let dir = tempfile::tempdir().unwrap();
    let error = AtomicWriter::new(dir.path().join("none")).unwrap_err();
    assert!(
        matches!(&error, Error::Io { path, .. } if path.ends_with("none")),
        "{error}"
    );
    let file = FileProjection {
        data: b"secret".to_vec(),
        mode: 0o600,
        fs_user: Some(7),
    };
    assert_eq!(format!("{file:?}"), "6 bytes, mode 600, user 7");
}
