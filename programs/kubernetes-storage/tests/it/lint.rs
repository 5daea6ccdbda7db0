//! `kubernetes-storage lint`: findings.

use std::fs;
use std::path::Path;

use crate::common::{GOOD, assert_golden, folder, invalid_manifests, lint, run, run_in};

#[test]
fn a_folder_is_checked() {
    let ran = run_in(&invalid_manifests(), &["."], "");
    assert_golden("manifests.txt", &ran.stdout);
    assert_golden("manifests.summary.txt", &ran.stderr);
    assert_eq!(ran.code, 1);
}

#[test]
fn gates_are_heeded() {
    let text = "apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {name: csi.example.com}
spec: {seLinuxMount: true, preventPodSchedulingIfMissing: true}
";
    let lines = |arguments: &[&str]| lint(arguments, text).stdout.lines().count();
    assert_eq!(lines(&["--target-release=1.26"]), 2);
    assert_eq!(
        lines(&[
            "--target-release=1.26",
            "--feature-gate=SELinuxMountReadWriteOncePod=true"
        ]),
        1
    );
    assert_eq!(lines(&["--target-release=1.36"]), 1);
    assert_eq!(
        lines(&["--target-release=1.36", "--feature-gate=AllAlpha=true"]),
        0
    );
    let off = [
        "--feature-gate=AllBeta=false",
        "--feature-gate=VolumeLimitScaling=true",
    ];
    assert_eq!(lines(&off[..1]), 1);
    assert_eq!(lines(&off), 0);
}

#[test]
fn nothing_wrong_is_nothing_said() {
    let ran = lint(&[], GOOD);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert_eq!(ran.stderr, "1 file, 1 object, 0 errors, 0 warnings\n");
    for empty in [
        "",
        "\n\n",
        "---\n---\n",
        "# nothing\n",
        "null\n",
        "\u{feff}",
    ] {
        let ran = lint(&["-"], empty);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{empty:?}");
        assert_eq!(
            ran.stderr, "1 file, 0 objects, 0 errors, 0 warnings\n",
            "{empty:?}"
        );
    }
}

#[test]
fn a_broken_document_hides_no_other() {
    let bad = GOOD.replace("good", "bad").replace("csi.example.com", "''");
    let text = format!(
        "{GOOD}---\n{{kind: A, apiVersion: b, [\n---\n{bad}...\n# the last\n---\n\
         {{apiVersion: a, kind: b}}, c\n"
    );
    let ran = lint(&[], &text);
    let lines: Vec<_> = ran.stdout.lines().collect();
    assert!(
        lines[0].starts_with("<stdin>:6: document 2: Syntax error: "),
        "{lines:?}"
    );
    let wanted = "<stdin>:11: storage.k8s.io/v1 StorageClass bad: provisioner: Required value: ";
    assert!(lines[1].starts_with(wanted), "{lines:?}");
    assert!(
        lines[2].starts_with("<stdin>:15: document 4: Syntax error: "),
        "{lines:?}"
    );
    assert_eq!(ran.stderr, "1 file, 4 objects, 3 errors, 0 warnings\n");
}

#[test]
fn json_is_read_from_anywhere() {
    let class = |name: &str, more: &str| {
        format!(
            "{{\"apiVersion\": \"storage.k8s.io/v1\", \"kind\": \"StorageClass\",\n\
             \"provisioner\": \"a\", \"metadata\": {{\"name\": \"{name}\"}}{more}}}\n"
        )
    };
    let text = class("a", "") + &class("b", ", oops") + &class("c", ", \"d\": 1");
    let lines = |out: &str| -> Vec<String> {
        out.lines()
            .map(|line| line.split(": ").take(2).collect::<Vec<_>>().join(": "))
            .collect()
    };
    let wanted = [
        "<stdin>:4: document 2",
        "<stdin>:6: storage.k8s.io/v1 StorageClass c",
    ];
    assert_eq!(lines(&lint(&[], &text).stdout), wanted);
    // JSON with document markers of YAML, and YAML that begins like JSON.
    let text = format!(
        "{}---\n{}---\n{{kind: Other}}\n",
        class("a", ""),
        class("a", "")
    );
    let ran = lint(&[], &text);
    assert_eq!(
        lines(&ran.stdout),
        ["<stdin>:5: storage.k8s.io/v1 StorageClass a"]
    );
    assert_eq!(
        ran.stderr,
        "1 file, 2 objects, 1 error, 0 warnings, 1 document left alone\n"
    );
}

