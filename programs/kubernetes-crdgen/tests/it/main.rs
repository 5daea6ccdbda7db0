//! The program, run as a command.

#![allow(clippy::unwrap_used, clippy::panic)]

mod cluster;
mod definition;
mod derives;
mod externs;
mod package;

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A definition with two versions and an object that two fields have.
const DEFINITION: &str = r"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Boat, plural: boats}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                mast: &mast {type: object, properties: {metres: {type: integer, minimum: 1}}}
                spare: *mast
    - name: v1beta1
      served: true
      schema: {openAPIV3Schema: {type: object}}
";

/// What the program did.
struct Outcome {
    succeeded: bool,
    out: String,
    errors: String,
}

impl Outcome {
    fn fails_with(&self, part: &str) {
        assert!(!self.succeeded, "{}", self.out);
        assert!(
            self.errors.contains(part),
            "no `{part}` in:\n{}",
            self.errors
        );
    }
}

/// A folder with the definition.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("boats.yaml"), DEFINITION).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        let path = self.path(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Runs the program in the folder.
    fn run(&self, arguments: &[&str]) -> Outcome {
        self.run_reading(arguments, "")
    }

    fn run_reading(&self, arguments: &[&str], stdin: &str) -> Outcome {
        self.run_with(arguments, stdin, &[])
    }

    fn run_with(&self, arguments: &[&str], stdin: &str, variables: &[(&str, &str)]) -> Outcome {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kubernetes-crdgen"))
            .args(arguments)
            .current_dir(self.0.path())
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let written = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        // A program with wrong arguments reads nothing.
        if let Err(error) = written {
            assert_eq!(error.kind(), ErrorKind::BrokenPipe);
        }
        let output = child.wait_with_output().unwrap();
        Outcome {
            succeeded: output.status.success(),
            out: String::from_utf8(output.stdout).unwrap(),
            errors: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// The root of the repository, unless the package is somewhere else.
fn root() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    root.join("codegen.toml").is_file().then(|| root.to_owned())
}

#[test]
fn types_alone_stand_alone() {
    let folder = Folder::new();
    let arguments = [
        "boats.yaml",
        "--out",
        "crates",
        "--only",
        "v1",
        "--parts",
        "types",
    ];
    let outcome = folder.run(&arguments);
    assert!(outcome.succeeded, "{}", outcome.errors);
    assert!(
        outcome
            .out
            .starts_with("example-com-v1: 1 document read, 5 types"),
        "{}",
        outcome.out
    );
    assert!(!folder.path("crates/example-com-v1beta1").exists());
    let manifest = folder.read("crates/example-com-v1/Cargo.toml");
    let manifest: toml::Table = manifest.parse().unwrap();
    let dependencies = manifest["dependencies"].as_table().unwrap();
    let names: Vec<_> = dependencies.keys().map(String::as_str).collect();
    assert_eq!(names, ["k8s-openapi", "kubernetes-kinds"]);
    assert_eq!(
        dependencies["kubernetes-kinds"]["version"].as_str(),
        Some("0.1.0")
    );
    assert!(dependencies["kubernetes-kinds"].get("path").is_none());
    assert!(!manifest.contains_key("features") && !manifest.contains_key("lints"));
    let types = folder.read("crates/example-com-v1/src/boat.rs");
    for part in ["pub fn", "impl BoatSpec {", "kubernetes_kinds::Kind"] {
        assert!(!types.contains(part), "{types}");
    }
    assert!(
        types.contains("pub spare: Option<BoatSpecSpare>"),
        "{types}"
    );
    let readme = folder.read("crates/example-com-v1/README.md");
    assert!(readme.contains("| Boat | boats | cluster |  |"), "{readme}");
    let outcome = folder.run(&[arguments.as_slice(), &["--check"]].concat());
    assert!(outcome.succeeded, "{}", outcome.errors);
    fs::remove_file(folder.path("crates/example-com-v1/src/lib.rs")).unwrap();
    folder
        .run(&[arguments.as_slice(), &["--check"]].concat())
        .fails_with("example-com-v1/src/lib.rs (missing)");
}

#[test]
fn rules_that_cost_too_much_are_listed() {
    let folder = Folder::new();
    let rule =
        "x-kubernetes-validations: [{rule: \"self.all(a,\\n  self.exists_one(b, a == b))\"}]";
    let crew =
        format!("crew: {{type: array, items: {{type: string}}, {rule}}}\n                spare:");
    fs::write(
        folder.path("boats.yaml"),
        DEFINITION.replace("spare:", &crew),
    )
    .unwrap();
    // Types are made all the same.
    let outcome = folder.run(&["boats.yaml", "--out", "crates", "--parts", "types"]);
    assert!(outcome.succeeded, "{}", outcome.errors);
    let listed = "\na server refuses these definitions, for the cost of their rules:\n  \
         boats.yaml v1 Boat.spec.crew: `self.all(a, self.exists_one(b, a == b))`: it can cost \
         345880409621712077, more than 100 times the 10000000 that are allowed; add maxItems to \
         spec.crew and maxLength to spec.crew[*]\n";
    assert!(outcome.out.contains(listed), "{}", outcome.out);
}

#[test]
fn equal_objects_become_one_type() {
    let folder = Folder::new();
    let outcome = folder.run_reading(&["-", "--out", "crates", "--merge-equal"], DEFINITION);
    assert!(outcome.succeeded, "{}", outcome.errors);
    let types = folder.read("crates/example-com-v1/src/boat.rs");
    for part in [
        "pub mast: Option<BoatSpecMast>",
        "pub spare: Option<BoatSpecMast>",
    ] {
        assert!(types.contains(part), "no {part}:\n{types}");
    }
    assert!(!types.contains("BoatSpecSpare"), "{types}");
    // Both crates are members, and those of another run stay.
    let members = "members = [\n    \"example-com-v1\",\n    \"example-com-v1beta1\",\n]";
    assert!(folder.read("crates/Cargo.toml").contains(members));
    let other = DEFINITION.replace("example.com", "example.org");
    assert!(
        folder
            .run_reading(&["-", "--out", "crates", "--only", "v1"], &other)
            .succeeded
    );
    let manifest = folder.read("crates/Cargo.toml");
    for member in ["\"example-com-v1\"", "\"example-org-v1\""] {
        assert!(manifest.contains(member), "{manifest}");
    }
}

#[test]
fn a_single_file_is_a_module() {
    let folder = Folder::new();
    let arguments = [
        "boats.yaml",
        "--out",
        "src",
        "--single-file",
        "--only",
        "v1",
    ];
    assert!(folder.run(&arguments).succeeded);
    let module = folder.read("src/example_com_v1.rs");
    for part in [
        "//! Types of example.com/v1.",
        "//! The module needs the crates `k8s-openapi`, and `kubernetes-kinds`.",
        "pub struct BoatSpecSpare",
        "pub fn with_spare",
    ] {
        assert!(module.contains(part), "no {part}:\n{module}");
    }
    // Nothing in it leads to another file, and no example has the path of a crate.
    for part in ["crate::", "super::", "mod ", "```"] {
        assert!(!module.contains(part), "{part}:\n{module}");
    }
    let files = fs::read_dir(folder.path("src")).unwrap();
    assert_eq!(files.count(), 1);
    let types = [arguments.as_slice(), &["--parts", "types"]].concat();
    assert!(folder.run(&types).succeeded);
    assert!(
        !folder
            .read("src/example_com_v1.rs")
            .contains("pub fn with_spare")
    );
    folder
        .run(&[arguments.as_slice(), &["--parts", "apply"]].concat())
        .fails_with("--single-file can't have the part apply");
    // A file of somebody else stays.
    fs::write(folder.path("src/example_com_v1.rs"), "// Mine.\n").unwrap();
    folder.run(&arguments).fails_with("is not a generated file");
}

#[test]
fn a_workspace_of_others_is_left_as_it_is() {
    let folder = Folder::new();
    fs::write(folder.path("Cargo.toml"), "[workspace]\nmembers = []\n").unwrap();
    let outcome = folder.run(&["boats.yaml", "--out", "."]);
    assert!(outcome.succeeded, "{}", outcome.errors);
    assert!(
        outcome.errors.contains("has to be among its members"),
        "{}",
        outcome.errors
    );
    assert_eq!(folder.read("Cargo.toml"), "[workspace]\nmembers = []\n");
    assert!(!folder.path(".cargo").exists());
    assert!(folder.path("example-com-v1/src/lib.rs").is_file());
}

#[test]
fn what_is_asked_for_and_not_there() {
    let folder = Folder::new();
    let run = |arguments: &[&str]| {
        folder.run(&[["boats.yaml", "--out", "crates"].as_slice(), arguments].concat())
    };
    run(&["--only", "v2"])
        .fails_with("--only v2: no definition serves it\n  help: there is v1, v1beta1");
    run(&["--parts", "appply"])
        .fails_with("--parts: no part is named `appply`; there is apply, builders,");
    run(&["--runtime", "."]).fails_with("--runtime .: it has no kubernetes-kinds");
    assert!(!folder.path("crates").exists());
}

/// What the program writes into manifests is what this repository has.
#[test]
fn versions_are_those_of_the_repository() {
    let Some(root) = root() else { return };
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let workspace: toml::Table = read("Cargo.toml").parse().unwrap();
    let workspace = &workspace["workspace"];
    let folder = Folder::new();
    let crates = root.join("crates").display().to_string();
    let outcome = folder.run(&["boats.yaml", "--out", "crates", "--runtime", &crates]);
    assert!(outcome.succeeded, "{}", outcome.errors);
    let manifest = folder.read("crates/example-com-v1/Cargo.toml");
    let manifest: toml::Table = manifest.parse().unwrap();
    let openapi = &manifest["dependencies"]["k8s-openapi"];
    let wanted = &workspace["dependencies"]["k8s-openapi"];
    for key in ["version", "default-features", "features"] {
        assert_eq!(openapi[key], wanted[key], "{key}");
    }
    let kube = &manifest["dependencies"]["kube-core"];
    let wanted = &workspace["dependencies"]["kube-core"];
    for key in ["version", "default-features"] {
        assert_eq!(kube[key], wanted[key], "{key}");
    }
    for key in ["edition", "rust-version"] {
        assert_eq!(manifest["package"][key], workspace["package"][key]);
    }
    let kinds = &manifest["dependencies"]["kubernetes-kinds"];
    assert_eq!(kinds["version"], workspace["package"]["version"]);
    let kinds = kinds["path"].as_str().unwrap();
    assert!(Path::new(kinds).join("Cargo.toml").is_file(), "{kinds}");
    let config: toml::Table = read("codegen.toml").parse().unwrap();
    let newest = config["newest"].as_str().unwrap();
    let release = folder.read("crates/.cargo/config.toml");
    assert!(
        release.contains(&format!("K8S_OPENAPI_ENABLED_VERSION = \"{newest}\"")),
        "{release}"
    );
}
