//! Help, completions and manual pages.

use std::process::{Command, Output};

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().unwrap()
}

fn ran(arguments: &[&str]) -> String {
    let output = run(env!("CARGO_BIN_EXE_kubernetes-storage"), arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn help_teaches() {
    let help = ran(&["--help"]);
    for expected in [
        "lint ",
        "completions ",
        "man ",
        "Exits with 0",
        "Usage: kubernetes-storage ",
    ] {
        assert!(help.contains(expected), "{expected}: {help}");
    }
    let help = ran(&["lint", "--help"]);
    for expected in [
        "--target-release",
        "Exits with 0",
        "Usage: kubernetes-storage lint ",
    ] {
        assert!(help.contains(expected), "{expected}: {help}");
    }
    // Without a command, help is an error.
    let output = run(env!("CARGO_BIN_EXE_kubernetes-storage"), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("lint "));
}

#[test]
fn kubectl_runs_the_same() {
    let output = run(env!("CARGO_BIN_EXE_kubectl-storage"), &["lint", "--help"]);
    assert!(output.status.success());
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(help.contains("Usage: kubectl storage lint "), "{help}");
}

#[test]
fn shells_and_man_know_the_options() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = ran(&["completions", shell]);
        assert!(script.contains("target-release"), "{shell}");
    }
    assert!(ran(&["man"]).contains(".TH kubernetes-storage 1"));
    let page = ran(&["man", "lint"]);
    assert!(page.contains("target\\-release"), "{page}");
    let output = run(env!("CARGO_BIN_EXE_kubernetes-storage"), &["man", "lin"]);
    assert_eq!(output.status.code(), Some(2));
    let expected = String::from_utf8(output.stderr).unwrap();
    assert_eq!(expected, "error: unrecognized command 'lin'; see --help\n");
}
