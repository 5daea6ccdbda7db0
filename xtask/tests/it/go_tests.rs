//! `cargo xtask go-tests`, with folders in place of Go's modules.

use std::process::Command;

use crate::common::{Outcome, Sandbox, XTASK, real_root};

const LIST: &str = r#"
[module]
path = "example.com/module"
version = "v1.2.3"
sum = "h1:module"
folder = "pkg"
package = "own-tests"

[file."pkg/some_test.go"]
TestFirst = ["inner::first", "own-tests asynchronous", "random"]
TestSecond = "it has no counterpart"
TestThird.tests = ["outer"]
TestThird.left-out = ["a row: a reason"]
TestThird.missing = ["another row"]

[file."pkg/deep/other_test.go"]
some.reason = "no such plugin"
some.functions = ["TestFirst", "Test_more"]
"#;

const MAIN: &str = r"
mod inner;
#[test]
fn outer() {}
#[tokio::test]
async fn asynchronous() {}
fn helper() {}
proptest! {
    #![config(x)]
    #[test]
    fn random(a in 0..1) { fn inner() {} }
}
";

struct Workspace {
    sandbox: Sandbox,
}

impl Workspace {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        for (name, text) in [
            ("root/codegen.toml", ""),
            ("root/xtask/go-tests/module.toml", LIST),
            (
                "root/Cargo.toml",
                "[package]\nname = \"own-tests\"\nedition = \"2024\"\n\
                 [[test]]\nname = \"it\"\npath = \"tests/it/main.rs\"\n[workspace]\n",
            ),
            ("root/src/lib.rs", ""),
            ("root/tests/it/main.rs", MAIN),
            ("root/tests/it/inner.rs", "#[test]\nfn first() {}\n"),
        ] {
            sandbox.write(name, text);
        }
        let workspace = Self { sandbox };
        let functions = "func TestFirst(t *testing.T) {\nfunc TestSecond(test *testing.T) {\n\
             func TestThird(t *testing.T) {\nfunc Testing(t *testing.T) {\n\
             func TestMain(m *testing.M) {\nfunc BenchmarkFirst(b *testing.B) {\n";
        workspace.declares("pkg/some_test.go", functions);
        let functions = "func TestFirst(t *testing.T) {\nfunc Test_more(t *testing.T) {\n";
        workspace.declares("pkg/deep/other_test.go", functions);
        workspace.declares("pkg/some.go", "func TestOfNoTestFile(t *testing.T) {\n");
        workspace.declares("outside_test.go", "func TestOutside(t *testing.T) {\n");
        workspace
    }

    /// Writes a file of the module.
    fn declares(&self, file: &str, functions: &str) {
        let file = format!("upstream/modules/example.com/module@v1.2.3/{file}");
        self.sandbox
            .write(&file, &format!("package p\n{functions}"));
    }

    /// Replaces a part of the list.
    fn lists(&self, old: &str, new: &str) {
        assert!(LIST.contains(old), "{old}");
        let text = LIST.replacen(old, new, 1);
        self.sandbox.write("root/xtask/go-tests/module.toml", &text);
    }

    fn command(&self) -> Command {
        let mut command = Command::new(XTASK);
        command
            .arg("go-tests")
            .current_dir(self.sandbox.path("root"))
            .env("UPSTREAM_DIR", self.sandbox.path("upstream"));
        command
    }

    fn run(&self) -> Outcome {
        Outcome::of(&mut self.command())
    }
}

#[test]
fn all_functions_are_listed_and_what_is_missing_is_printed() {
    let outcome = Workspace::new().run().succeeds();
    assert_eq!(
        outcome.out,
        "example.com/module@v1.2.3: 2 test functions have tests here, 3 a reason for none; \
         missing rows: 1\n  pkg/some_test.go: TestThird: another row\n"
    );
}

/// Unless they are in the folder of upstream files.
#[cfg(unix)]
#[test]
fn modules_come_from_go() {
    let workspace = Workspace::new();
    let sandbox = &workspace.sandbox;
    sandbox.script(
        "bin/go",
        "#!/bin/sh\necho \"$@\" >&2\ncat \"$(dirname \"$0\")/go.json\"\n",
    );
    let module = sandbox.path("upstream/modules/example.com/module@v1.2.3");
    let run = |sum: &str| {
        let answer = serde_json::json!({
            "Path": "example.com/module", "Version": "v1.2.3", "Dir": module, "Sum": sum,
        });
        sandbox.write("bin/go.json", &answer.to_string());
        let path = std::env::var("PATH").unwrap();
        let mut command = workspace.command();
        command
            .env("PATH", format!("{}:{path}", sandbox.path("bin").display()))
            .env_remove("UPSTREAM_DIR");
        Outcome::of(&mut command)
    };
    run("h1:module").succeeds();
    run("h1:other").fails_with(&[
        "example.com/module@v1.2.3 has the checksum h1:other",
        "xtask/go-tests/module.toml has h1:module",
    ]);
}

