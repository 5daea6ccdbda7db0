//! A small workspace in a folder of its own, and the command run in it.

pub(crate) mod server;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use tempfile::TempDir;
use xtask_testing::nested::{self, share_dependencies, strict};

pub(crate) use xtask_testing::{Outcome, real_root};

/// The binary under test.
pub(crate) const XTASK: &str = env!("CARGO_BIN_EXE_xtask");

const CONFIG: &str = r#"
[[crate]]
name = "example-v1"
description = "An example"

[[crate.document]]
file = "things.json"
release = "1.37"
prefix = "com.example.v1."
overlays = ["things.yaml"]

[[crate]]
name = "other-v1"
description = "Another example"

[[crate.document]]
file = "others.json"
release = "1.37"
prefix = "com.example.v1."
"#;

const MANIFEST: &str = r#"
[workspace]
members = ["support"]

[workspace.dependencies]
kubernetes-kinds = { version = "0.1.0", path = "support" }
kubernetes-manifests = { version = "0.1.0", path = "manifests" }
kubernetes-validation = { version = "0.1.0", path = "validation" }
k8s-openapi = "0.29"
other = "1"
"#;

const OVERLAY: &str = r#"
overlay: 1.0.0
info: {title: t, version: v}
actions:
  - target: $.components.schemas['com.example.v1.Thing'].properties.text
    update: {default: hello}
    x-releases: {from: "1.35"}
"#;

/// A document of two types.
pub(crate) fn document(first: &str, second: &str) -> String {
    let part = |name: &str| {
        format!(
            "\"com.example.v1.{name}\": {{\"type\": \"object\", \"description\": \"A part.\",\
             \"properties\": {{\"text\": {{\"type\": \"string\", \"description\": \"Text.\"}}}}}}"
        )
    };
    format!(
        "{{\"openapi\": \"3.0.0\", \"components\": {{\"schemas\": {{\n{},\n{}\n}}}}}}",
        part(first),
        part(second)
    )
}

/// Two versions of one API: the older one in two documents of one name, each under the last
/// release that served its kind, and converted into the newer one.
const VERSIONS: &str = r#"
[[crate]]
name = "new-v1"
description = "The newer version"

[[crate.document]]
file = "new.json"
release = "1.37"
prefix = "com.example.v1."

[[crate]]
name = "old-v1beta1"
description = "The older version"

[[crate.document]]
file = "old.json"
release = "1.21"
as-of = "1.37"
prefix = "com.example.v1beta1."
overlays = ["early.yaml"]

[[crate.document]]
file = "old.json"
release = "1.36"
as-of = "1.37"
prefix = "com.example.v1beta1."
overlays = ["late.yaml"]

[crate.conversion]
to = "new-v1"

[[crate.conversion.rule]]
schema = "com.example.v1beta1.Thing"
fields = ["text"]
to = "text"
forth = "crate::rules::forth"
back = "crate::rules::back"

[[extern]]
prefix = "io.k8s.apimachinery."
path = "k8s_openapi::apimachinery"
"#;

/// The functions that the rules of [`VERSIONS`] call.
pub(crate) const RULES: &str = "//! By hand.\n\n\
    pub(super) fn forth(text: Option<String>) -> Option<String> {\n    text\n}\n\n\
    pub(super) fn back(text: Option<String>) -> Option<String> {\n    text\n}\n";

