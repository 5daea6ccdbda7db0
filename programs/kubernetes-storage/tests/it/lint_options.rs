//! `kubernetes-storage lint`: options.

use std::fs;

use crate::common::{GOOD, Ran, assert_golden, folder, invalid_manifests, lint, run_in};

/// Returns the lines from the path on.
fn messages(ran: &Ran) -> Vec<&str> {
    ran.stdout
        .lines()
        .map(|line| line.splitn(3, ": ").nth(2).unwrap())
        .collect()
}

#[test]
fn what_is_ignored_and_what_is_asked() {
    let here = folder("ignored");
    let bad = GOOD.replace("csi.example.com", "''");
    for path in ["chart/templates/a.yaml", "chart/b.yaml", "c.yaml"] {
        fs::create_dir_all(here.join(path).parent().unwrap()).unwrap();
        fs::write(here.join(path), &bad).unwrap();
    }
    let found = |arguments: &[&str]| {
        let ran = run_in(&here, arguments, "");
        let files = ran
            .stdout
            .lines()
            .map(|line| line.split(':').next().unwrap().to_owned());
        files.collect::<Vec<_>>()
    };
    assert_eq!(
        found(&["."]),
        ["c.yaml", "chart/b.yaml", "chart/templates/a.yaml"]
    );
    assert_eq!(
        found(&["--ignore=templates", "."]),
        ["c.yaml", "chart/b.yaml"]
    );
    assert_eq!(found(&["--ignore=chart/*", "."]), ["c.yaml"]);
    assert_eq!(found(&["--ignore", "*.yaml", "."]), [""; 0]);
    assert_eq!(found(&["--ignore=chart/", "chart", "c.yaml"]), ["c.yaml"]);
    assert_eq!(found(&["--ignore=./c.yaml", "--ignore=b.*", "."]).len(), 1);
    assert_eq!(found(&["--kind=CSINode", "."]), [""; 0]);
    assert_eq!(
        found(&["--kind=CSINode", "--kind=StorageClass", "c.yaml"]),
        ["c.yaml"]
    );
}

/// A field that only other releases have is a warning, or an error if strict; one whose feature
/// gate is off is a warning.
#[test]
fn fields_of_other_releases() {
    let driver = |field: &str| {
        format!(
            "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {{name: a}}\n\
             spec: {{{field}: true}}\n"
        )
    };
    let newer = driver("preventPodSchedulingIfMissing");
    let ran = lint(&["--target-release=1.34"], &newer);
    let lines = messages(&ran);
    assert!(lines[0].contains("Unknown field: Kubernetes 1.34 has no such field"));
    assert_eq!((ran.code, lines.len()), (0, 1), "{}", ran.stdout);
    assert_eq!(
        lint(&["--target-release=1.34", "--strict-unknown"], &newer).code,
        1
    );
    let ran = lint(&["--target-release=1.36", "--strict-unknown"], &newer);
    assert!(messages(&ran)[0].contains("its feature gate is disabled"));
    assert_eq!(ran.code, 0);
    // The flag that enables a version.
    let text = "apiVersion: storage.k8s.io/v1beta1\nkind: VolumeAttributesClass\n\
                metadata: {name: a}\ndriverName: a\nparameters: {a: b}\n";
    let ran = lint(&["--target-release=1.33"], text);
    let expected = "served only with --runtime-config=storage.k8s.io/v1beta1=true";
    assert!(ran.stdout.contains(expected), "{}", ran.stdout);
}

/// A source of data that is neither a claim nor a snapshot is dropped by every server, also with
/// `fieldValidation=Strict`.
#[test]
fn a_source_of_another_kind_is_dropped() {
    let claim = |source: &str| {
        format!(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: a}}\nspec:\n  \
             accessModes: [ReadWriteOnce]\n  resources: {{requests: {{storage: 1Gi}}}}\n  \
             dataSource: {{{source}}}\n"
        )
    };
    for release in ["--target-release=1.31", "--target-release=1.37"] {
        for source in [
            "kind: Pod, name: a",
            "kind: VolumeSnapshot, name: a",
            "apiGroup: example.com, kind: VolumeSnapshot, name: a",
            "apiGroup: example.com, kind: Population, name: a",
        ] {
            for strict in [&[release] as &[_], &[release, "--strict-unknown"]] {
                let ran = lint(strict, &claim(source));
                let wanted = "<stdin>:7: v1 PersistentVolumeClaim a: spec.dataSource: Warning: a \
                              server drops it: it takes a PersistentVolumeClaim, ";
                assert!(ran.stdout.starts_with(wanted), "{source}: {}", ran.stdout);
                assert_eq!((ran.code, ran.stdout.lines().count()), (0, 1), "{source}");
            }
        }
        for source in [
            "kind: PersistentVolumeClaim, name: a",
            "apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: a",
        ] {
            assert_eq!(lint(&[release], &claim(source)).stdout, "", "{source}");
        }
    }
}

