//! The upgrade of docs/upgrading.md from 1.33 to 1.34, rehearsed in a copy of the workspace: fetch,
//! diff, generate, test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use xtask_testing::nested::share_dependencies;
use xtask_testing::upstream;

use crate::common::server::{Fault, Server};
use crate::common::{Outcome, XTASK, cargo, copy, real_root};

/// A program that names every field of a struct, and so compiles as long as `diff` reports less
/// than `major` for it.
const PROGRAM: &str = r#"
use storage_v1::CSIDriverSpec;

pub fn spec() -> CSIDriverSpec {
    CSIDriverSpec {
        attach_required: Some(true),
        fs_group_policy: None,
        node_allocatable_update_period_seconds: Some(60),
        pod_info_on_mount: None,
        requires_republish: None,
        se_linux_mount: None,
        storage_capacity: None,
        token_requests: None,
        volume_lifecycle_modes: None,
    }
}

#[test]
fn a_driver_is_valid() {
    use kubernetes_validation::{Target, Validate};

    let driver = storage_v1::CSIDriver::new("csi.example.com", spec());
    let server = Target::new(storage_v1::KUBERNETES);
    let driver = driver.clone().default_and_validate(&server).into_result();
    assert!(driver.is_ok());
}
"#;

/// A test of a kind that only 1.34 has.
const NEW: &str = r#"
#[test]
fn the_new_kind_is_valid() {
    use kubernetes_validation::{Target, Validate};

    let class = storage_v1::VolumeAttributesClass::new("gold", "csi.example.com");
    let class = class.with_parameters([("iops", "1000")]);
    let server = Target::new(storage_v1::KUBERNETES);
    let json = k8s_openapi::serde_json::to_value(&class).unwrap();
    assert_eq!(json["apiVersion"], "storage.k8s.io/v1");
    assert!(class.clone().default_and_validate(&server).into_result().is_ok());
}
"#;

fn xtask(folder: &Path, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(XTASK);
    Outcome::of(command.args(arguments).current_dir(folder))
}

/// Runs the tests of the program with the crates as they are, and returns what cargo prints.
fn test(program: &Path, sources: &[&str]) -> Outcome {
    fs::create_dir_all(program.join("src")).unwrap();
    fs::write(program.join("src/lib.rs"), sources.concat()).unwrap();
    Outcome::of(cargo(program, "test").arg("--lib"))
}

/// A program beside the crates.
fn program(root: &Path, copied: &Path) -> PathBuf {
    let program = copied.join("program");
    fs::create_dir_all(&program).unwrap();
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let k8s_openapi = &manifest["workspace"]["dependencies"]["k8s-openapi"]["version"];
    let manifest = format!(
        "[workspace]\n\n[package]\nname = \"program\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\n\
         k8s-openapi = {{ version = {k8s_openapi}, default-features = false, features = [\"std\"] }}\n\
         kubernetes-validation = {{ path = \"../crates/kubernetes-validation\" }}\n\
         storage-v1 = {{ path = \"../generated/storage-v1\", features = [\"validation\"] }}\n"
    );
    fs::write(program.join("Cargo.toml"), manifest).unwrap();
    share_dependencies(root, &program);
    program
}

#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn from_1_33_to_1_34() {
    let Some(root) = real_root() else { return };
    let upstream = upstream(&root).join("openapi");
    let copied = Path::new(env!("CARGO_TARGET_TMPDIR")).join("upgrade");
    let _ = fs::remove_dir_all(&copied);
    copy(&root, &copied);

    // A program with the crates of 1.33.
    let generate = |release: &str, more: &[&str]| {
        let spec = format!("target/openapi/v{release}");
        let arguments = ["codegen", "--spec", &spec, "--out", "generated"];
        xtask(&copied, &[&arguments, more].concat()).succeeds().out
    };
    for (release, version) in [("1.33", "v1.33.4"), ("1.34", "v1.34.1")] {
        let server = Server::of(&upstream.join(format!("v{release}")), version, Fault::None);
        let fetch = ["spec", "fetch", release, "--from", &server.url];
        let out = xtask(
            &copied,
            &[&fetch[..], &["--group", "storage.k8s.io"]].concat(),
        );
        assert!(out.succeeds().out.contains("3 documents"), "{release}");
    }
    generate("1.33", &[]);
    let program = program(&root, &copied);
    let outcome = test(&program, &[PROGRAM]).succeeds();
    assert!(outcome.out.contains("1 passed"), "{}", outcome.out);
    let outcome = test(&program, &[PROGRAM, NEW]);
    assert!(
        outcome.stderr.contains("VolumeAttributesClass"),
        "{}",
        outcome.stderr
    );

    // Nothing breaks, so the program works with the crates of 1.34 as it is.
    let releases = ["diff", "target/openapi/v1.33", "target/openapi/v1.34"];
    let report = [
        &releases[..],
        &["--format", "json", "--fail-on", "breaking"],
    ]
    .concat();
    let report: Value = serde_json::from_str(&xtask(&copied, &report).succeeds().out).unwrap();
    assert_eq!(report["notCompared"], Value::Array(Vec::new()));
    let changes = report["changes"].as_array().unwrap();
    let is_new = |change: &&Value| change["what"] == "kind-added";
    let new: Vec<_> = changes.iter().filter(is_new).collect();
    assert_eq!(new.len(), 1);
    assert_eq!(new[0]["place"]["kind"], "VolumeAttributesClass");
    assert!(
        changes
            .iter()
            .all(|change| change["rust"]["semver"] != "major"),
        "{changes:#?}"
    );
    let warning = xtask(
        &copied,
        &[&releases[..], &["--fail-on", "warning"]].concat(),
    );
    assert_eq!(warning.code, Some(1), "{}", warning.stderr);
    assert!(warning.out.contains("deprecated (1.34)"), "{}", warning.out);

    let stale = [
        "codegen",
        "--check",
        "--spec",
        "target/openapi/v1.34",
        "--out",
        "generated",
    ];
    assert_eq!(xtask(&copied, &stale).code, Some(1));
    generate("1.34", &[]);
    assert!(generate("1.34", &["--check"]).contains("up to date"));
    let outcome = test(&program, &[PROGRAM, NEW]).succeeds();
    assert!(outcome.out.contains("2 passed"), "{}", outcome.out);
    let verified = xtask(&copied, &["spec", "verify", "--upstream", "target/openapi"]);
    assert!(verified.succeeds().out.contains("v1.34/"));
}
