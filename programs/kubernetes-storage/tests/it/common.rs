//! Runs the program. With `UPDATE_GOLDEN=1`, the tests rewrite the files in `golden`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Returns the folder with invalid manifests.
pub(crate) fn invalid_manifests() -> PathBuf {
    tests().join("invalid")
}

/// Creates an empty folder of that name.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("lint")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Writes a file below a folder.
pub(crate) fn put(here: &Path, name: &str, text: &str) {
    let path = here.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Returns the files below a folder, by their paths in it, with their texts.
pub(crate) fn texts(folder: &Path) -> BTreeMap<PathBuf, String> {
    let (mut open, mut found) = (vec![folder.to_owned()], BTreeMap::new());
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                found.insert(path.strip_prefix(folder).unwrap().to_owned(), text);
            }
        }
    }
    found
}

/// The result of a run.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `lint` in a folder.
pub(crate) fn run_in(folder: &Path, arguments: &[&str], input: &str) -> Ran {
    run(folder, &[&["lint"], arguments].concat(), input)
}

/// Runs the program in a folder.
pub(crate) fn run(folder: &Path, arguments: &[&str], input: &str) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kubernetes-storage"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("CLICOLOR_FORCE")
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that fails early closes its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs `lint` with a text on standard input.
pub(crate) fn lint(arguments: &[&str], input: &str) -> Ran {
    run_in(&tests(), arguments, input)
}

pub(crate) fn assert_golden(name: &str, found: &str) {
    let path = tests().join("golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, found).unwrap();
    }
    assert_eq!(found, fs::read_to_string(&path).unwrap(), "{name}");
}

pub(crate) const GOOD: &str = "apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: good}
provisioner: csi.example.com
";
