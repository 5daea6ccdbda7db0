//! Older versions of custom resources, which are read as the newest.

use crate::common::{folder, lint, put, run};

const OLD: &str = r#"# the first
apiVersion: snapshot.storage.k8s.io/v1beta1 # old
kind: VolumeSnapshot
metadata: {name: data, namespace: a}
spec:
  volumeSnapshotClassName: ''
  source: {persistentVolumeClaimName: data}
  sources: []
---
apiVersion: v1
kind: List
items:
- {apiVersion: "snapshot.storage.k8s.io/v1beta1", kind: VolumeSnapshotClass, metadata: {name: a}, driver: a, deletionPolicy: Keep}
"#;

/// An object is checked as one of the version that is served, at its places.
#[test]
fn lint_says_it_and_checks_the_rest() {
    let ran = lint(&[], OLD);
    let found = ran.stdout.lines().map(|line| {
        let place = line.split_once(": ").unwrap().0;
        let rule = line.rsplit_once('[').unwrap().1;
        format!("{place} {}", rule.trim_end_matches(']'))
    });
    let wanted = [
        "<stdin>:2 notServed",
        "<stdin>:6 x-kubernetes-validations",
        "<stdin>:8 unknownField",
        "<stdin>:13 notServed",
        "<stdin>:13 enum",
    ];
    assert_eq!(found.collect::<Vec<_>>(), wanted, "{}", ran.stdout);
    let said = "snapshot.storage.k8s.io/v1beta1 VolumeSnapshot a/data: apiVersion: Not served: not \
                served since external-snapshotter 6.0; use apiVersion snapshot.storage.k8s.io/v1";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    assert!(
        ran.stderr.starts_with("1 file, 2 objects, 5 errors"),
        "{}",
        ran.stderr
    );
    // Other versions of the group aren't known, nor other kinds.
    let other = OLD.replace("v1beta1", "v1alpha1");
    assert_eq!(lint(&[], &other).stdout, "");
    assert_eq!(lint(&["--kind=CSINode"], OLD).stdout, "");
    let twice = format!("{OLD}---\n{}", OLD.replace("v1beta1", "v1"));
    assert!(lint(&[], &twice).stdout.contains("[duplicateObject]"));
}

#[test]
fn convert_edits_the_version() {
    let here = folder("older");
    put(&here, "a.yaml", OLD);
    let ran = run(&here, &["convert", "--in-place", "."], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = std::fs::read_to_string(here.join("a.yaml")).unwrap();
    assert_eq!(text, OLD.replace("v1beta1", "v1"));
    let wanted = "a.yaml:2: snapshot.storage.k8s.io/v1beta1 VolumeSnapshot data becomes \
                  snapshot.storage.k8s.io/v1 VolumeSnapshot\n";
    assert!(ran.stderr.starts_with(wanted), "{}", ran.stderr);
    assert_eq!(run(&here, &["convert", "--check", "."], "").code, 0);
    // What has another shape stays, with the reason.
    let other = OLD.replace("driver: a", "driver: {}");
    put(&here, "a.yaml", &other);
    let ran = run(&here, &["convert", "--in-place", "."], "");
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr
            .contains("VolumeSnapshotClass a: driver: invalid type"),
        "{}",
        ran.stderr
    );
    assert_eq!(std::fs::read_to_string(here.join("a.yaml")).unwrap(), other);
}

