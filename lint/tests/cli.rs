//! The program as people run it. `UPDATE_GOLDEN=1` writes the files in `golden` anew.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// An empty folder of that name.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lint").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

struct Ran {
    code: i32,
    out: String,
    told: String,
}

fn run_in(folder: &Path, arguments: &[&str], input: &str) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kubernetes-storage-lint"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("CLICOLOR_FORCE")
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that has failed doesn't read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        told: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs it on a text on standard input.
fn lint(arguments: &[&str], input: &str) -> Ran {
    run_in(&tests(), arguments, input)
}

/// The lines without what is before the path.
fn said(ran: &Ran) -> Vec<&str> {
    ran.out.lines().map(|line| line.splitn(3, ": ").nth(2).unwrap()).collect()
}

fn assert_golden(name: &str, found: &str) {
    let path = tests().join("golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, found).unwrap();
    }
    assert_eq!(found, fs::read_to_string(&path).unwrap(), "{name}");
}

const GOOD: &str = "apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: good}
provisioner: csi.example.com
";

#[test]
fn a_folder_is_checked() {
    let ran = run_in(&tests().join("manifests"), &["."], "");
    assert_golden("manifests.txt", &ran.out);
    assert_golden("manifests.summary.txt", &ran.told);
    assert_eq!(ran.code, 1);
}

#[test]
fn json_has_one_object_a_line() {
    let ran = run_in(&tests().join("manifests"), &["--format", "json", "."], "");
    assert_golden("manifests.jsonl", &ran.out);
    assert_eq!(ran.code, 1);
    let rows: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
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
    let text = run_in(&tests().join("manifests"), &["."], "");
    assert_eq!(text.out.lines().count(), rows.len());
    for (row, line) in rows.iter().zip(text.out.lines()) {
        let (file, number) = (row["file"].as_str().unwrap(), &row["line"]);
        assert!(line.starts_with(&format!("{file}:{number}: ")), "{line}");
    }
}

#[test]
fn other_releases_say_other_things() {
    let folder = tests().join("manifests");
    let arguments = ["--target-release", "1.30", "-v", "versions.yaml", "drivers.yaml"];
    let ran = run_in(&folder, &arguments, "");
    assert_golden("release-1.30.txt", &ran.out);
    assert!(ran.told.contains("left alone: drivers.yaml:21: v1 Secret left-alone\n"));
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
fn gates_are_heeded() {
    let text = "apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {name: csi.example.com}
spec: {seLinuxMount: true, preventPodSchedulingIfMissing: true}
";
    let lines = |arguments: &[&str]| lint(arguments, text).out.lines().count();
    assert_eq!(lines(&["--target-release=1.26"]), 2);
    assert_eq!(
        lines(&[
            "--target-release=1.26",
            "--feature-gate=SELinuxMountReadWriteOncePod=true"
        ]),
        1
    );
    assert_eq!(lines(&["--target-release=1.36"]), 1);
    assert_eq!(lines(&["--target-release=1.36", "--feature-gate=AllAlpha=true"]), 0);
    let off = ["--feature-gate=AllBeta=false", "--feature-gate=VolumeLimitScaling=true"];
    assert_eq!(lines(&off[..1]), 1);
    assert_eq!(lines(&off), 0);
}

#[test]
fn nothing_wrong_is_nothing_said() {
    let ran = lint(&[], GOOD);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    assert_eq!(ran.told, "1 file, 1 object, 0 errors, 0 warnings\n");
    for empty in ["", "\n\n", "---\n---\n", "# nothing\n", "null\n", "\u{feff}"] {
        let ran = lint(&["-"], empty);
        assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{empty:?}");
        assert_eq!(ran.told, "1 file, 0 objects, 0 errors, 0 warnings\n", "{empty:?}");
    }
}

#[test]
fn a_broken_document_hides_no_other() {
    let bad = GOOD.replace("good", "bad").replace("csi.example.com", "''");
    let text = format!("{GOOD}---\na: [\n---\n{bad}...\n# the last\n---\n{{ a }}, b\n");
    let ran = lint(&[], &text);
    let lines: Vec<_> = ran.out.lines().collect();
    assert!(lines[0].starts_with("<stdin>:6: document 2: Syntax error: "), "{lines:?}");
    let wanted =
        "<stdin>:11: storage.k8s.io/v1 StorageClass bad: provisioner: Required value: ";
    assert!(lines[1].starts_with(wanted), "{lines:?}");
    assert!(lines[2].starts_with("<stdin>:15: document 4: Syntax error: "), "{lines:?}");
    assert_eq!(ran.told, "1 file, 4 objects, 3 errors, 0 warnings\n");
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
    let wanted =
        ["<stdin>:4: document 2", "<stdin>:6: storage.k8s.io/v1 StorageClass c"];
    assert_eq!(lines(&lint(&[], &text).out), wanted);
    // JSON with markers of YAML, and YAML that looks like JSON.
    let text =
        format!("{}---\n{}---\n{{kind: Other}}\n", class("a", ""), class("a", ""));
    let ran = lint(&[], &text);
    assert_eq!(lines(&ran.out), ["<stdin>:5: storage.k8s.io/v1 StorageClass a"]);
    assert_eq!(
        ran.told,
        "1 file, 2 objects, 1 error, 0 warnings, 1 document left alone\n"
    );
}

#[test]
fn what_is_nobodys_is_left_alone_unless_it_is_meant_for_us() {
    let left = |text: &str| lint(&[], text).told.contains("1 document left alone");
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
        "apiVersion: storage.k8s.io/v1\n",
        "apiVersion: storage.k8s.io/v1\nkind: StorageClas\n",
        "apiVersion: v1\nkind: List\nitems: {}\n",
    ] {
        let ran = lint(&[], text);
        assert_eq!((ran.code, ran.out.lines().count()), (1, 1), "{text}{}", ran.out);
    }
}

