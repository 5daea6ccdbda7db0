//! Versions of custom resources that aren't served any more.

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
    // Others of the group aren't known, nor other kinds.
    let other = OLD.replace("v1beta1", "v1alpha1");
    assert_eq!(lint(&[], &other).stdout, "");
    assert_eq!(lint(&["--kind=CSINode"], OLD).stdout, "");
    let twice = format!("{OLD}---\n{}", OLD.replace("v1beta1", "v1"));
    assert!(lint(&[], &twice).stdout.contains("[duplicateObject]"));
}

#[test]
fn convert_edits_the_version() {
    let here = folder("former");
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
    let here = folder("former-defaults");
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
