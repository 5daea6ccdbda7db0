//! What is read as manifests: names, encodings, and values that only a server skips.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use crate::common::{GOOD, folder, lint, run, run_in};

#[test]
fn files_have_extensions_in_any_case_and_pipes_are_left_alone() {
    let here = folder("inputs");
    for name in ["A.YAML", "b.Yml", "c.txt"] {
        fs::write(here.join(name), GOOD).unwrap();
    }
    fs::write(here.join("d.JSON"), "apiVersion: v1\nkind: A\n").unwrap();
    let made = Command::new("mkfifo").arg(here.join("p.yaml")).status();
    assert!(made.unwrap().success());
    let ran = run_in(&here, &["--verbose", "."], "");
    assert!(ran.stderr.contains("skipped: p.yaml\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("3 files, "), "{}", ran.stderr);
    // JSON isn't YAML.
    assert!(ran.stdout.starts_with("d.JSON:1: "), "{}", ran.stdout);
}

#[test]
fn utf16_needs_a_byte_order_mark() {
    let here = folder("utf16");
    let text = format!("\u{feff}{}# é𝄞\n", GOOD.replace("csi.example.com", "''"));
    let units = || text.encode_utf16();
    let little: Vec<_> = units().flat_map(u16::to_le_bytes).collect();
    let big: Vec<_> = units().flat_map(u16::to_be_bytes).collect();
    for bytes in [&little, &big] {
        fs::write(here.join("a.yaml"), bytes).unwrap();
        let ran = run_in(&here, &["a.yaml"], "");
        let wanted = "a.yaml:4: storage.k8s.io/v1 StorageClass good: provisioner: Required value";
        assert!(ran.stdout.starts_with(wanted), "{}", ran.stdout);
        assert_eq!(ran.stdout.lines().count(), 1);
    }
    let half = [0xff, 0xfe, 0x00, 0xd8].as_slice();
    for bad in [&little[2..], &little[..little.len() - 1], half] {
        fs::write(here.join("a.yaml"), bad).unwrap();
        assert_eq!(run_in(&here, &["a.yaml"], "").code, 1);
    }
    // Its bytes would change.
    fs::write(here.join("a.yaml"), &little).unwrap();
    let ran = run(&here, &["convert", "--check", "a.yaml"], "");
    assert!(ran.stderr.contains("invalid UTF-8"), "{}", ran.stderr);
}

#[test]
fn names_that_are_not_utf8_are_kept_in_sarif() {
    let here = folder("names");
    let bad = GOOD.replace("csi.example.com", "''");
    fs::write(here.join(OsStr::from_bytes(b"a\xff b.yaml")), bad).unwrap();
    let ran = run_in(&here, &["--format=sarif", "."], "");
    assert!(
        ran.stdout.contains("\"uri\": \"a%FF%20b.yaml\""),
        "{}",
        ran.stdout
    );
}

#[test]
fn elements_of_lists_have_places_of_their_own() {
    let places = |text: &str| {
        let ran = lint(&["--format=json"], text);
        let rows = ran.stdout.lines().map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            (row["line"].clone(), row["column"].clone())
        });
        let mut rows: Vec<_> = rows.collect();
        rows.pop();
        rows
    };
    let text = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: a}\nspec:\n  \
                capacity: {storage: 1Gi}\n  hostPath: {path: /a}\n  accessModes:\n  \
                - ReadWriteOnce\n  - bad\n";
    assert_eq!(places(text), [(9.into(), 5.into())]);
    let text = "{\"apiVersion\": \"v1\", \"kind\": \"PersistentVolume\",\n\"metadata\": {\"name\": \
                \"a\"},\n\"spec\": {\"capacity\": {\"storage\": \"1Gi\"}, \"hostPath\": {\"path\": \
                \"/a\"},\n\"accessModes\": [\"ReadWriteOnce\",\n \"bad\"]}}\n";
    assert_eq!(places(text), [(5.into(), 2.into())]);
}

/// A field that is newer than the release is skipped, whatever its type.
#[test]
fn fields_that_the_release_lacks_are_not_read() {
    let text = "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: a}\nspec:\n  \
                podInfoOnMount: true\n  serviceAccountTokenInSecrets: [a]\n  \
                tokenRequests: [{audience: a}]\n";
    let old = lint(&["--target-release=1.34"], text);
    assert_eq!(old.code, 0, "{}", old.stdout);
    assert!(old.stdout.starts_with("<stdin>:6: "), "{}", old.stdout);
    assert_eq!(old.stdout.lines().count(), 1, "{}", old.stdout);
    let new = lint(&[], text);
    assert!(new.stdout.contains("Wrong type"), "{}", new.stdout);
    let other = text.replace("podInfoOnMount: true", "podInfoOnMount: 5");
    let ran = lint(&["--target-release=1.34"], &other);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stdout.contains("Wrong type"), "{}", ran.stdout);
}

/// A server drops the status of a new custom resource unread.
#[test]
fn the_status_of_a_custom_resource_is_not_read() {
    let snapshot = |class: &str, status: &str| {
        format!(
            "apiVersion: snapshot.storage.k8s.io/v1\nkind: VolumeSnapshot\nmetadata: {{name: a}}\n\
             spec: {{source: {{persistentVolumeClaimName: b}}, volumeSnapshotClassName: {class}}}\n\
             status: {status}\n"
        )
    };
    for status in ["5", "[a]", "{creationTime: now, restoreSize: 1.5}"] {
        let ran = lint(&[], &snapshot("c", status));
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{status}");
        let ran = lint(&[], &snapshot("''", status));
        assert_eq!(ran.code, 1, "{status}");
    }
    let volume = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: a}\nstatus: 5\n";
    assert!(lint(&[], volume).stdout.contains("Wrong type"));
}

/// kubectl reads each document by itself, so that one can begin with a byte order mark.
#[test]
fn byte_order_marks_may_begin_documents() {
    let bad = GOOD.replace("csi.example.com", "''");
    let lines = |text: &str| {
        let ran = lint(&[], text);
        let lines = ran.stdout.lines().map(|line| {
            let mut parts = line.trim_start_matches("<stdin>:").split(": ");
            format!("{} {}", parts.next().unwrap(), parts.nth(1).unwrap())
        });
        lines.collect::<Vec<_>>()
    };
    for between in ["---\n", "--- \r\n", "--- # a\n"] {
        let text = format!(
            "\u{feff}{bad}{between}\u{feff}{}",
            bad.replace("good", "other")
        );
        assert_eq!(
            lines(&text),
            ["4 provisioner", "9 provisioner"],
            "{between:?}"
        );
    }
    // Elsewhere it is in a document.
    for between in [
        "---\n\n\u{feff}",
        "---\n---\n\u{feff}",
        "---\n\u{feff}\u{feff}",
        "\u{feff}---\n",
        "...\n\u{feff}",
    ] {
        let text = format!("{GOOD}{between}{}", GOOD.replace("good", "other"));
        assert!(
            lint(&[], &text).stdout.contains("Syntax error"),
            "{between:?}"
        );
    }
}