/// A document of one kind with a text.
pub(crate) fn kind(version: &str, name: &str) -> String {
    let kind = |name: &str| {
        format!("{{\"group\": \"example.com\", \"version\": \"{version}\", \"kind\": \"{name}\"}}")
    };
    let meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
    let parts = [
        format!("\"/apis/example.com/{version}/{}s\": ", name.to_lowercase()),
        "{\"get\": {\"responses\": {}, \"x-kubernetes-action\": \"list\", ".to_owned(),
        format!("\"x-kubernetes-group-version-kind\": {}}}}}", kind(name)),
        "}, \"components\": {\"schemas\": {\n".to_owned(),
        format!("\"com.example.{version}.{name}\": {{\"type\": \"object\", \"properties\": {{"),
        format!("\"metadata\": {{\"$ref\": \"#/components/schemas/{meta}.ObjectMeta\"}},"),
        "\"text\": {\"type\": \"string\", \"description\": \"Text.\"}},\n".to_owned(),
        format!("\"x-kubernetes-group-version-kind\": [{}]}},\n", kind(name)),
        format!("\"com.example.{version}.{name}List\": {{\"type\": \"object\","),
        "\"required\": [\"items\"], \"properties\": {\"items\": {\"type\": \"array\",".to_owned(),
        format!(
            "\"items\": {{\"$ref\": \"#/components/schemas/com.example.{version}.{name}\"}}}},"
        ),
        format!("\"metadata\": {{\"$ref\": \"#/components/schemas/{meta}.ListMeta\"}}}},\n"),
        format!(
            "\"x-kubernetes-group-version-kind\": [{}]}},\n",
            kind(&format!("{name}List"))
        ),
        format!("\"{meta}.ListMeta\": {{\"type\": \"object\"}},"),
        format!("\"{meta}.ObjectMeta\": {{\"type\": \"object\"}}}}}}}}"),
    ];
    format!("{{\"openapi\": \"3.0.0\", \"paths\": {{{}", parts.concat())
}

/// A document of two kinds.
fn kinds(version: &str, first: &str, second: &str) -> String {
    let mut both: serde_json::Value = serde_json::from_str(&kind(version, first)).unwrap();
    let more: serde_json::Value = serde_json::from_str(&kind(version, second)).unwrap();
    for pointer in ["/paths", "/components/schemas"] {
        let more = more.pointer(pointer).unwrap().as_object().unwrap().clone();
        both.pointer_mut(pointer)
            .unwrap()
            .as_object_mut()
            .unwrap()
            .extend(more);
    }
    both.to_string()
}

/// A workspace with two crates to generate.
pub(crate) struct Sandbox {
    folder: TempDir,
}

/// The files and links below a folder, each with its content and time of change.
pub(crate) type Snapshot = BTreeMap<PathBuf, (Vec<u8>, Option<SystemTime>)>;

impl Sandbox {
    pub(crate) fn new() -> Self {
        let sandbox = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        sandbox.write("root/codegen.toml", CONFIG);
        sandbox.write("root/Cargo.toml", MANIFEST);
        sandbox.write("root/.cargo/config.toml", "[env]\nEXAMPLE = \"1\"\n");
        sandbox.write("root/spec/v1.37/things.json", &document("Thing", "Part"));
        sandbox.write("root/spec/v1.37/others.json", &document("Other", "Rest"));
        sandbox.write("root/spec/overlays/things.yaml", OVERLAY);
        sandbox
    }

    /// One with two versions of an API; the text of a field shows which overlay was applied.
    pub(crate) fn versions() -> Self {
        let sandbox = Self::new();
        sandbox.write("root/codegen.toml", VERSIONS);
        sandbox.edit(
            "root/Cargo.toml",
            "other = \"1\"",
            "new-v1 = { version = \"0.1.0\", path = \"new-v1\" }\n\
             old-v1beta1 = { version = \"0.1.0\", path = \"old-v1beta1\" }",
        );
        sandbox.write("root/spec/v1.37/new.json", &kinds("v1", "Thing", "Part"));
        sandbox.write("root/spec/v1.21/old.json", &kind("v1beta1", "Thing"));
        sandbox.write("root/spec/v1.36/old.json", &kind("v1beta1", "Part"));
        for (name, said) in [("early", "Thing"), ("late", "Part")] {
            let overlay = OVERLAY
                .replace("v1.Thing", &format!("v1beta1.{said}"))
                .replace("hello", name);
            sandbox.write(&format!("root/spec/overlays/{name}.yaml"), &overlay);
        }
        sandbox.write("root/old-v1beta1/src/rules.rs", RULES);
        sandbox
    }

