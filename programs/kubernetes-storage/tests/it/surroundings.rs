//! What the files around a file say of it: parts of objects are no manifests.

use crate::common::{folder, put, run_in};

/// A claim without what it must have, and with a field that nobody knows.
const PART: &str = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\n\
                    spec: {volumeMode: Block}\n";

#[test]
fn patches_of_a_kustomization_are_notes() {
    let here = folder("kustomize");
    put(
        &here,
        "base/kustomization.yaml",
        "kind: Kustomization\nresources: [claim.yaml]\npatches:\n- path: patches/one.yaml\n\
         - path: ../two.yaml\n  target: {kind: A}\n- {patch: 'a: b'}\n\
         patchesStrategicMerge:\n- three.yaml\n- |\n  a: b\n\
         patchesJson6902: [{path: four.json}]\nreplacements: [{path: five.yaml}]\n",
    );
    put(
        &here,
        "part/kustomization.yml",
        "kind: Component\npatches: [{path: six.yaml}]\n",
    );
    put(&here, "broken/kustomization.yaml", "patches: [\n");
    for name in [
        "base/patches/one.yaml",
        "two.yaml",
        "base/three.yaml",
        "base/five.yaml",
        "part/six.yaml",
    ] {
        put(&here, name, PART);
    }
    put(
        &here,
        "base/four.json",
        "[{\"op\": \"remove\", \"path\": \"/a\"}]\n",
    );
    for (named, patches) in [
        (".", 6),
        ("base", 4),
        ("base/patches/one.yaml", 1),
        ("base/patches", 1),
    ] {
        let ran = run_in(&here, &[named], "");
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{named}");
        let counted = format!(", {patches} patch");
        let is_counted = ran.stderr.contains(&counted);
        assert!(is_counted, "{named}: {}", ran.stderr);
    }
    // The kustomization can have a name without extension, and the patch can be a link.
    put(
        &here,
        "plain/Kustomization",
        "patches: [{path: ../apart/six.yaml}, {path: link.yaml}]\n",
    );
    put(&here, "apart/six.yaml", PART);
    put(&here, "apart/real.yaml", PART);
    #[cfg(unix)]
    std::os::unix::fs::symlink("../apart/real.yaml", here.join("plain/link.yaml")).unwrap();
    #[cfg(not(unix))]
    put(&here, "plain/link.yaml", PART);
    let ran = run_in(&here, &["plain", "apart"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    // Another file is checked.
    put(&here, "base/claim.yaml", PART);
    let ran = run_in(&here, &["base"], "");
    assert_eq!(ran.stdout.lines().count(), 2, "{}", ran.stdout);
}

#[test]
fn parts_of_objects_in_tests_are_notes() {
    let here = folder("tools");
    put(&here, "of-tool/a/chainsaw-test.yaml", "kind: Test\n");
    put(&here, "steps/b/00-assert.yaml", PART);
    for name in [
        "of-tool/a/assert.yaml",
        "of-tool/a/files/pvc-assert-1.yaml",
        "of-tool/a/01-errors.yml",
        "of-tool/a/patch.yaml",
        "steps/b/01-resize.yaml",
        "Chainsaw/common/part.yaml",
        "tests/common/assert-claim.yaml",
        "pkg/testdata/claim.yaml",
        "pkg/testdata/v1/to/v2/claim.yaml",
    ] {
        put(&here, name, PART);
    }
    let ran = run_in(&here, &["."], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.contains(", 10 assertions"), "{}", ran.stderr);
    let ran = run_in(&here, &["--notes", "."], "");
    let is_note =
        |line: &str| line.ends_with(": Note: part of an object in a test, not checked [assertion]");
    assert!(ran.stdout.lines().all(is_note), "{}", ran.stdout);

    // A whole object of such a test is checked, and any elsewhere.
    let whole = PART.replace(
        "volumeMode: Block",
        "volumeMode: Blok, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}",
    );
    put(&here, "steps/b/02-create.yaml", &whole);
    put(&here, "pkg/testdata/whole.yaml", &whole);
    put(&here, "tests/common/claim.yaml", PART);
    put(&here, "mytestdata/claim.yaml", PART);
    put(&here, "other/assert.yaml", PART);
    put(&here, "other/00-assertions.yaml", PART);
    let ran = run_in(&here, &["."], "");
    let files = ran
        .stdout
        .lines()
        .map(|line| line.split(':').next().unwrap());
    let files: Vec<_> = files.collect();
    let wanted = [
        "mytestdata/claim.yaml",
        "mytestdata/claim.yaml",
        "other/00-assertions.yaml",
        "other/00-assertions.yaml",
        "other/assert.yaml",
        "other/assert.yaml",
        "pkg/testdata/whole.yaml",
        "steps/b/02-create.yaml",
        "tests/common/claim.yaml",
        "tests/common/claim.yaml",
    ];
    assert_eq!(files, wanted);
}

/// What is around tests isn't theirs.
#[test]
fn manifests_beside_tests_are_checked() {
    let here = folder("beside-tests/latest");
    put(&here, ".git/HEAD", "ref: refs/heads/main\n");
    put(
        &here,
        "kuttl-test.yaml",
        "apiVersion: kuttl.dev/v1beta1\nkind: TestSuite\ntestDirs: [./suites/e2e/, no/such]\n",
    );
    put(&here, "suites/e2e/case/01-step.yaml", PART);
    let ran = run_in(&here, &["."], "");
    assert!(ran.stderr.contains(", 1 assertion"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
    for name in [
        "deploy/claim.yaml",
        "suites/claim.yaml",
        "latest/on-error.yaml",
        "greatest-app/assert.yaml",
        "attestation/error.yaml",
        "assert.yaml",
    ] {
        put(&here, name, PART);
        let ran = run_in(&here, &[name], "");
        assert_eq!(ran.stdout.lines().count(), 2, "{name}: {}", ran.stderr);
    }
    // The folders above a repository say nothing of it.
    let inner = folder("beside-tests/tests/repository");
    put(&inner, ".git/HEAD", "ref: refs/heads/main\n");
    put(&inner, "assert.yaml", PART);
    assert_eq!(run_in(&inner, &["."], "").code, 1);
    for name in ["e2e-tests", "Testing", "unittests", "my_test"] {
        let name = format!("{name}/assert.yaml");
        put(&inner, &name, PART);
        assert_eq!(run_in(&inner, &[&name], "").code, 0, "{name}");
    }
}