#[test]
fn defaults_refuses_it() {
    let here = folder("older-defaults");
    put(&here, "a.yaml", OLD);
    let ran = run(&here, &["defaults", "a.yaml"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(
        ran.stderr
            .contains("not served since external-snapshotter 6.0"),
        "{}",
        ran.stderr
    );
}

const GROUPS: &str = r#"apiVersion: groupsnapshot.storage.k8s.io/v1beta2 # served
kind: VolumeGroupSnapshot
metadata: {name: data, namespace: a}
spec:
  source: {selector: {matchLabels: {app: database}}}
---
apiVersion: "groupsnapshot.storage.k8s.io/v1beta1"
kind: VolumeGroupSnapshotContent
metadata: {name: data}
spec:
  driver: csi.example.com
  deletionPolicy: Delete
  source: {volumeHandles: [a]}
  volumeGroupSnapshotRef: {name: data, namespace: a}
status:
  'volumeSnapshotHandlePairList': # pairs
  - {volumeHandle: a, snapshotHandle: b}
"#;

/// The reasons and places of what is found.
fn found(text: &str) -> Vec<String> {
    let ran = lint(&[], text);
    let found = ran.stdout.lines().map(|line| {
        let place = line.split_once(": ").unwrap().0;
        let rule = line.rsplit_once('[').unwrap().1;
        format!("{place} {}", rule.trim_end_matches(']'))
    });
    found.collect()
}

/// What is served is no error, and what is deprecated a warning; the rest is checked as v1.
#[test]
fn served_versions_are_not_told_as_gone() {
    let ran = lint(&[], GROUPS);
    let said = "<stdin>:7: groupsnapshot.storage.k8s.io/v1beta1 VolumeGroupSnapshotContent data: \
                apiVersion: Warning: deprecated since external-snapshotter 8.4; use apiVersion \
                groupsnapshot.storage.k8s.io/v1 [deprecatedVersion]\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (0, said));

    for version in ["v1beta2", "v1"] {
        let newer = GROUPS.replace("v1beta1", version);
        assert_eq!(found(&newer), ["<stdin>:16 unknownField"], "{version}");
    }
    let bad = GROUPS
        .replace("selector: {matchLabels: {app: database}}", "")
        .replace("Delete", "Keep")
        .replace("- {volumeHandle", "- {unknown: 1, volumeHandle")
        .replace(
            "  'volume",
            "  volumeSnapshotInfoList: []\n  odd: 1\n  'volume",
        );
    let wanted = [
        "<stdin>:5 x-kubernetes-validations",
        "<stdin>:7 deprecatedVersion",
        // Rules in CEL are not evaluated then.
        "<stdin>:12 enum",
        // The name that v1beta2 has given to the list.
        "<stdin>:16 unknownField",
        "<stdin>:17 unknownField",
    ];
    assert_eq!(found(&bad), wanted);
}

#[test]
fn what_cannot_be_read_is_an_error_in_each_version() {
    for version in ["v1beta1", "v1beta2", "v1"] {
        let text = GROUPS.split("---").next().unwrap();
        let text = text.replace("v1beta2", version);
        let also = |rule: &str| match version {
            "v1beta1" => vec!["<stdin>:1 deprecatedVersion".to_owned(), rule.to_owned()],
            _ => vec![rule.to_owned()],
        };
        let twice = text.replace("namespace: a", "namespace: a, namespace: a");
        let unread = text.replace("name: data", "name: [data]");
        assert_eq!(found(&twice), also("<stdin>:3 duplicateField"), "{version}");
        assert_eq!(found(&unread), also("<stdin>:3 wrongType"), "{version}");
        let broken = text.replace("source: {", "source: [");
        assert_eq!(found(&broken), ["<stdin>:5 syntax"], "{version}");
        let misspelt = text.replace("Snapshot\n", "Snapshott\n");
        assert_eq!(found(&misspelt), ["<stdin>:2 unknownKind"], "{version}");
    }
}

#[test]
fn convert_renames_the_list_of_snapshots() {
    let here = folder("older-groups");
    put(&here, "a.yaml", GROUPS);
    let ran = run(&here, &["convert", "--in-place", "."], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let wanted = GROUPS
        .replace("v1beta1", "v1")
        .replace("v1beta2", "v1")
        .replace("volumeSnapshotHandlePairList", "volumeSnapshotInfoList");
    let text = std::fs::read_to_string(here.join("a.yaml")).unwrap();
    assert_eq!(text, wanted);
    assert_eq!(lint(&[], &text).stdout, "");
    // A list with the later name isn't one of this version.
    let both = GROUPS.replace("  'volume", "  volumeSnapshotInfoList: []\n  'volume");
    put(&here, "a.yaml", &both);
    let ran = run(&here, &["convert", "--in-place", "."], "");
    assert_eq!(ran.code, 1);
    let said = "VolumeGroupSnapshotContent data: status.volumeSnapshotInfoList: no such field; \
                this version has volumeSnapshotHandlePairList";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(here.join("a.yaml")).unwrap(), both);
}

#[test]
fn defaults_prints_the_version_of_the_text() {
    let here = folder("older-stored");
    let (snapshot, content) = GROUPS.split_once("---\n").unwrap();
    for version in ["v1beta1", "v1beta2", "v1"] {
        let text = snapshot.replace("v1beta2", version) + "status: {}\nodd: 1\n";
        put(&here, "a.yaml", &text);
        let ran = run(&here, &["defaults", "a.yaml"], "");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let first = format!("apiVersion: groupsnapshot.storage.k8s.io/{version}\n");
        assert!(ran.stdout.starts_with(&first), "{}", ran.stdout);
        assert!(ran.stdout.contains("# not stored: status: {}\n"));
        assert!(
            ran.stderr.contains(": warning: unknown field \"odd\""),
            "{}",
            ran.stderr
        );
        put(&here, "a.yaml", &text.replace("app: database", "app: 5"));
        let ran = run(&here, &["defaults", "a.yaml"], "");
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{version}");
        put(&here, "a.yaml", &text.replace("selector", "select"));
        let ran = run(&here, &["defaults", "a.yaml"], "");
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
        let said =
            format!("error: groupsnapshot.storage.k8s.io/{version} VolumeGroupSnapshot data: ");
        assert!(ran.stderr.contains(&said), "{}", ran.stderr);
    }
    put(&here, "a.yaml", content);
    let ran = run(&here, &["defaults", "a.yaml"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("convert it first"), "{}", ran.stderr);
}
