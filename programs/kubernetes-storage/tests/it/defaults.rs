//! `kubernetes-storage defaults`: the stored objects.

use std::fs;
use std::path::Path;

use crate::common::{GOOD, Ran, folder, run};

fn defaults(arguments: &[&str], text: &str) -> Ran {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    run(here, &[&["defaults"], arguments].concat(), text)
}

/// The README shows the output, which doesn't change when it is the input.
#[test]
fn what_is_added_is_marked() {
    let text = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\n\
                metadata: {namespace: default, name: fast}\nprovisioner: csi.example.com\n\
                ---\nkind: Other\napiVersion: v1\n---\n";
    let ran = defaults(&[], text);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(readme).unwrap();
    assert!(
        readme.contains(&format!("```yaml\n{}```", ran.stdout)),
        "{}",
        ran.stdout
    );
    let plain = |text: &str| {
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'));
        lines
            .map(|line| line.replace(" # set by the server", "") + "\n")
            .collect::<String>()
    };
    let again = defaults(&[], &ran.stdout);
    assert_eq!(again.stdout, plain(&ran.stdout));
}

#[test]
fn a_release_and_its_gates_decide() {
    let text = "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: a}\n\
                spec: {preventPodSchedulingIfMissing: true}\n";
    let out = |arguments: &[&str]| defaults(arguments, text).stdout;
    assert!(out(&["--target-release=1.34"]).contains("# not stored: prevent"));
    assert!(out(&["--target-release=1.36"]).contains("# not stored: prevent"));
    let gate = [
        "--target-release=1.36",
        "--feature-gate=VolumeLimitScaling=true",
    ];
    assert!(out(&gate).contains("\n  preventPodSchedulingIfMissing: true\n"));
    let ran = defaults(&["--target-release=1.17"], text);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(
        ran.stderr
            .contains("Kubernetes 1.17 does not serve storage.k8s.io/v1 CSIDriver")
    );
}

#[test]
fn what_is_refused_is_an_error() {
    let good = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: a}\n\
                provisioner: a\n";
    let text = format!(
        "{good}---\n{}---\na: [\n",
        good.replace("name: a", "name: A")
    );
    let ran = defaults(&[], &text);
    assert_eq!(
        (ran.code, ran.stdout.matches("StorageClass").count()),
        (1, 1)
    );
    let lines: Vec<_> = ran.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    let wanted = "<stdin>:6: error: storage.k8s.io/v1 StorageClass A: metadata.name: Invalid";
    assert!(lines[0].starts_with(wanted), "{lines:?}");
    assert!(lines[1].starts_with("<stdin>:11: error: "), "{lines:?}");
    let ran = defaults(&["missing.yaml"], "");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr
            .starts_with("error: missing.yaml: no such file or directory")
    );
}

/// An unknown version of the storage API is an error.
#[test]
fn what_has_never_been_is_an_error() {
    let text = "apiVersion: storage.k8s.io/v2\nkind: CSINode\nmetadata: {name: a}\n---\n\
                apiVersion: example.com/v2\nkind: CSINode\nmetadata: {name: a}\n";
    let ran = defaults(&[], text);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert_eq!(
        ran.stderr,
        "<stdin>:1: error: Kubernetes has no storage.k8s.io/v2 CSINode; available: \
         storage.k8s.io/v1 CSINode, storage.k8s.io/v1beta1 CSINode\n"
    );
}

/// Quantities are in canonical form, what Go leaves out is left out, and a new object isn't being
/// deleted.
#[test]
fn objects_are_printed_as_they_are_stored() {
    let text = "apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: a\n  \
                deletionTimestamp: 2026-01-01T00:00:00Z\n  deletionGracePeriodSeconds: 5\nspec:\n  \
                capacity: {storage: 1024Mi}\n  accessModes: [ReadWriteOnce]\n  \
                storageClassName: ''\n  iscsi: {targetPortal: a, iqn: 'iqn.2026-01.com.a:b', lun: 0, \
                chapAuthDiscovery: false, readOnly: true, fsType: ''}\n  \
                unknown: 1\n---\napiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\n\
                metadata: {name: a, namespace: b}\nstorageClassName: fast\ncapacity: 0.5\n";
    let ran = defaults(&[], text);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        ran.stderr,
        "<stdin>:12: warning: unknown field \"spec.unknown\", not stored\n"
    );
    let stored: Vec<_> = ran
        .stdout
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with('#'))
        .collect();
    for line in ["lun: 0", "readOnly: true", "storageClassName: fast"] {
        assert!(stored.contains(&line), "{line}\n{}", ran.stdout);
    }
    for start in ["storage: 1Gi #", "capacity: 500m #"] {
        let found = stored.iter().any(|line| line.starts_with(start));
        assert!(found, "{start}\n{}", ran.stdout);
    }
    for name in ["deletion", "chapAuthDiscovery", "fsType"] {
        assert!(!stored.iter().any(|line| line.starts_with(name)), "{name}");
        assert!(ran.stdout.contains(&format!("# not stored: {name}")));
    }
}