#[test]
fn what_is_nobodys_is_left_alone_unless_it_is_meant_for_us() {
    let left = |text: &str| lint(&[], text).stderr.contains("1 document left alone");
    for text in [
        "apiVersion: apps/v1\nkind: Deployment\nspec: {a: 1, a: 2}\n",
        "apiVersion: example.com/v1\nkind: StorageClass\n",
        "replicas: 3\n",
        "- a\n- b\n",
        "just text\n",
    ] {
        assert!(left(text), "{text}");
    }
    for text in [
        "apiVersion: v1\nkind: StorageClass\n",
        "apiVersion: storage/v1\nkind: StorageClass\n",
        "kind: StorageClass\n",
        "apiVersion: stroage.k8s.io/v1\nkind: StorageClass\n",
        "apiVersion: snapshot.storage.k8s.io/v1\nkind: StorageClass\n",
        "apiVersion: snapshot.storage.k8s.io/v1\nkind: PersistentVolumeClaim\n",
        "apiVersion: groupsnapshot.storage.k8s.io/v1\nkind: VolumeSnapshot\n",
        "apiVersion: snapshot.storage.k8s.io/v1\nkind: VolumeGroupSnapshotList\n",
        "apiVersion: storage.k8s.io/v1\n",
        "apiVersion: storage.k8s.io/v1\nkind: StorageClas\n",
        "apiVersion: v1\nkind: List\nitems: {}\n",
    ] {
        let ran = lint(&[], text);
        assert_eq!(
            (ran.code, ran.stdout.lines().count()),
            (1, 1),
            "{text}{}",
            ran.stdout
        );
    }
    // The kind is right, and its group isn't.
    let text = "apiVersion: snapshot.storage.k8s.io/v1\nkind: VolumeGroupSnapshot\n";
    let ran = lint(&[], text);
    let expected = "; available: groupsnapshot.storage.k8s.io/v1 VolumeGroupSnapshot [unknownKind]";
    assert!(ran.stdout.contains(expected), "{}", ran.stdout);
}

/// Covers enumerations: of a type, of a list, of a field that doesn't accept all of its type, and
/// of Kubernetes' core.
#[test]
fn the_value_that_is_meant_is_told() {
    let mode = "it must be one of [\"Immediate\", \"WaitForFirstConsumer\"]";
    for (object, expected) in [
        (
            "StorageClass\nvolumeBindingMode: Imediate",
            format!("\"Imediate\": {mode}; did you mean \"Immediate\"? [enum]\n"),
        ),
        // No accepted value is similar to these.
        (
            "StorageClass\nvolumeBindingMode: Later",
            format!("\"Later\": {mode} [enum]\n"),
        ),
        (
            "StorageClass\nvolumeBindingMode: ''",
            format!("\"\": {mode} [enum]\n"),
        ),
        (
            "StorageClass\nreclaimPolicy: retian",
            "can't be recycled; did you mean \"Retain\"? [enum]\n".to_owned(),
        ),
        (
            "StorageClass\nreclaimPolicy: Recycle",
            "can't be recycled [enum]\n".to_owned(),
        ),
        (
            "CSIDriver\nspec: {volumeLifecycleModes: [ephemeral]}",
            "; did you mean \"Ephemeral\"? [enum]\n".to_owned(),
        ),
        (
            "VolumeAttachment\nspec: {source: {inlineVolumeSpec: {accessModes: [readwriteOnce]}}}",
            "; did you mean \"ReadWriteOnce\"? [enum]\n".to_owned(),
        ),
    ] {
        let ran = lint(
            &[],
            &format!("apiVersion: storage.k8s.io/v1\nkind: {object}\n"),
        );
        assert!(ran.stdout.contains(&expected), "{expected}{}", ran.stdout);
    }
    for format in ["json", "sarif", "junit", "github"] {
        let text = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\n\
                    metadata: {name: a}\nprovisioner: a\nvolumeBindingMode: immediate\n";
        let ran = lint(&["--format", format], text);
        let out = ran.stdout.replace("&quot;", "\"").replace('\\', "");
        assert!(
            out.contains("did you mean \"Immediate\"?"),
            "{}",
            ran.stdout
        );
    }
}