/// Formats for other programs have the position of each finding.
#[test]
fn other_formats() {
    let here = folder("formats");
    fs::write(
        here.join("a,b c.yaml"),
        GOOD.replace("csi.example.com", "'5%: x'"),
    )
    .unwrap();
    fs::write(here.join("chart.yaml"), "a: {{ b }}\n").unwrap();
    let run = |format: &str| {
        let ran = run_in(&here, &["--notes", "--format", format, "."], "");
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        ran.stdout
    };
    for (name, format) in [
        ("formats.github", "github"),
        ("formats.xml", "junit"),
        ("formats.sarif", "sarif"),
    ] {
        let version = env!("CARGO_PKG_VERSION");
        let out = run(format).replace(&format!("\"{version}\""), "\"0.0.0\"");
        assert_golden(name, &out);
    }
    let sarif: serde_json::Value = serde_json::from_str(&run("sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 2);
}

#[test]
fn a_wrong_command_line_says_what_is_right() {
    for (argument, expected) in [
        ("--target-release=1", "expected a release such as 1."),
        (
            "--target-release=1.99",
            "unsupported release; the newest is 1.",
        ),
        (
            "--target-release=0.9",
            "unsupported release; the newest is 1.",
        ),
        (
            "--feature-gate=VolumeAttributeClass=true",
            "Kubernetes 1.37 has no feature gate VolumeAttributeClass; did you mean \
             VolumeAttributesClass?",
        ),
        (
            "--feature-gate=NoSuchThingAtAll=true",
            "Kubernetes 1.37 has no feature gate NoSuchThingAtAll; see kube-apiserver --help",
        ),
        (
            "--feature-gate=AnyVolumeDataSource=true",
            "Kubernetes 1.37 has no feature gate AnyVolumeDataSource; 1.31 to 1.3",
        ),
        ("--feature-gate=A", "expected NAME=true or NAME=false"),
        ("--feature-gate=A=1", "expected NAME=true or NAME=false"),
        (
            "--format=xml",
            "[possible values: text, json, junit, sarif, github]",
        ),
        ("--nonsense", "--nonsense"),
        (
            "--kind=StorageClas",
            "did you mean StorageClass? supported kinds: CSI",
        ),
        ("--ignore=a[", "unclosed character class"),
    ] {
        let ran = lint(&[argument], GOOD);
        assert_eq!(ran.code, 2, "{argument}");
        assert!(ran.stderr.contains(expected), "{argument}: {}", ran.stderr);
    }
}

#[test]
fn colours_are_for_terminals() {
    let text = GOOD.replace("csi.example.com", "''");
    let plain = lint(&[], &text).stdout;
    assert!(!plain.contains('\u{1b}'), "{plain}");
    assert_eq!(lint(&["--color=never"], &text).stdout, plain);
    let colored = lint(&["--color=always"], &text).stdout;
    assert!(
        colored.contains("\u{1b}[1m\u{1b}[31mRequired value\u{1b}[0m"),
        "{colored:?}"
    );
    let json = lint(&["--color=always", "--format=json"], &text).stdout;
    assert!(!json.contains('\u{1b}'), "{json}");
}

/// Texts of a manifest can neither move the cursor nor imitate another line.
#[test]
fn text_stays_on_its_line() {
    let text = GOOD.replace("good", "\"a\\e[31m\\nb.yaml:1: \\u202E\"");
    let ran = lint(&["--color=always"], &text);
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
    assert!(!ran.stdout.contains('\u{202e}') && !ran.stdout.contains("\u{1b}[31mb"));
}

#[test]
fn other_releases_say_other_things() {
    let folder = invalid_manifests();
    let arguments = [
        "--target-release",
        "1.30",
        "-v",
        "versions.yaml",
        "drivers.yaml",
    ];
    let ran = run_in(&folder, &arguments, "");
    assert_golden("release-1.30.txt", &ran.stdout);
    assert!(
        ran.stderr
            .contains("left alone: drivers.yaml:21: v1 Secret left-alone\n")
    );
    // The first release of csi.storage.k8s.io had none of the others.
    let ran = run_in(&folder, &["--target-release=v1.12.3", "versions.yaml"], "");
    assert_eq!(
        ran.stdout.matches("Not served: ").count(),
        3,
        "{}",
        ran.stdout
    );
}

#[test]
fn a_deprecated_version_is_a_warning() {
    let text = GOOD.replace("/v1", "/v1beta1");
    let ran = lint(&["--target-release", "1.20"], &text);
    let expected = "Warning: deprecated since Kubernetes 1.19, removed in 1.22; use apiVersion \
                storage.k8s.io/v1";
    assert_eq!(
        messages(&ran),
        [format!("apiVersion: {expected} [deprecatedVersion]")]
    );
    assert_eq!(ran.code, 0);
    let ran = lint(&["--target-release", "1.20", "--warnings-as-errors"], &text);
    assert_eq!(ran.code, 1);
    assert_eq!(lint(&["--target-release", "1.18"], &text).stdout, "");
}

#[test]
fn json_has_one_object_a_line() {
    let ran = run_in(&invalid_manifests(), &["--format", "json", "."], "");
    assert_golden("manifests.jsonl", &ran.stdout);
    assert_eq!(ran.code, 1);
    let rows: Vec<serde_json::Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let fields = [
        "file",
        "source",
        "line",
        "column",
        "document",
        "apiVersion",
        "kind",
        "name",
        "namespace",
        "severity",
        "path",
        "field",
        "reason",
        "rule",
        "message",
    ];
    let (summary, rows) = rows.split_last().unwrap();
    let wanted = serde_json::json!({"summary": {
        "files": 5, "objects": 20, "errors": 26, "warnings": 3, "templates": 0,
        "assertions": 0, "patches": 0, "noManifests": 0,
        "leftAlone": 2, "unchanged": 0, "skipped": 1, "hidden": 0, "vendored": 0, "ignored": 0,
    }});
    assert_eq!(*summary, wanted);
    for row in rows {
        assert_eq!(row.as_object().unwrap().len(), fields.len(), "{row}");
        assert!(fields.iter().all(|field| row.get(field).is_some()), "{row}");
    }
    let text = run_in(&invalid_manifests(), &["."], "");
    assert_eq!(text.stdout.lines().count(), rows.len());
    for (row, line) in rows.iter().zip(text.stdout.lines()) {
        let (file, number) = (row["file"].as_str().unwrap(), &row["line"]);
        assert!(line.starts_with(&format!("{file}:{number}: ")), "{line}");
    }
}
