//! The rules: `explain`, the levels and comments that a user gives, and what tells of them.

use kubernetes_kinds::Release;
use kubernetes_manifests::scheme::Syntax;
use kubernetes_storage::lint::{FileReport, Level, Levels, Linter};
use kubernetes_storage::rules;
use kubernetes_validation::Target;

use crate::common::{GOOD, assert_golden, folder, lint, put, run, run_in};

fn check(text: &str, release: Release) -> FileReport {
    let linter = Linter::new(Target::new(release));
    let mut report = linter.check("a.yaml", text, Syntax::JsonOrYaml);
    report.settle(&Levels::new());
    report
}

fn found(text: &str, release: Release) -> Vec<&'static str> {
    let findings = check(text, release).findings.into_iter();
    findings.map(|finding| finding.message.rule).collect()
}

/// Each example breaks its rule and no other, from the release on that the explanation names.
#[test]
fn examples_break_their_rules() {
    let mut faults = Vec::new();
    for rule in rules::all() {
        let Some(example) = &rule.example else {
            continue;
        };
        let mut all = found(example, rule.target());
        all.dedup();
        // Only old versions have what the served ones don't, and these two need what is deprecated.
        let besides = match rule.id.as_str() {
            "unrepresentable" => "notServed",
            "mountOptions" | "hostPath.recycle" => "serverWarning",
            _ => "",
        };
        all.retain(|found| *found != besides);
        if all != [rule.id.as_str()] {
            faults.push(format!("{}: {all:?}", rule.id));
        }
        let breaks = |release| found(example, release).contains(&rule.id.as_str());
        if let Some(since) = rule.since() {
            let before = Release::new(since.major, since.minor - 1);
            if breaks(before) || !breaks(since) {
                faults.push(format!("{} isn't new in {since}", rule.id));
            }
        } else if rule.target() == storage_all::KUBERNETES && !breaks(Target::OLDEST) {
            faults.push(format!("{} isn't known to the oldest release", rule.id));
        }
    }
    assert_eq!(faults, [""; 0]);
}

#[test]
fn explanations() {
    let here = folder("explain");
    let ran = run(&here, &["explain", "dependentRequired"], "");
    assert_golden("explain.txt", &ran.stdout);
    let ran = run(&here, &["explain"], "");
    assert_eq!(ran.stdout.lines().count(), rules::all().len());
    let line = ran
        .stdout
        .lines()
        .find(|line| line.starts_with("unknownField "));
    assert!(line.unwrap().ends_with("  No release has the field"));
    let ran = run(&here, &["explain", "unknwonField"], "");
    assert_eq!(ran.code, 2);
    let expected = "no rule `unknwonField`; did you mean unknownField?";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    for rule in rules::all() {
        let ran = run(&here, &["explain", &rule.id], "");
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", rule.id);
        let shown = format!("[{}]\n", rule.id);
        assert!(
            rule.example.is_none() || ran.stdout.ends_with(&shown),
            "{}",
            ran.stdout
        );
    }
}

const BAD: &str = "apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: good}
provisioner: csi.example.com
reclaimPolicy: Keep
volumeBindingmode: Immediate
";

/// Returns the rules of what `lint` prints, and its exit code.
fn linted(arguments: &[&str], text: &str) -> (String, i32) {
    let ran = lint(arguments, text);
    let rules = ran.stdout.lines().map(|line| {
        let (_, rule) = line.rsplit_once('[').unwrap();
        rule.trim_end_matches(']')
    });
    (rules.collect::<Vec<_>>().join(" "), ran.code)
}