#[test]
fn what_is_meant_is_told() {
    for (kind, expected) in [
        ("StorageClas", "did you mean StorageClass?"),
        ("csidriver", "did you mean CSIDriver?"),
        ("VolumeAttachement", "did you mean VolumeAttachment?"),
        // Fields: of the kind, of its metadata, of a part and of a type of Kubernetes' core.
        (
            "StorageClass\nmountoptions: []",
            "did you mean mountOptions?",
        ),
        (
            "StorageClass\nmetadata: {anotations: {}}",
            "did you mean annotations?",
        ),
        (
            "CSIDriver\nspec: {attachRequird: true}",
            "did you mean attachRequired?",
        ),
        (
            "VolumeAttachment\nspec: {source: {inlineVolumeSpec: {acessModes: []}}}",
            "did you mean accessModes?",
        ),
        (
            "StorageClass\nspec: {}",
            "correct its name or position, or remove it",
        ),
        ("Pod", "available: storage.k8s.io/v1 CSIDriver, "),
        ("StorageClasList", "did you mean StorageClassList?"),
        ("VolumeAttachmentLst", "did you mean VolumeAttachment?"),
    ] {
        let ran = lint(
            &[],
            &format!("apiVersion: storage.k8s.io/v1\nkind: {kind}\n"),
        );
        assert!(ran.stdout.contains(expected), "{}", ran.stdout);
    }
}

#[test]
fn one_object_in_two_files_is_told() {
    let here = folder("twice");
    fs::create_dir(here.join("inner")).unwrap();
    fs::write(here.join("a.yaml"), GOOD).unwrap();
    fs::write(here.join("inner/b.yml"), GOOD.replace("/v1", "/v1beta1")).unwrap();
    // A file that is named twice is checked once.
    let arguments = [
        "--target-release=1.21",
        "--apply-set=all",
        "inner/b.yml",
        "./a.yaml",
        ".",
    ];
    let ran = run_in(&here, &arguments, "");
    assert!(ran.stdout.contains("inner/b.yml:3: "), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains(": Duplicate object: already defined at ./a.yaml:1;")
    );
    assert!(
        ran.stderr
            .starts_with("note: the rules cover Kubernetes 1.31 to 1.")
    );
    assert!(
        ran.stderr
            .ends_with("those of 1.21 may differ\n2 files, 2 objects, 1 error, 1 warning\n")
    );
    // Files that are not applied together may define the same object.
    for arguments in [&["."][..], &["--apply-set=folder", "."]] {
        assert!(
            !run_in(&here, arguments, "")
                .stdout
                .contains("Duplicate object")
        );
    }
    fs::copy(here.join("a.yaml"), here.join("c.yaml")).unwrap();
    let ran = run_in(&here, &["--apply-set=folder", "."], "");
    assert_eq!(
        ran.stdout.matches("already defined at a.yaml:1;").count(),
        1
    );
    let ran = lint(&[], &format!("{GOOD}---\n{GOOD}"));
    assert_eq!(
        ran.stdout.matches("already defined at <stdin>:1;").count(),
        1
    );
    // A server ignores the namespace of what is in none.
    let class = GOOD.replace("name: good", "name: good, namespace: a");
    assert_ne!(class, GOOD);
    let ran = lint(&[], &format!("{GOOD}---\n{class}"));
    let found = ran.stdout.matches("[duplicateObject]").count();
    assert_eq!(found, 1, "{}", ran.stdout);
    // Objects in two namespaces are different.
    let capacity = "apiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\n\
                    metadata: {name: a, namespace: x}\nstorageClassName: fast\n";
    let text = format!("{capacity}---\n{}", capacity.replace(": x", ": z"));
    let ran = lint(&[], &text);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
}

#[test]
fn trouble_is_reported_and_the_rest_checked() {
    let here = folder("trouble");
    fs::write(here.join("a.yaml"), GOOD.replace("csi.example.com", "''")).unwrap();
    let ran = run_in(&here, &["missing.yaml", "a.yaml"], "");
    assert_eq!(ran.code, 2);
    assert_eq!(ran.stdout.lines().count(), 1);
    let expected = "error: missing.yaml: no such file or directory\n";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);

    fs::write(
        here.join("a.yaml"),
        b"apiVersion: v1\nkind: a\nname: \xff\n",
    )
    .unwrap();
    let ran = run_in(&here, &["a.yaml"], "");
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout
            .starts_with("a.yaml:3: document 1: Syntax error: "),
        "{}",
        ran.stdout
    );
}