#[test]
fn what_is_meant_is_told() {
    for (kind, told) in [
        ("StorageClas", "did you mean StorageClass?"),
        ("csidriver", "did you mean CSIDriver?"),
        ("VolumeAttachement", "did you mean VolumeAttachment?"),
        ("Pod", "it has storage.k8s.io/v1 CSIDriver, "),
    ] {
        let ran = lint(&[], &format!("apiVersion: storage.k8s.io/v1\nkind: {kind}\n"));
        assert!(ran.out.contains(told), "{}", ran.out);
    }
}

#[test]
fn one_object_in_two_files_is_told() {
    let here = folder("twice");
    fs::create_dir(here.join("inner")).unwrap();
    fs::write(here.join("a.yaml"), GOOD).unwrap();
    fs::write(here.join("inner/b.yml"), GOOD.replace("/v1", "/v1beta1")).unwrap();
    // A file that is named in two ways is one.
    let arguments =
        ["--target-release=1.21", "--apply-set=all", "inner/b.yml", "./a.yaml", "."];
    let ran = run_in(&here, &arguments, "");
    assert!(ran.out.contains("inner/b.yml:3: "), "{}", ran.out);
    assert!(ran.out.contains(": Duplicate object: the same object is at ./a.yaml:1,"));
    assert!(ran.told.starts_with("the rules are known of Kubernetes 1.31 to 1."));
    assert!(
        ran.told.ends_with("may have others\n2 files, 2 objects, 1 error, 1 warning\n")
    );
    // Unless they are applied together, they are examples of the same.
    for arguments in [&["."][..], &["--apply-set=folder", "."]] {
        assert!(!run_in(&here, arguments, "").out.contains("Duplicate object"));
    }
    fs::copy(here.join("a.yaml"), here.join("c.yaml")).unwrap();
    let ran = run_in(&here, &["--apply-set=folder", "."], "");
    assert_eq!(ran.out.matches("the same object is at a.yaml:1,").count(), 1);
    let ran = lint(&[], &format!("{GOOD}---\n{GOOD}"));
    assert_eq!(ran.out.matches("the same object is at <stdin>:1,").count(), 1);
    // In two namespaces they are two.
    let capacity = "apiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\n\
                    metadata: {name: a, namespace: x}\nstorageClassName: fast\n";
    let text = format!("{capacity}---\n{}", capacity.replace(": x", ": z"));
    let ran = lint(&[], &text);
    assert_eq!(ran.code, 0, "{}", ran.out);
}

#[test]
fn trouble_is_reported_and_the_rest_checked() {
    let here = folder("trouble");
    fs::write(here.join("a.yaml"), GOOD.replace("csi.example.com", "''")).unwrap();
    let ran = run_in(&here, &["missing.yaml", "a.yaml"], "");
    assert_eq!(ran.code, 2);
    assert_eq!(ran.out.lines().count(), 1);
    let told =
        "error: missing.yaml: there is no such file or folder; correct the name\n";
    assert!(ran.told.starts_with(told), "{}", ran.told);

    fs::write(here.join("a.yaml"), b"kind: a\nname: \xff\n").unwrap();
    let ran = run_in(&here, &["a.yaml"], "");
    assert_eq!(ran.code, 1);
    assert!(ran.out.starts_with("a.yaml:2: document 1: Syntax error: "), "{}", ran.out);
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
    assert!(ran.told.contains("gone.yaml: there is no such file"), "{}", ran.told);
    assert!(
        ran.told.ends_with("1 file, 1 object, 0 errors, 0 warnings, 1 file skipped\n")
    );
}

