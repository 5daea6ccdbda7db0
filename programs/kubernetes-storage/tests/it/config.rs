//! The configuration file.

use std::fs;
use std::path::Path;

use crate::common::{GOOD, Ran, folder, put, run, run_in};

const NAME: &str = ".kubernetes-storage.yaml";

/// Returns a folder that is the root of a repository.
fn repository(name: &str) -> std::path::PathBuf {
    let here = folder(name);
    fs::create_dir(here.join(".git")).unwrap();
    here
}

fn configured(here: &Path, text: &str, arguments: &[&str]) -> Ran {
    put(here, NAME, text);
    run_in(here, arguments, "")
}

const DRIVER: &str = "apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {name: csi.example.com}
spec: {preventPodSchedulingIfMissing: true}
";

#[test]
fn what_it_says_counts_unless_the_command_line_does() {
    let here = repository("config");
    put(&here, "a.yaml", DRIVER);
    put(&here, "old/b.yaml", &GOOD.replace("/v1", "/v1beta1"));
    let said = |text: &str, arguments: &[&str]| {
        let ran = configured(&here, text, arguments);
        let lines = ran
            .stdout
            .lines()
            .map(|line| line.rsplit_once('[').unwrap().1);
        let rules: Vec<_> = lines.map(|rule| rule.trim_end_matches(']')).collect();
        (rules.join(" "), ran.code)
    };
    let both = |first: &str, code| (format!("{first} notServed"), code);
    assert_eq!(said("", &["."]), ("notServed".to_owned(), 1));
    assert_eq!(
        said("targetRelease: '1.35'", &["."]),
        both("fieldOfOtherRelease", 1)
    );
    assert_eq!(
        said("targetRelease: 1.35", &["."]),
        both("fieldOfOtherRelease", 1)
    );
    assert_eq!(
        said("targetRelease: '1.36'", &["."]),
        both("gateDisabled", 1)
    );
    let newest = ["--target-release=1.37", "."];
    assert_eq!(
        said("targetRelease: '1.36'", &newest),
        ("notServed".to_owned(), 1)
    );
    let gated = "targetRelease: '1.36'\nfeatureGates: {VolumeLimitScaling: true}";
    assert_eq!(said(gated, &["."]), ("notServed".to_owned(), 1));
    let off = ["--feature-gate=VolumeLimitScaling=false", "."];
    assert_eq!(said(gated, &off), both("gateDisabled", 1));
    assert_eq!(said("ignore: [old]", &["."]), (String::new(), 0));
    assert_eq!(
        said("ignore: [old]", &["--ignore=a.yaml", "."]),
        (String::new(), 0)
    );
    assert_eq!(said("kinds: [CSIDriver]", &["."]), (String::new(), 0));
    assert_eq!(
        said("rules: {notServed: warning}", &["."]),
        ("notServed".to_owned(), 0)
    );
    assert_eq!(said("rules: {notServed: off}", &["."]), (String::new(), 0));
    let strict = "targetRelease: '1.35'\nstrictUnknown: true\nkinds: [CSIDriver]";
    assert_eq!(said(strict, &["."]), ("fieldOfOtherRelease".to_owned(), 1));
    put(&here, "c.yaml", DRIVER);
    assert_eq!(
        said("applySet: all", &["a.yaml", "c.yaml"]),
        ("duplicateObject".to_owned(), 1)
    );
    let none = ["--no-config", "a.yaml", "c.yaml"];
    assert_eq!(said("applySet: all", &none), (String::new(), 0));
}

#[test]
fn where_it_is() {
    let here = repository("config-places/repository");
    put(
        &here,
        "in/deep/a.yaml",
        &GOOD.replace("csi.example.com", "''"),
    );
    put(&here, NAME, "rules: {minLength: off, format: off}");
    // A folder above the repository isn't looked at.
    put(here.parent().unwrap(), NAME, "rules: {nonsense: off}");
    let linted = |folder: &str, arguments: &[&str]| {
        let ran = run_in(&here.join(folder), arguments, "");
        (ran.code, ran.stderr)
    };
    for folder in ["", "in", "in/deep"] {
        assert_eq!(linted(folder, &["."]).0, 0, "{folder}");
    }
    assert_eq!(linted("in", &["--no-config", "."]).0, 1);
    put(&here, "in/other.yaml", "{}");
    assert_eq!(linted("in", &["--config=other.yaml", "deep"]).0, 1);
    // The nearest counts alone.
    put(&here, &format!("in/{NAME}"), "# nothing yet\n");
    assert_eq!(linted("in", &["."]).0, 1);
    let (code, said) = linted("in", &["--config=no.yaml", "."]);
    assert_eq!(
        (code, said.as_str()),
        (2, "error: no.yaml: no such file or directory\n")
    );
}

