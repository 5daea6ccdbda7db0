//! Origins of texts: templates of Helm, and revisions of git.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{GOOD, folder, lint, put, run_in};

/// The output of `helm template` for a chart with two templates, the second with two objects.
fn rendered() -> String {
    let bad = GOOD.replace("csi.example.com", "''");
    format!(
        "---\n# Source: driver/templates/a.yaml\n{GOOD}---\n# Source: driver/templates/b, c.yaml\n\
         {bad}---\n# Source: driver/templates/b, c.yaml\n{bad}---\n{bad}"
    )
}

#[test]
fn templates_are_named() {
    let ran = lint(&[], &rendered());
    let places = ran
        .stdout
        .lines()
        .map(|line| line.split_once(": ").unwrap().0);
    let wanted = [
        "driver/templates/b, c.yaml (<stdin>:11)",
        "driver/templates/b, c.yaml (<stdin>:12)",
        "driver/templates/b, c.yaml (<stdin>:17)",
        "driver/templates/b, c.yaml (<stdin>:18)",
        "<stdin>:22",
        "<stdin>:23",
    ];
    assert_eq!(places.collect::<Vec<_>>(), wanted);
    let ran = lint(&["--format=github"], &rendered());
    let at = "::error file=driver/templates/b%2C c.yaml,title=";
    assert!(ran.stdout.contains(at), "{}", ran.stdout);
    let ran = lint(&["--format=sarif"], &rendered());
    let log: Value = serde_json::from_str(&ran.stdout).unwrap();
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(
        place["artifactLocation"]["uri"],
        "driver/templates/b%2C%20c.yaml"
    );
    assert_eq!(place.get("region"), None);
    // A file has lines of its own.
    let here = folder("rendered");
    put(&here, "a.yaml", &rendered());
    let ran = run_in(&here, &["."], "");
    assert!(ran.stdout.starts_with("a.yaml:11: "), "{}", ran.stdout);
}

fn git(here: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
    command.args([
        "-c",
        "init.defaultBranch=main",
        "-c",
        "commit.gpgsign=false",
    ]);
    let output = command.args(arguments).current_dir(here).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

#[test]
fn only_what_has_changed() {
    let here = folder("changed");
    let bad = GOOD.replace("csi.example.com", "''");
    git(&here, &["init", "-q"]);
    for name in [
        "same.yaml",
        "gone.yaml",
        "old.yaml",
        "in/deep.yaml",
        "moved.yaml",
    ] {
        put(&here, name, &bad);
    }
    git(&here, &["add", "."]);
    git(&here, &["commit", "-qm", "a"]);
    git(&here, &["checkout", "-qb", "work"]);
    put(&here, "in/deep.yaml", &format!("{bad}# more\n"));
    fs::rename(here.join("moved.yaml"), here.join("in/moved.yaml")).unwrap();
    git(&here, &["add", "."]);
    git(&here, &["commit", "-qm", "b"]);
    put(&here, "old.yaml", &format!("{bad}# not committed\n"));
    put(&here, "new, ä.yaml", &bad);
    fs::remove_file(here.join("gone.yaml")).unwrap();
    // What the other branch does meanwhile is no change of this one.
    git(&here, &["stash", "-qu"]);
    git(&here, &["checkout", "-q", "main"]);
    put(&here, "same.yaml", &format!("{bad}# theirs\n"));
    git(&here, &["commit", "-qam", "c"]);
    git(&here, &["checkout", "-q", "work"]);
    git(&here, &["stash", "pop", "-q"]);

    let names = |ran: &str| {
        let names = ran
            .lines()
            .map(|line| line.split(':').next().unwrap().to_owned());
        let mut names: Vec<_> = names.collect();
        names.dedup();
        names
    };
    let ran = run_in(&here, &["--diff-from=main", "."], "");
    let wanted = ["in/deep.yaml", "in/moved.yaml", "new, ä.yaml", "old.yaml"];
    assert_eq!(names(&ran.stdout), wanted, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("4 files, ") && ran.stderr.contains(", 1 file unchanged"),
        "{}",
        ran.stderr
    );
    let ran = run_in(&here, &["--diff-from=HEAD", "."], "");
    assert_eq!(names(&ran.stdout), ["new, ä.yaml", "old.yaml"]);
    let inside = here.join("in");
    let ran = run_in(&inside, &["--diff-from=main", "."], "");
    assert_eq!(names(&ran.stdout), ["deep.yaml", "moved.yaml"]);
    let ran = run_in(&inside, &["--diff-from=main"], &bad);
    assert_eq!(names(&ran.stdout), ["<stdin>"]);
    // Objects are the same as those of files that haven't changed.
    let ran = run_in(&here, &["--diff-from=HEAD", "--apply-set=all", "."], "");
    assert!(
        ran.stdout.contains("already defined at in/deep.yaml:1"),
        "{}",
        ran.stdout
    );

    // Of two files, the one that differs has added the object.
    let ran = run_in(&here, &["--diff-from=HEAD", "--apply-set=all", "."], "");
    assert!(!ran.stdout.contains("\nin/"), "{}", ran.stdout);
    // What is in no repository isn't known to git.
    let outside = folder("outside").join("a.yaml");
    fs::write(&outside, &bad).unwrap();
    let outside = outside.display().to_string();
    let ran = run_in(&here, &["--diff-from=HEAD", &outside], "");
    assert_eq!((ran.code, names(&ran.stdout)), (1, vec![outside]));
    // Of a repository inside of another, git names the folder.
    let inner = here.join("inner");
    fs::create_dir(&inner).unwrap();
    git(&inner, &["init", "-q"]);
    put(&here, "inner/deep/a.yaml", &bad);
    git(&inner, &["add", "."]);
    git(&inner, &["commit", "-qm", "a"]);
    let ran = run_in(&here, &["--diff-from=HEAD", "inner"], "");
    assert_eq!(names(&ran.stdout), ["inner/deep/a.yaml"]);

    for (revision, expected) in [
        ("no-such", "error: git has no revision `no-such`; fetch it"),
        ("--help", "error: git has no revision `--help`"),
    ] {
        let ran = run_in(&here, &[&format!("--diff-from={revision}"), "."], "");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
    }
    git(&here, &["checkout", "-q", "--orphan", "apart"]);
    git(&here, &["commit", "-qam", "d"]);
    let ran = run_in(&here, &["--diff-from=main", "."], "");
    assert!(
        ran.stderr
            .contains("git knows no common ancestor of `main`"),
        "{}",
        ran.stderr
    );
}
