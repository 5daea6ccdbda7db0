//! The server's own OpenAPI documents: compared with ours, and become crates.

use std::fs;
use std::path::Path;
use std::process::Command;

use http::Method;
use xtask_testing::nested::{self, share_dependencies, strict};

use super::run;

/// The version whose document becomes a crate: newer ones may not be known to this workspace yet.
const STORAGE: &str = "apis__storage.k8s.io__v1_openapi.json";

/// The documents that are compared with ours, and where a server has them.
const DOCUMENTS: [(&str, &str); 2] = [
    (STORAGE, "/openapi/v3/apis/storage.k8s.io/v1"),
    ("api__v1_openapi.json", "/openapi/v3/api/v1"),
];

/// Compares documents of a release with ours, generates crates from one, and compiles them.
fn check(release: &str, documents: &[String]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (spec, out) = (folder.path().join(release), folder.path().join("out"));
    fs::create_dir(&spec).unwrap();
    for ((name, _), document) in DOCUMENTS.iter().zip(documents) {
        fs::write(spec.join(name), document).unwrap();
    }

    // `cargo xtask` would compile all dependencies again, with the features of one package. Those
    // of the workspace are chosen together with one of its benchmarks.
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut build = nested::cargo(root, temporary, "test");
    build.env("CARGO_TARGET_DIR", temporary.parent().unwrap());
    strict(build.args(["--workspace", "--no-run", "--bench", "lists"]));
    let program = temporary.with_file_name("debug").join("xtask");
    let xtask = |arguments: &[&str]| {
        let mut xtask = Command::new(&program);
        strict(xtask.args(arguments).current_dir(root));
    };
    let (spec, made) = (spec.to_str().unwrap(), out.to_str().unwrap());
    xtask(&["spec", "verify", "--upstream", spec]);
    xtask(&["codegen", "--spec", spec, "--out", made, "storage-v1"]);
    let made = fs::read_to_string(out.join("storage-v1/src/volume_attachment.rs")).unwrap();
    assert!(made.contains(&format!("{release}/{STORAGE}")), "{made}");

    share_dependencies(root, &out);
    strict(nested::cargo(&out, temporary, "check").arg("--workspace"));
}

/// Takes longer than the time limit of other tests: it waits for a compiler.
#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn its_documents_are_ours_and_become_crates() {
    let (release, documents) = run(async |server| {
        let mut documents = Vec::new();
        for (_, path) in DOCUMENTS {
            let answer = e2e::send(&server.client, Method::GET, path, None)
                .await
                .unwrap();
            assert!(answer.is_success(), "{answer:?}");
            documents.push(answer.body.to_string());
        }
        (format!("v{}", server.release), documents)
    });
    check(&release, &documents);
}
