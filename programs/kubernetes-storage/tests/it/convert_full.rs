//! `kubernetes-storage convert`: files that can't be written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Ran, folder, put, run, texts};

const OLD: &str = "apiVersion: storage.k8s.io/v1beta1\nkind: StorageClass\nmetadata: {name: a}\n\
                   provisioner: a\n";

/// Runs the program where no file can have more than a kilobyte, as on a full disk. That binds root
/// too.
fn run_limited(here: &Path, arguments: &str) -> Ran {
    let program = env!("CARGO_BIN_EXE_kubernetes-storage");
    let script = format!("trap '' XFSZ; ulimit -f 1; exec {program} convert {arguments}");
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(here)
        .output()
        .unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Makes a folder whose files b and d are large.
fn large_files(name: &str) -> (PathBuf, String) {
    let here = folder(name);
    let large = format!("{OLD}# {}\n", "x".repeat(4096));
    for (name, text) in [("a", OLD), ("b", &large), ("c", OLD), ("d", &large)] {
        put(&here, &format!("t/{name}/x.yaml"), text);
    }
    (here, large)
}

#[test]
fn what_cannot_be_replaced_is_named_and_the_rest_is_written() {
    let (here, large) = large_files("convert-full");
    let ran = run_limited(&here, "--in-place t");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let lines: Vec<_> = ran.stderr.lines().collect();
    let becomes = "storage.k8s.io/v1beta1 StorageClass a becomes storage.k8s.io/v1 StorageClass";
    assert_eq!(lines[0], format!("t/a/x.yaml:1: {becomes}"));
    assert!(lines[1].contains("t/b/x.yaml: cannot write: "), "{lines:?}");
    assert_eq!(lines[2], format!("t/c/x.yaml:1: {becomes}"));
    assert!(lines[3].contains("t/d/x.yaml: cannot write: "), "{lines:?}");
    assert_eq!(lines[4..], ["4 files, 2 changed, 0 templates not read"]);
    let new = OLD.replace("/v1beta1", "/v1");
    let found = texts(&here);
    let found: Vec<_> = found.values().collect();
    assert_eq!(found, [&new, &large, &new, &large]);
}

#[test]
fn an_output_folder_has_all_files_or_none() {
    let (here, _) = large_files("convert-full-output");
    let before = texts(&here);
    let ran = run_limited(&here, "--output o/p t");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    for name in ["b", "d"] {
        let wanted = format!("o/p/{name}/x.yaml: cannot write: ");
        assert_eq!(ran.stderr.matches(&wanted).count(), 1, "{}", ran.stderr);
    }
    assert!(
        ran.stderr
            .ends_with("\n4 files, 0 changed, 0 templates not read\n"),
        "{}",
        ran.stderr
    );
    assert!(!here.join("o").exists());
    // What was there stays.
    put(&here, "o/p/a/other.yaml", "a: b\n");
    assert_eq!(run_limited(&here, "--output o/p t").code, 2);
    fs::remove_file(here.join("o/p/a/other.yaml")).unwrap();
    assert_eq!(texts(&here), before);
    assert_eq!(fs::read_dir(here.join("o/p")).unwrap().count(), 1);
    let ran = run(&here, &["convert", "--output", "o/p", "t"], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(texts(&here.join("o/p")).len(), 4);
}
