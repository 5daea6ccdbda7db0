//! All documents of a release of Kubernetes with the numbers of protobuf: Kubernetes' fixtures of
//! all kinds, Go's zero values of them, and definitions of many projects are read, and written byte
//! for byte.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask_testing::every::{BUNDLE, add_protobuf, documents, generate, workspace};
use xtask_testing::nested::{SHARED, share_dependencies};
use xtask_testing::{upstream, upstream_part};

use crate::common::{Outcome, XTASK, cargo, real_root};

const RELEASE: &str = "1.37";

#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn every_kind_is_read_and_written_as_protobuf() {
    let Some(root) = real_root() else { return };
    let Some(spec) = upstream_part(&root, "openapi-served-v1.37") else {
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("whole");
    workspace(&root, &folder, RELEASE, &documents(&spec), &["fixtures"]);
    add_protobuf(&root, &folder, RELEASE, XTASK);
    program(&folder);
    generate(&folder, RELEASE, &spec, XTASK);
    share_dependencies(&root, &folder);
    let mut run = cargo(&folder, "run");
    run.args(["-p", "fixtures", "--"])
        .arg(upstream(&root).join("golden-all/v1.34.0"))
        .arg(of_go(&root, &folder));
    println!("{}", Outcome::of(&mut run).succeeds().out);
}

/// Writes Go's objects of zero values, and CustomResourceDefinitions, and returns their folder.
fn of_go(root: &Path, folder: &Path) -> PathBuf {
    let out = folder.join("go");
    fs::create_dir_all(&out).unwrap();
    let mut go = Command::new("go");
    go.args(["run", "-mod=readonly", "-buildvcs=false"])
        .arg("./cmd/protobuf-fixtures")
        .arg(&out)
        .arg(upstream(root).join("crds/ecosystem"))
        .current_dir(root.join(format!("tests/e2e/control-plane/v{RELEASE}")))
        .envs([("GOWORK", "off"), ("GOFLAGS", "")]);
    Outcome::of(&mut go).succeeds();
    out
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
