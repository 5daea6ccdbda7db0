//! The example `operator` without an API server.

use std::path::Path;

use tokio::process::Command;

#[tokio::test]
async fn without_a_cluster_it_says_so() {
    let config = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-kubeconfig");
    let mut command = Command::new(env!("CARGO_BIN_EXE_operator"));
    command
        .args(["--driver", "csi.example.com"])
        .env("KUBECONFIG", &config);
    let output = command.output().await.unwrap();
    assert!(!output.status.success());
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("error: ") && error.contains("no-kubeconfig"),
        "{error}"
    );
}
