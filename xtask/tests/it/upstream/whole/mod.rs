//! All documents of a release of Kubernetes with the numbers of protobuf: Kubernetes' fixtures of
//! all kinds are read, and written byte for byte.

use std::fs;
use std::path::Path;
use std::process::Command;

use xtask_testing::every::{BUNDLE, documents, workspace};
use xtask_testing::nested::{SHARED, share_dependencies};
use xtask_testing::{upstream, upstream_part};

use crate::common::{Outcome, XTASK, cargo, real_root};

const RELEASE: &str = "1.37";

/// The document of CustomResourceDefinitions: of a schema or a boolean, protobuf has another form
/// than JSON.
const DEFINITIONS: &str = "file = \"apis__apiextensions.k8s.io__v1_openapi.json\"\n";

/// Types that only Jobs hold are in the document of these only.
const SCHEDULING: &str = "prefix = \"io.k8s.api.scheduling.v1alpha3.\"\n";

#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn every_kind_is_read_and_written_as_protobuf() {
    let Some(root) = real_root() else { return };
    let Some(spec) = upstream_part(&root, "openapi-served-v1.37") else {
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("whole");
    workspace(&root, &folder, RELEASE, &documents(&spec), &["fixtures"]);
    let mut command = Command::new(XTASK);
    command
        .args(["spec", "protobuf", "--all", "--from"])
        .arg(upstream(&root).join("protobuf/v1.37"))
        .arg("--out")
        .arg(
            folder
                .join("spec")
                .join(format!("v{RELEASE}"))
                .join("protobuf"),
        )
        .current_dir(&root);
    Outcome::of(&mut command).succeeds();
    configure(&root, &folder);
    program(&folder);
    let mut command = Command::new(XTASK);
    command
        .args(["codegen", "--release", RELEASE, "--spec"])
        .arg(&spec)
        .current_dir(&folder);
    Outcome::of(&mut command).succeeds();
    share_dependencies(&root, &folder);
    let mut run = cargo(&folder, "run");
    run.args(["-p", "fixtures", "--"])
        .arg(upstream(&root).join("golden-all/v1.34.0"));
    println!("{}", Outcome::of(&mut run).succeeds().out);
}

/// Adds the numbers to the configuration.
fn configure(root: &Path, folder: &Path) {
    let path = folder.join("codegen.toml");
    let text = fs::read_to_string(&path).unwrap();
    for part in [DEFINITIONS, SCHEDULING] {
        assert!(text.contains(part), "{part}");
    }
    let mut config = text.replace(DEFINITIONS, &format!("{DEFINITIONS}json-only = true\n"));
    let more = format!(
        "{SCHEDULING}\n[[crate.document]]\nfile = \"apis__batch__v1_openapi.json\"\n{SCHEDULING}"
    );
    config = config.replacen(SCHEDULING, &more, 1);
    // The tables of k8s-openapi's types are in `kubernetes-kinds`.
    let ours: toml::Table = fs::read_to_string(root.join("codegen.toml"))
        .unwrap()
        .parse()
        .unwrap();
    let protobuf = ours["protobuf"].clone();
    let mut table = toml::Table::new();
    table.insert("protobuf".to_owned(), protobuf);
    config += &format!("\n{table}");
    fs::write(path, config).unwrap();
}

fn program(folder: &Path) {
    let source = include_str!("program.rs");
    fs::create_dir_all(folder.join("fixtures/src")).unwrap();
    fs::write(folder.join("fixtures/src/main.rs"), source).unwrap();
    let manifest = format!(
        "[package]\nname = \"fixtures\"\nedition.workspace = true\n\n[dependencies]\n\
         {BUNDLE} = {{ workspace = true, features = [\"protobuf\"] }}\n\
         k8s-openapi.workspace = true\nkubernetes-kinds.workspace = true\n\
         serde_json.workspace = true\n{SHARED} = {{ path = \"../{SHARED}\" }}\n"
    );
    fs::write(folder.join("fixtures/Cargo.toml"), manifest).unwrap();
}