    /// One in which the crates have been generated.
    pub(crate) fn generated() -> Self {
        let sandbox = Self::new();
        sandbox.run(&[]).succeeds();
        sandbox
    }

    /// The folder around everything: what is beside `root` is outside the workspace.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    pub(crate) fn write(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes a program, by another process: one that this process has open for writing, or
    /// one that another thread is just starting, can't be run.
    pub(crate) fn script(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let write = "printf %s \"$2\" >\"$1\" && chmod +x \"$1\"";
        let mut command = Command::new("sh");
        command.args(["-c", write, "sh"]).arg(path).arg(text);
        assert!(command.status().unwrap().success());
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.path(relative)).unwrap_or_else(|e| panic!("{relative}: {e}"))
    }

    /// Replaces a text in a file.
    pub(crate) fn edit(&self, relative: &str, from: &str, to: &str) {
        let text = self.read(relative);
        assert!(text.contains(from), "{relative} has no {from}");
        self.write(relative, &text.replace(from, to));
    }

    /// Everything below the folder, as it is now.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::new();
        collect(self.folder.path(), &mut snapshot);
        snapshot
    }

    /// Runs `codegen` with the arguments in the root of the workspace.
    pub(crate) fn run(&self, arguments: &[&str]) -> Outcome {
        let mut command = Command::new(XTASK);
        command
            .arg("codegen")
            .args(arguments)
            .current_dir(self.path("root"));
        Outcome::of(&mut command)
    }

    /// Does the same with a file as the standard input.
    pub(crate) fn run_reading(&self, arguments: &[&str], file: &str) -> Outcome {
        let mut command = Command::new(XTASK);
        command
            .arg("codegen")
            .args(arguments)
            .current_dir(self.path("root"))
            .stdin(fs::File::open(self.path(file)).unwrap());
        Outcome::of(&mut command)
    }
}

fn collect(folder: &Path, snapshot: &mut Snapshot) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = fs::symlink_metadata(&path).unwrap();
        if metadata.is_dir() {
            // A folder's own time changes with what is made and removed in it.
            snapshot.insert(path.clone(), (Vec::new(), None));
            collect(&path, snapshot);
        } else if metadata.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            let target = target.to_string_lossy().into_owned().into_bytes();
            snapshot.insert(path, (target, None));
        } else {
            let content = fs::read(&path).unwrap();
            snapshot.insert(path, (content, metadata.modified().ok()));
        }
    }
}

/// Generates the crates of the real workspace and returns what is printed.
pub(crate) fn generate(root: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(XTASK);
    command.arg("codegen").args(arguments).current_dir(root);
    Outcome::of(&mut command).succeeds().out
}

/// Cargo in a folder of generated crates.
pub(crate) fn cargo(folder: &Path, command: &str) -> Command {
    nested::cargo(folder, Path::new(env!("CARGO_TARGET_TMPDIR")), command)
}

/// Checks a generated workspace, without features and with all.
pub(crate) fn compile(root: &Path, workspace: &Path) {
    compile_with(root, workspace, &[None, ALL_FEATURES]);
}

/// Cargo's argument for all features.
pub(crate) const ALL_FEATURES: Option<&str> = Some("--all-features");

/// Checks a generated workspace with each of these arguments.
pub(crate) fn compile_with(root: &Path, workspace: &Path, features: &[Option<&str>]) {
    share_dependencies(root, workspace);
    for features in features {
        let mut check = cargo(workspace, "check");
        strict(check.arg("--workspace").args(*features));
    }
}

/// Copies the files of a folder, but for what is built and what git keeps.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (entry, name) = (entry.as_ref().unwrap().path(), entry.unwrap().file_name());
        if name == "target" || name == ".git" {
            continue;
        }
        if entry.is_dir() {
            copy(&entry, &to.join(name));
        } else {
            fs::copy(&entry, to.join(name)).unwrap();
        }
    }
}
