//! `kubernetes-storage lint`: what its options do.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use std::fs;

use common::{GOOD, Ran, assert_golden, folder, lint, manifests, run_in};

/// The lines without what is before the path.
fn said(ran: &Ran) -> Vec<&str> {
    ran.out
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
            .out
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

/// A field of other releases is what a server says of it, and one whose gate is off a warning.
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
    let lines = said(&ran);
    assert!(lines[0].contains("Unknown field: Kubernetes 1.34 doesn't have the field"));
    assert_eq!((ran.code, lines.len()), (0, 1), "{}", ran.out);
    assert_eq!(
        lint(&["--target-release=1.34", "--strict-unknown"], &newer).code,
        1
    );
    let ran = lint(&["--target-release=1.36", "--strict-unknown"], &newer);
    assert!(said(&ran)[0].contains("the feature gate that it needs is off"));
    assert_eq!(ran.code, 0);
    // Which flag serves a version.
    let text = "apiVersion: storage.k8s.io/v1beta1\nkind: VolumeAttributesClass\n\
                metadata: {name: a}\ndriverName: a\nparameters: {a: b}\n";
    let ran = lint(&["--target-release=1.33"], text);
    let told = "a server serves it only with --runtime-config=storage.k8s.io/v1beta1=true";
    assert!(ran.out.contains(told), "{}", ran.out);
}

/// What other programs read: each has the place of each finding.
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
        let ran = run_in(&here, &["--format", format, "."], "");
        assert_eq!(ran.code, 1, "{}", ran.told);
        ran.out
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
    for (argument, told) in [
        ("--target-release=1", "a release is written as 1."),
        (
            "--target-release=1.99",
            "the releases that are known end with 1.",
        ),
        (
            "--target-release=0.9",
            "the releases that are known end with 1.",
        ),
        (
            "--feature-gate=A",
            "a gate is written as Name=true or Name=false",
        ),
        (
            "--feature-gate=A=1",
            "a gate is written as Name=true or Name=false",
        ),
        (
            "--format=xml",
            "[possible values: text, json, junit, sarif, github]",
        ),
        ("--nonsense", "--nonsense"),
        (
            "--kind=StorageClas",
            "did you mean StorageClass? The kinds that are known are CSI",
        ),
        ("--ignore=a[", "unclosed character class"),
    ] {
        let ran = lint(&[argument], GOOD);
        assert_eq!(ran.code, 2, "{argument}");
        assert!(ran.told.contains(told), "{argument}: {}", ran.told);
    }
}

#[test]
fn colours_are_for_terminals() {
    let text = GOOD.replace("csi.example.com", "''");
    let plain = lint(&[], &text).out;
    assert!(!plain.contains('\u{1b}'), "{plain}");
    assert_eq!(lint(&["--color=never"], &text).out, plain);
    let colored = lint(&["--color=always"], &text).out;
    assert!(
        colored.contains("\u{1b}[1m\u{1b}[31mRequired value\u{1b}[0m"),
        "{colored:?}"
    );
    let json = lint(&["--color=always", "--format=json"], &text).out;
    assert!(!json.contains('\u{1b}'), "{json}");
}

/// What a manifest says can't move the cursor or pass for another line.
#[test]
fn text_stays_on_its_line() {
    let text = GOOD.replace("good", "\"a\\e[31m\\nb.yaml:1: \\u202E\"");
    let ran = lint(&["--color=always"], &text);
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    assert!(!ran.out.contains('\u{202e}') && !ran.out.contains("\u{1b}[31mb"));
}

#[test]
fn other_releases_say_other_things() {
    let folder = manifests();
    let arguments = [
        "--target-release",
        "1.30",
        "-v",
        "versions.yaml",
        "drivers.yaml",
    ];
    let ran = run_in(&folder, &arguments, "");
    assert_golden("release-1.30.txt", &ran.out);
    assert!(
        ran.told
            .contains("left alone: drivers.yaml:21: v1 Secret left-alone\n")
    );
    // The first release of csi.storage.k8s.io had none of the others.
    let ran = run_in(&folder, &["--target-release=v1.12.3", "versions.yaml"], "");
    assert_eq!(ran.out.matches("Not served: ").count(), 3, "{}", ran.out);
}

#[test]
fn a_deprecated_version_is_a_warning() {
    let text = GOOD.replace("/v1", "/v1beta1");
    let ran = lint(&["--target-release", "1.20"], &text);
    let told = "Warning: deprecated since Kubernetes 1.19, gone in 1.22: use apiVersion \
                storage.k8s.io/v1";
    assert_eq!(said(&ran), [format!("apiVersion: {told}")]);
    assert_eq!(ran.code, 0);
    let ran = lint(&["--target-release", "1.20", "--warnings-as-errors"], &text);
    assert_eq!(ran.code, 1);
    assert_eq!(lint(&["--target-release", "1.18"], &text).out, "");
}

#[test]
fn json_has_one_object_a_line() {
    let ran = run_in(&manifests(), &["--format", "json", "."], "");
    assert_golden("manifests.jsonl", &ran.out);
    assert_eq!(ran.code, 1);
    let rows: Vec<serde_json::Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let fields = [
        "file",
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
        "leftAlone": 2, "skipped": 1,
    }});
    assert_eq!(*summary, wanted);
    for row in rows {
        assert_eq!(row.as_object().unwrap().len(), fields.len(), "{row}");
        assert!(fields.iter().all(|field| row.get(field).is_some()), "{row}");
    }
    let text = run_in(&manifests(), &["."], "");
    assert_eq!(text.out.lines().count(), rows.len());
    for (row, line) in rows.iter().zip(text.out.lines()) {
        let (file, number) = (row["file"].as_str().unwrap(), &row["line"]);
        assert!(line.starts_with(&format!("{file}:{number}: ")), "{line}");
    }
}
