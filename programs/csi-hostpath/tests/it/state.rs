//! The state folder at the start of the program.

use std::fs;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_csi-hostpath"));
    let socket = folder.join("csi.sock");
    command
        .arg(format!("--endpoint=unix://{}", socket.display()))
        .args(["--nodeid", "node-1", "--statedir"])
        .arg(folder.join("state"))
        .stdin(Stdio::null());
    command
}

/// Runs the program until it listens, and stops it; or until it ends by itself.
fn run(folder: &Path) -> Output {
    let mut process = program(folder).stderr(Stdio::piped()).spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(30);
    let listens = || UnixStream::connect(folder.join("csi.sock")).is_ok();
    while !listens() && process.try_wait().unwrap().is_none() {
        assert!(Instant::now() < end);
        thread::sleep(Duration::from_millis(10));
    }
    let stopped = Command::new("kill").arg(process.id().to_string()).output();
    assert!(stopped.is_ok());
    process.wait_with_output().unwrap()
}

#[test]
fn leftovers_of_calls_are_removed() {
    let folder = TempDir::new().unwrap();
    let state = folder.path().join("state");
    let record = r#"{"id": "kept", "name": "a", "size": 1, "mutable_parameters": {},
        "is_ephemeral": false, "staged": [], "published": {}}"#;
    for made in [
        "data/kept/file",
        "data/orphan/file",
        "data/.new-half/file",
        "volumes/.new-half",
    ] {
        let path = state.join(made);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    fs::write(state.join("volumes/kept.json"), record).unwrap();
    let output = run(folder.path());
    assert!(output.status.success(), "{output:?}");
    assert!(state.join("data/kept/file").exists() && state.join("volumes/kept.json").exists());
    for gone in ["data/orphan", "data/.new-half", "volumes/.new-half"] {
        assert!(!state.join(gone).exists(), "{gone}");
    }
    assert!(!folder.path().join("csi.sock").exists());
}

#[test]
fn a_damaged_record_is_an_error_and_nothing_is_removed() {
    let folder = TempDir::new().unwrap();
    let state = folder.path().join("state");
    fs::create_dir_all(state.join("data/some")).unwrap();
    fs::create_dir_all(state.join("volumes")).unwrap();
    for damaged in ["", "{}", r#"{"id": "some""#, "\0\0\0"] {
        fs::write(state.join("volumes/some.json"), damaged).unwrap();
        let output = run(folder.path());
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains("state/volumes/some.json"), "{text}");
        assert!(state.join("data/some").exists() && state.join("volumes/some.json").exists());
    }
}

#[test]
fn two_programs_cannot_have_one_socket() {
    let folder = TempDir::new().unwrap();
    let mut first = program(folder.path())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !folder.path().join("csi.sock").exists() {
        thread::sleep(Duration::from_millis(10));
    }
    let output = program(folder.path()).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("another process listens there"), "{text}");
    // That one is dead now, and has left its socket.
    let output = run(folder.path());
    assert!(output.status.success(), "{output:?}");
}