#[test]
fn comments_hide_findings() {
    let enumerated = BAD.replace(
        "Keep",
        "Keep # kubernetes-storage: ignore enum -- of our driver",
    );
    assert_eq!(linted(&[], BAD), ("enum unknownField".to_owned(), 1));
    assert_eq!(linted(&[], &enumerated), ("unknownField".to_owned(), 1));
    let all = format!("# kubernetes-storage: ignore enum, unknownField\n{BAD}");
    assert_eq!(linted(&["--notes"], &all), (String::new(), 0));
    // The next document isn't meant.
    let two = format!("{all}---\n{}", BAD.replace("good", "other"));
    assert_eq!(linted(&[], &two), ("enum unknownField".to_owned(), 1));
    // What hides nothing is a note, what doesn't exist a warning.
    let unused = format!("# kubernetes-storage: ignore enum label.key\n{GOOD}");
    assert_eq!(linted(&[], &unused), (String::new(), 0));
    let noted = "unusedIgnore unusedIgnore".to_owned();
    assert_eq!(linted(&["--notes"], &unused), (noted, 0));
    let ran = lint(&[], &format!("# kubernetes-storage: ignore enun\n{BAD}"));
    let expected = "<stdin>:1: document 1: Unknown rule: no rule `enun`; did you mean enum? \
                    [unknownRule]\n";
    assert!(ran.stdout.starts_with(expected), "{}", ran.stdout);
    let ran = lint(
        &[],
        &format!("{GOOD}---\n{GOOD}# kubernetes-storage: ignored\n").replacen("good", "a", 1),
    );
    let expected = "<stdin>:10: document 2: Unknown rule: no instruction `ignored`; the only one is \
                    `ignore RULE` [unknownRule]\n";
    assert_eq!((ran.stdout.as_str(), ran.code), (expected, 0));
}

/// A comment of its own line is about all that belongs to the next.
#[test]
fn comments_hide_blocks() {
    let item = "- apiVersion: storage.k8s.io/v1
  kind: StorageClass
  metadata: {name: NAME}
  provisioner: csi.example.com
  reclaimPolicy: Keep
";
    let items = ["a", "b"].map(|name| item.replace("NAME", name));
    let list = |first: &str, second: &str| {
        let [a, b] = &items;
        let text = format!("apiVersion: v1\nkind: List\nitems:\n{first}{a}{second}{b}");
        linted(&[], &text).0
    };
    let ignored = "# kubernetes-storage: ignore enum\n";
    assert_eq!(list("", ""), "enum enum");
    assert_eq!(list(ignored, ""), "enum");
    assert_eq!(list("", ignored), "enum");
    assert_eq!(list(ignored, &format!("\n\n{ignored}")), "");

    let claim = |first: &str, second: &str| {
        let text = format!(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: a}}\nspec:\n  \
             {first}\n  accessModes:\n  - Never\n\n  # More.\n  - Ever\n  {second}\n  \
             resources: {{requests: {{storage: 1Gi}}}}\n  volumeMode: Blok\n"
        );
        linted(&[], &text).0
    };
    assert_eq!(claim("", ""), "enum enum enum");
    assert_eq!(claim(ignored.trim(), ""), "enum");
    assert_eq!(claim("", ignored.trim()), "enum enum enum");
}

/// Objects that several files define can be wanted, too.
#[test]
fn comments_hide_what_is_between_files() {
    let here = folder("comments-files");
    put(&here, "a.yaml", GOOD);
    put(&here, "b.yaml", GOOD);
    assert_eq!(run_in(&here, &["--apply-set=all", "."], "").code, 1);
    let ignored = format!("# kubernetes-storage: ignore duplicateObject\n{GOOD}");
    put(&here, "b.yaml", &ignored);
    let ran = run_in(&here, &["--apply-set=all", "."], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
}

#[test]
fn levels_of_rules() {
    let linter = Linter::new(Target::new(storage_all::KUBERNETES));
    let severities = |levels: &[(&str, Level)]| {
        let mut report = linter.check("a.yaml", BAD, Syntax::JsonOrYaml);
        let levels = levels
            .iter()
            .map(|(rule, level)| ((*rule).to_owned(), *level));
        report.settle(&levels.collect());
        let findings = report.findings.iter();
        let each = findings.map(|f| format!("{} {:?}", f.message.rule, f.message.severity));
        each.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(severities(&[]), "enum Error, unknownField Error");
    let two = [("enum", Level::Warning), ("unknownField", Level::Note)];
    assert_eq!(severities(&two), "enum Warning, unknownField Note");
    assert_eq!(severities(&[("enum", Level::Off)]), "unknownField Error");
}
