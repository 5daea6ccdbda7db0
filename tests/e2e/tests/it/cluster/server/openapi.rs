//! The server's own OpenAPI documents become crates.

use std::fs;
use std::path::Path;
use std::process::Command;

use http::Method;

use super::run;

/// The version whose document is fetched: newer ones may not be known to this workspace yet.
const PATH: &str = "/openapi/v3/apis/storage.k8s.io/v1";

/// Runs cargo, and shows what it says if it fails.
fn cargo(folder: &Path, arguments: &[&str], variables: &[(&str, &Path)]) {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(arguments)
        .current_dir(folder)
        .envs(variables.iter().copied());
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    assert!(
        output.status.success(),
        "{arguments:?}:\n{}",
        String::from_utf8_lossy(&said)
    );
}

/// Generates crates from a document of a release, and compiles them.
fn generate(release: &str, document: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap();
    let shared = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = tempfile::tempdir().unwrap();
    let (spec, out) = (folder.path().join(release), folder.path().join("out"));
    fs::create_dir(&spec).unwrap();
    fs::write(spec.join("apis__storage.k8s.io__v1_openapi.json"), document).unwrap();
    let (from, to) = (spec.to_str().unwrap(), out.to_str().unwrap());
    let generate = ["xtask", "codegen", "--spec", from, "--out", to];
    cargo(root, &generate, &[]);
    let made = fs::read_to_string(out.join("storage-v1/src/volume_attachment.rs")).unwrap();
    assert!(
        made.contains(&format!("{release}/apis__storage.k8s.io__v1")),
        "{made}"
    );

    // The versions that have been fetched, and the folder that other such tests build in.
    fs::copy(root.join("Cargo.lock"), out.join("Cargo.lock")).unwrap();
    let check = ["check", "--offline", "--quiet", "--workspace"];
    let target = shared.join("generated");
    let variables = [
        ("CARGO_TARGET_DIR", target.as_path()),
        ("RUSTFLAGS", Path::new("-Dwarnings")),
    ];
    cargo(&out, &check, &variables);
}

/// Not within the time that other tests have: it waits for a compiler.
#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn its_document_goes_through_the_generator_and_compiles() {
    let (release, document) = run(async |server| {
        let answer = e2e::send(&server.client, Method::GET, PATH, None)
            .await
            .unwrap();
        assert!(answer.is_success(), "{answer:?}");
        (format!("v{}", server.release), answer.body.to_string())
    });
    generate(&release, &document);
}