#[cfg(unix)]
#[test]
fn links_neither_loop_nor_stop_it() {
    use std::os::unix::fs::symlink;

    let here = folder("links");
    fs::write(here.join("a.yaml"), GOOD).unwrap();
    symlink(".", here.join("loop")).unwrap();
    symlink("nowhere", here.join("gone.yaml")).unwrap();
    let ran = run_in(&here, &["."], "");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("gone.yaml: no such file or directory"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .ends_with("1 file, 1 object, 0 errors, 0 warnings, 1 file skipped\n")
    );
}

/// Custom resources are checked by their schemas, which distinguish absent from empty fields.
#[test]
fn custom_resources_are_checked() {
    let text = "apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshotClass
metadata: {name: a}
deletionPolicy: Keep
---
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshot
metadata: {name: b}
spec:
  source: {persistentVolumeClaimName: data, volumeSnapshotContentName: data}
---
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshotContent
metadata: {name: c}
spec:
  driver: ''
---
apiVersion: snapshot.storage.k8s.io/v1beta1
kind: VolumeSnapshot
metadata: {name: d}
";
    let ran = lint(&["--format=json"], text);
    let rows = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let found: Vec<String> = rows
        .filter(|row: &serde_json::Value| row.get("summary").is_none())
        .map(|row| {
            let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
            format!("{} {} {}", row["line"], text("path"), text("reason"))
        })
        .collect();
    let wanted = [
        "1 driver FieldValueRequired",
        "4 deletionPolicy FieldValueNotSupported",
        "10 spec.source FieldValueInvalid",
        "15 spec.deletionPolicy FieldValueRequired",
        "15 spec.source FieldValueRequired",
        "15 spec.volumeSnapshotRef FieldValueRequired",
        // It is checked as one of v1.
        "18 apiVersion NotServed",
        "18 spec FieldValueRequired",
    ];
    assert_eq!(found, wanted);
}

/// The README shows the program's output, for a fixed release, so that a new one doesn't change it.
#[test]
fn the_readme_is_true() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let arguments = [
        "--target-release",
        "1.37",
        "programs/kubernetes-storage/tests/invalid/classes.yaml",
    ];
    let ran = run_in(folder.ancestors().nth(2).unwrap(), &arguments, "");
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    let command = format!("kubernetes-storage -- lint {}\n", arguments.join(" "));
    assert!(
        readme.contains(&command),
        "programs/kubernetes-storage/README.md should have {command}"
    );
    let shown = format!("```text\n{}{}```", ran.stdout, ran.stderr);
    assert!(
        readme.contains(&shown),
        "programs/kubernetes-storage/README.md should have\n{shown}"
    );
}

/// Of groups with other kinds too, those with nearly the name of a known one are errors.
#[test]
fn misspelt_kinds_are_errors() {
    let object = |version: &str, kind: &str| {
        format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n")
    };
    let snapshots = "snapshot.storage.k8s.io/v1";
    let groups = "groupsnapshot.storage.k8s.io/v1";
    for (version, kind, meant) in [
        (snapshots, "VolumeSnapshotClas", "VolumeSnapshotClass"),
        (snapshots, "volumesnapshot", "VolumeSnapshot"),
        (snapshots, "VolumeSnapshotsList", "VolumeSnapshotList"),
        (
            groups,
            "VolumeGroupSnapshotClas",
            "VolumeGroupSnapshotClass",
        ),
        (
            groups,
            "volumegroupsnapshotcontent",
            "VolumeGroupSnapshotContent",
        ),
        ("v1", "PersistentVolumeClame", "PersistentVolumeClaim"),
        ("v1", "PersistantVolume", "PersistentVolume"),
    ] {
        let text = object(version, kind);
        let wanted = format!("Kubernetes has no {version} {kind}; did you mean {meant}?");
        let ran = lint(&[], &text);
        let line =
            format!("<stdin>:2: {version} {kind} a: kind: Unknown kind: {wanted} [unknownKind]\n");
        assert_eq!((ran.code, ran.stdout), (1, line));
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        for command in ["defaults", "convert"] {
            let ran = run(here, &[command], &text);
            assert_eq!(ran.code, 1, "{command} {kind}");
            assert!(ran.stderr.contains(&wanted), "{command}: {}", ran.stderr);
        }
    }
    for (version, kind) in [
        ("v1", "Pod"),
        ("v1", "PodTemplate"),
        ("v1", "Volume"),
        ("snapshot.storage.k8s.io/v2", "VolumeSnapshotClas"),
        ("example.com/v1", "VolumeSnapshotClas"),
    ] {
        assert_eq!(
            lint(&[], &object(version, kind)).code,
            0,
            "{version} {kind}"
        );
    }
}
