//! Which files a folder stands for.

use crate::common::{GOOD, folder, put, run, run_in};

/// What nobody means to check is left out and counted, until it is asked for.
#[test]
fn hidden_vendored_and_ignored_files_are_left_out() {
    let here = folder("search");
    let bad = GOOD.replace("csi.example.com", "''");
    for name in [
        "a.yaml",
        ".hidden/b.yaml",
        ".c.yaml",
        "vendor/d.yaml",
        "x/node_modules/e.yaml",
        "x/third_party/f.yaml",
        "out/g.yaml",
        "x/h.yaml",
        "x/made.yaml",
        ".git/i.yaml",
        "vendor.yaml",
    ] {
        put(&here, name, &bad);
    }
    put(&here, ".gitignore", "/out/\nh.yaml\n");
    put(&here, "x/.ignore", "made.yaml\n");
    let found = |arguments: &[&str]| {
        let ran = run_in(&here, arguments, "");
        let files = ran.stdout.lines().filter_map(|line| line.split(':').next());
        (
            files.map(str::to_owned).collect::<Vec<_>>(),
            ran.stderr.lines().last().unwrap_or_default().to_owned(),
        )
    };
    let (files, summary) = found(&["."]);
    assert_eq!(files, ["a.yaml", "vendor.yaml"]);
    let wanted = "2 files, 2 objects, 2 errors, 0 warnings, 2 hidden, 3 vendored, 3 ignored";
    assert_eq!(summary, wanted);
    let all = [
        ".c.yaml",
        ".hidden/b.yaml",
        "a.yaml",
        "out/g.yaml",
        "vendor/d.yaml",
        "vendor.yaml",
        "x/h.yaml",
        "x/made.yaml",
        "x/node_modules/e.yaml",
        "x/third_party/f.yaml",
    ];
    assert_eq!(found(&["--no-ignore", "."]).0, all);
    // What is named is read.
    for named in ["vendor", "vendor/d.yaml", ".c.yaml", "out", ".hidden"] {
        assert_eq!(found(&[named]).0.len(), 1, "{named}");
    }
    let ran = run_in(&here, &["--verbose", "."], "");
    for line in [
        "hidden: .hidden",
        "vendored: x/node_modules",
        "ignored: out",
        "skipped: x/.ignore",
    ] {
        let is_said = ran.stderr.lines().any(|said| said == line);
        assert_eq!(is_said, !line.starts_with("skipped"), "{line}");
    }
    let (files, summary) = found(&["--ignore", "vendor*", "."]);
    assert_eq!(files, ["a.yaml"]);
    assert!(summary.ends_with(", 2 files skipped, 2 hidden, 2 vendored, 3 ignored"));
    // The same for the other commands.
    let ran = run(&here, &["convert", "--check", "."], "");
    let wanted = "2 files, 0 changed, 0 templates not read, 2 hidden, 3 vendored, 3 ignored\n";
    assert_eq!(ran.stderr, wanted);
    let ran = run(&here, &["defaults", "."], "");
    assert_eq!(ran.stderr.lines().count(), 2, "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn links_are_read_once_and_never_go_round() {
    use std::os::unix::fs::symlink;

    let here = folder("search-links");
    put(&here, "a/a.yaml", GOOD);
    symlink("a.yaml", here.join("a/b.yaml")).unwrap();
    symlink("../a", here.join("a/round")).unwrap();
    symlink("a", here.join("z")).unwrap();
    symlink("nowhere", here.join("a/broken")).unwrap();
    for (named, files) in [(".", 1), ("z", 1), ("a", 1)] {
        let ran = run_in(&here, &[named], "");
        let wanted = format!("{files} file, 1 object, 0 errors, 0 warnings, ");
        assert!(ran.stderr.starts_with(&wanted), "{named}: {}", ran.stderr);
        assert_eq!(ran.code, 0);
    }
    symlink("nowhere", here.join("a/broken.yaml")).unwrap();
    let ran = run_in(&here, &["."], "");
    assert_eq!(ran.code, 2);
    let wanted = "error: a/broken.yaml: no such file or directory\n";
    assert!(ran.stderr.starts_with(wanted), "{}", ran.stderr);
}