/// The other commands take what concerns them.
#[test]
fn other_commands_are_configured_too() {
    let here = repository("config-commands");
    put(&here, "a.yaml", DRIVER);
    put(&here, "old/b.yaml", &GOOD.replace("/v1", "/v1beta1"));
    put(
        &here,
        NAME,
        "targetRelease: '1.36'\nignore: [old]\nrules: {notServed: off}\n",
    );
    let ran = run(&here, &["defaults", "."], "");
    assert!(ran.stdout.contains("# not stored:"), "{}", ran.stdout);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = run(&here, &["convert", "--check", "."], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    put(&here, NAME, "targetRelease: 1.99");
    for command in ["lint", "defaults", "convert"] {
        let ran = run(&here, &[command, "."], "");
        assert_eq!(ran.code, 2);
        let expected =
            "error: .kubernetes-storage.yaml:1:16: unsupported release; the newest is 1.37\n";
        assert_eq!(ran.stderr, expected);
    }
}

/// Each message says what is wrong, where, and what to write.
#[test]
fn what_is_wrong_in_it() {
    let here = repository("config-wrong");
    for (text, expected) in [
        (
            "targetRelaese: '1.36'",
            "1:1: unknown field `targetRelaese`",
        ),
        (
            "rules: {enun: off}",
            "1:8: no rule `enun`; did you mean enum?",
        ),
        ("rules:\n  enum: never", "2:9: "),
        (
            "kinds: [StorageClas]",
            "1:8: no kind `StorageClas`; did you mean StorageClass?",
        ),
        (
            "noIgnore: true\nnoIgnore: true",
            "2:1: duplicate mapping key: noIgnore\n",
        ),
        ("ignore: ['[a']", "1:9: unclosed character class"),
        (
            "claimTemplates: [{group: a, kind: A, path: 'spec[0]'}]",
            "no path of claims",
        ),
        (
            "claimTemplates: [{group: a, kind: A}]",
            "missing field `path`",
        ),
        ("ignore: [", "1:"),
        ("- a", "1:1: "),
        ("featureGates: {Foo: maybe}", "1:21: "),
        (
            "noIgnore: true\nfeatureGates: {NoSuchGate: true}",
            "2:28: Kubernetes 1.37 has no feature gate NoSuchGate",
        ),
        ("targetRelease:", "no value; add one, or remove the field"),
        ("kinds: []\n---\nkinds: []\n", "more than one document"),
        (
            "claimTemplates: [{group: a.b/v1, kind: A, path: 'spec[]'}]",
            "write `a.b` without `/v1`",
        ),
    ] {
        let ran = configured(&here, text, &["."]);
        assert_eq!(ran.code, 2, "{text}");
        assert!(
            ran.stderr.starts_with("error: .kubernetes-storage.yaml:"),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains(expected), "{text}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
}

const CLUSTERS: &str = "apiVersion: db.example.com/v1
kind: Cluster
metadata: {name: a}
spec:
  storage:
    pvcTemplate:
      accessModes: [ReadWriteOnly]
      resources: {requests: {storage: 1Gi}}
  pools:
    - claims:
        - metadata: {name: data}
          spec:
            accessModes: [ReadWriteOnce]
            storageClassname: fast
            resources: {requests: {storage: 1Gi}}
        - spec:
            accessModes: [ReadWriteOnce]
            resources: {}
  byName:
    one:
      spec:
        accessModes: [ReadWriteOncePod, ReadWriteOnce]
        resources: {requests: {storage: 1Gi}}
---
apiVersion: db.example.com/v1
kind: Backup
metadata: {name: a}
spec: {storage: {pvcTemplate: {accessModes: 1}}}
";

/// Claims of custom resources are checked where they stand, by their paths.
#[test]
fn claims_in_custom_resources() {
    let here = repository("config-claims");
    put(&here, "a.yaml", CLUSTERS);
    let at = |path: &str, holds: &str| {
        format!("  - {{group: db.example.com, kind: Cluster, path: '{path}'{holds}}}\n")
    };
    let text = format!(
        "claimTemplates:\n{}{}{}{}",
        at("spec.storage.pvcTemplate", ", holds: spec"),
        at("spec.pools[].claims[]", ""),
        at("spec.byName[]", ", holds: claim"),
        at("spec.nothing", ""),
    );
    let ran = configured(&here, &text, &["."]);
    let wanted = "a.yaml:7: db.example.com/v1 Cluster a: spec.storage.pvcTemplate.accessModes[0]: Unsupported
a.yaml:14: db.example.com/v1 Cluster a: spec.pools[0].claims[0].spec.storageClassname: Unknown
a.yaml:18: db.example.com/v1 Cluster a: spec.pools[0].claims[1].spec.resources: Required
a.yaml:22: db.example.com/v1 Cluster a: spec.byName[one].spec.accessModes: Forbidden
";
    let found = ran.stdout.lines().map(|line| {
        let parts: Vec<_> = line.splitn(5, ": ").collect();
        let title = parts[3].split(' ').next().unwrap_or_default();
        format!("{}: {}: {}: {title}\n", parts[0], parts[1], parts[2])
    });
    assert_eq!(found.collect::<String>(), wanted, "{}", ran.stdout);
    assert!(ran.stderr.contains("4 objects, 4 errors"), "{}", ran.stderr);
}

/// A place that has claims anyway is checked once.
#[test]
fn claims_are_checked_once() {
    let here = repository("config-claims-once");
    put(
        &here,
        "set.yaml",
        "apiVersion: apps/v1\nkind: StatefulSet\nspec:\n  volumeClaimTemplates:\n  - metadata: {name: a}\n    \
         spec: {accessModes: [ReadWriteOnc], resources: {requests: {storage: 1Gi}}}\n",
    );
    let text =
        "claimTemplates: [{group: apps, kind: StatefulSet, path: 'spec.volumeClaimTemplates[]'}]";
    let ran = configured(&here, text, &["set.yaml"]);
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
}