#[test]
fn a_wrong_command_line_says_what_is_right() {
    for (argument, told) in [
        ("--target-release=1", "a release is written as 1."),
        ("--target-release=1.99", "the releases that are known end with 1."),
        ("--target-release=0.9", "the releases that are known end with 1."),
        ("--feature-gate=A", "a gate is written as Name=true or Name=false"),
        ("--feature-gate=A=1", "a gate is written as Name=true or Name=false"),
        ("--format=xml", "[possible values: text, json, junit, sarif, github]"),
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

/// A template is one note, whatever can't be read of it, and no error.
#[test]
fn templates_are_not_read() {
    let class = |provisioner: &str, more: &str| {
        GOOD.replace("csi.example.com", provisioner) + more
    };
    for (line, text) in [
        // Of Helm, Jinja and ERB.
        (5, class("a", "{{- if .Values.class }}\nmountOptions: [a]\n{{- end }}\n")),
        (4, class("{{ .Values.driver }}", "")),
        (4, class("{{ .Values.driver | quote }}\nreclaimPolicy: Keep", "")),
        (5, class("a", "{% if a %}\nparameters: {}\n{% endif %}\n")),
        (5, class("a", "<% if a %>\n  - a\n<% end %>\n")),
        // Read as a text or an object, but of the wrong form.
        (4, class("\"{{ .Values.driver }}\"", "")),
        (5, class("a", "allowVolumeExpansion: '{{ .Values.expand }}'\n")),
        (3, GOOD.replace("good", "\"{{ .Release.Name }}\"")),
        // Of printf, sed and a shell.
        (4, class("%s", "")),
        (4, class("@DRIVER@", "---\n---\na: [\n")),
        (5, class("a", "${PARAMETERS}\n")),
        (5, class("a", "parameters: {a: %[1]d}\n")),
    ] {
        let text = format!("{text}---\n{GOOD}");
        let ran = lint(&["--warnings-as-errors"], &text);
        let [note] = ran.out.lines().collect::<Vec<_>>()[..] else {
            panic!("{text}{}", ran.out);
        };
        assert!(note.starts_with(&format!("<stdin>:{line}: ")), "{text}{note}");
        assert!(
            note.ends_with(": Note: template, not read: lint what is rendered from it"),
            "{note}"
        );
        assert_eq!(ran.code, 0, "{text}");
        let told = "1 file, 0 objects, 0 errors, 0 warnings, 1 template\n";
        assert_eq!(ran.told, told, "{text}");
    }
    // Where it is text, it is read; and what is damaged otherwise is an error.
    for (code, text) in [
        (0, class("a", "parameters: {a: '{{ pod.name }}', b: 50%, c: a@b}\n")),
        (1, class("a", "parameters: {a: '{{ pod.name }}'\n")),
        (1, class("''", "parameters: {a: '{{ pod.name }}'}\n")),
        (1, class("a", "# {{ a comment }}\nparameters: {\n")),
        (1, class("a", "parameters: {a: @b}\n")),
    ] {
        let ran = lint(&[], &text);
        assert_eq!(ran.code, code, "{text}{}", ran.out);
        assert!(!ran.told.contains("template"), "{text}{}", ran.told);
    }
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
        let files =
            ran.out.lines().map(|line| line.split(':').next().unwrap().to_owned());
        files.collect::<Vec<_>>()
    };
    assert_eq!(found(&["."]), ["c.yaml", "chart/b.yaml", "chart/templates/a.yaml"]);
    assert_eq!(found(&["--ignore=templates", "."]), ["c.yaml", "chart/b.yaml"]);
    assert_eq!(found(&["--ignore=chart/*", "."]), ["c.yaml"]);
    assert_eq!(found(&["--ignore", "*.yaml", "."]), [""; 0]);
    assert_eq!(found(&["--ignore=chart/", "chart", "c.yaml"]), ["c.yaml"]);
    assert_eq!(found(&["--ignore=./c.yaml", "--ignore=b.*", "."]).len(), 1);
    assert_eq!(found(&["--kind=CSINode", "."]), [""; 0]);
    assert_eq!(found(&["--kind=CSINode", "--kind=StorageClass", "c.yaml"]), ["c.yaml"]);
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
    assert_eq!(lint(&["--target-release=1.34", "--strict-unknown"], &newer).code, 1);
    let ran = lint(&["--target-release=1.36", "--strict-unknown"], &newer);
    assert!(said(&ran)[0].contains("the feature gate that it needs is off"));
    assert_eq!(ran.code, 0);
    // Which flag serves a version.
    let text = "apiVersion: storage.k8s.io/v1beta1\nkind: VolumeAttributesClass\n\
                metadata: {name: a}\ndriverName: a\nparameters: {a: b}\n";
    let ran = lint(&["--target-release=1.33"], text);
    let told =
        "a server serves it only with --runtime-config=storage.k8s.io/v1beta1=true";
    assert!(ran.out.contains(told), "{}", ran.out);
}

/// What other programs read: each has the place of each finding.
#[test]
fn other_formats() {
    let here = folder("formats");
    fs::write(here.join("a,b c.yaml"), GOOD.replace("csi.example.com", "'5%: x'"))
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

/// The README shows the program's output. The release is fixed, so that a new one doesn't change it.
#[test]
fn the_readme_is_true() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let arguments = ["--target-release", "1.37", "lint/tests/manifests/classes.yaml"];
    let ran = run_in(folder.parent().unwrap(), &arguments, "");
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    let command = format!("kubernetes-storage-lint -- {}\n", arguments.join(" "));
    assert!(readme.contains(&command), "lint/README.md should have {command}");
    let shown = format!("```text\n{}{}```", ran.out, ran.told);
    assert!(readme.contains(&shown), "lint/README.md should have\n{shown}");
}