/// Go leaves them out, but not pointers to structs; of a custom resource, only in metadata.
#[test]
fn empty_lists_and_maps_are_not_stored() {
    let text = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a, labels: {}, \
                finalizers: []}\nspec:\n  accessModes: [ReadWriteOnce]\n  selector: {}\n  \
                resources: {requests: {storage: 1Gi}, limits: {}}\n---\n\
                apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: a, \
                generateName: '', annotations: {}}\nprovisioner: a.b\nparameters: {}\n\
                mountOptions: []\nallowedTopologies: []\nallowVolumeExpansion: false\n---\n\
                apiVersion: snapshot.storage.k8s.io/v1\nkind: VolumeSnapshotClass\n\
                metadata: {name: a, ownerReferences: []}\ndriver: a.b\ndeletionPolicy: Delete\n\
                parameters: {a: ''}\n";
    let ran = defaults(&[], text);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for name in [
        "labels: {}",
        "finalizers: []",
        "limits: {}",
        "generateName: ''",
        "annotations: {}",
        "parameters: {}",
        "mountOptions: []",
        "allowedTopologies: []",
        "ownerReferences: []",
    ] {
        let name = name.replace("''", "\"\"");
        let wanted = format!("# not stored: {name}\n");
        assert!(ran.stdout.contains(&wanted), "{name}\n{}", ran.stdout);
    }
    for kept in [
        "  selector: {}\n",
        "allowVolumeExpansion: false\n",
        "  a: \"\"\n",
    ] {
        assert!(ran.stdout.contains(kept), "{kept}\n{}", ran.stdout);
    }
}

#[test]
fn errors_of_reading_have_a_line_and_a_path() {
    let text = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: a}\n\
                provisioner: a.example.com\nallowVolumeExpansion: 5\n";
    let ran = defaults(&[], text);
    let wanted =
        "<stdin>:5: error: storage.k8s.io/v1 StorageClass a: allowVolumeExpansion: invalid";
    assert!(ran.stderr.starts_with(wanted), "{}", ran.stderr);
}

/// What `lint` leaves out is no error here either.
#[test]
fn what_is_no_manifest_is_left_out() {
    let here = folder("defaults-left-out");
    let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\n";
    for (name, text) in [
        (
            "workflow.yml",
            "on: push\njobs: {a: {steps: [{run: a}]}}\n".to_owned(),
        ),
        ("tsconfig.json", "{\n  // A comment.\n}\n".to_owned()),
        ("template.yaml", "a: {{ b }}\n".to_owned()),
        ("flux.yaml", GOOD.replace("good", "'${NAME}'")),
        (
            "typed.yaml",
            format!("{GOOD}allowVolumeExpansion: ${{EXPAND}}\n"),
        ),
        (
            "kustomization.yaml",
            "patches: [{path: patch.yaml}]\n".to_owned(),
        ),
        ("patch.yaml", claim.to_owned()),
        ("test/00-assert.yaml", claim.to_owned()),
        ("test/01-step.yaml", claim.to_owned()),
        (
            "other.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nspec: 5\n".to_owned(),
        ),
        (
            "values.yaml",
            "kind: [a]\nmetadata: {name: {a: b}}\n".to_owned(),
        ),
    ] {
        fs::create_dir_all(here.join("test")).unwrap();
        fs::write(here.join(name), text).unwrap();
    }
    let ran = run(&here, &["defaults", "."], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    let left_out = "left out: 3 templates, 2 assertions, 1 patch, 1 file without manifests\n";
    assert_eq!(ran.stderr, left_out);
    // What is certain is an error.
    let text = format!("{GOOD}allowVolumeExpansion: ${{EXPAND}}\nreclaimPolicy: Keep\n");
    let ran = run(&here, &["defaults"], &text);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("reclaimPolicy"), "{}", ran.stderr);
}