#[test]
fn functions_without_an_entry_and_entries_without_a_function() {
    let workspace = Workspace::new();
    workspace.declares(
        "pkg/new_test.go",
        "func TestNew(t *testing.T) {\nfunc Test(t *testing.T) {\n",
    );
    workspace.declares("pkg/some_test.go", "func TestSecond(t *testing.T) {\n");
    workspace.run().fails_with(&[
        "xtask/go-tests/module.toml: pkg/new_test.go of example.com/module@v1.2.3 has the test \
         function TestNew, which has no entry",
        "the test function Test,",
        "under [file.\"pkg/new_test.go\"]",
        "xtask/go-tests/module.toml: pkg/some_test.go: TestFirst: example.com/module@v1.2.3 has \
         no test function of this name",
        "TestThird: example.com/module@v1.2.3 has no",
        "delete the entry",
    ]);
    // Groups are checked name by name.
    workspace.declares("pkg/deep/other_test.go", "func TestFirst(t *testing.T) {\n");
    workspace
        .run()
        .fails_with(&["deep/other_test.go: Test_more: example.com"]);
    // The names of our tests are checked without Go.
    let mut command = workspace.command();
    Outcome::of(command.args(["--offline"])).succeeds();
}

#[test]
fn tests_that_do_not_exist() {
    let workspace = Workspace::new();
    for (old, new, parts) in [
        (
            "inner::first",
            "outer::first",
            [
                "TestFirst: own-tests has no test `outer::first`",
                "own-tests has `inner::first`",
            ],
        ),
        (
            "\"outer\"",
            "\"helper\"",
            ["TestThird: own-tests has no test `helper`", ""],
        ),
        (
            "\"outer\"",
            "\"inner\"",
            ["TestThird: own-tests has no test `inner`", ""],
        ),
        (
            "own-tests asynchronous",
            "other asynchronous",
            ["TestFirst: there is no package `other`", "PACKAGE PATH"],
        ),
    ] {
        workspace.lists(old, new);
        workspace.run().fails_with(&parts);
        let mut command = workspace.command();
        Outcome::of(command.args(["--offline"])).fails_with(&parts);
    }
}

#[test]
fn damaged_lists() {
    let workspace = Workspace::new();
    for (old, new, part) in [
        (
            "\"it has no counterpart\"",
            "1",
            "write a reason, a list of our tests",
        ),
        (
            "\"it has no counterpart\"",
            "\" \"",
            "TestSecond: the entry names no test and no reason",
        ),
        (
            "\"it has no counterpart\"",
            "[]",
            "TestSecond: the entry names no test and no reason",
        ),
        (
            "\"it has no counterpart\"",
            "{left-out = [\"a\"]}",
            "TestSecond: the entry names no test",
        ),
        (
            "TestThird.missing",
            "TestThird.mising",
            "write a reason, a list of our tests",
        ),
        (
            "\"no such plugin\"",
            "\"\"",
            "Test_more: the entry names no test and no reason",
        ),
        (
            "\"Test_more\"",
            "\"Test_more\", \"TestFirst\"",
            "TestFirst: it has two entries",
        ),
        ("[file.\"pkg/some", "[fil.\"pkg/some", "unknown field `fil`"),
        ("path = \"example.com/module\"", "", "missing field `path`"),
        ("folder = \"pkg\"", "folder = \"gone\"", "can't read"),
    ] {
        workspace.lists(old, new);
        workspace.run().fails_with(&["error: ", part]);
    }
    std::fs::remove_file(workspace.sandbox.path("root/xtask/go-tests/module.toml")).unwrap();
    workspace.run().fails_with(&["xtask/go-tests has no lists"]);
}

#[test]
fn the_tests_that_the_lists_of_this_workspace_name_exist() {
    let Some(root) = real_root() else { return };
    let mut command = Command::new(XTASK);
    command.args(["go-tests", "--offline"]).current_dir(root);
    println!("{}", Outcome::of(&mut command).succeeds().out);
}
