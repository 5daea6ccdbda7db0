//! The server's own OpenAPI documents become crates.

use std::fs;
use std::path::Path;
use std::process::Command;

use http::Method;
use xtask_testing::nested::{self, share_dependencies, strict};

use super::run;

/// The version whose document is fetched: newer ones may not be known to this workspace yet.
const PATH: &str = "/openapi/v3/apis/storage.k8s.io/v1";

/// Generates crates from a document of a release, and compiles them.
fn generate(release: &str, document: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (spec, out) = (folder.path().join(release), folder.path().join("out"));
    fs::create_dir(&spec).unwrap();
    fs::write(spec.join("apis__storage.k8s.io__v1_openapi.json"), document).unwrap();

    // `cargo xtask` would compile all dependencies again, with the features of one package. Those
    // of the workspace are chosen together with one of its benchmarks.
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut build = nested::cargo(root, temporary, "test");
    build.env("CARGO_TARGET_DIR", temporary.parent().unwrap());
    strict(build.args(["--workspace", "--no-run", "--bench", "lists"]));
    let program = temporary.with_file_name("debug").join("xtask");
    let mut xtask = Command::new(program);
    xtask.arg("codegen").arg("--spec").arg(&spec);
    strict(xtask.arg("--out").arg(&out).current_dir(root));
    let made = fs::read_to_string(out.join("storage-v1/src/volume_attachment.rs")).unwrap();
    assert!(
        made.contains(&format!("{release}/apis__storage.k8s.io__v1")),
        "{made}"
    );

    share_dependencies(root, &out);
    strict(nested::cargo(&out, temporary, "check").arg("--workspace"));
}

/// Takes longer than the time limit of other tests: it waits for a compiler.
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
