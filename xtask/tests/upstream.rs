//! Crates from Kubernetes' own documents, of every release that is there, compile.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use std::fs;
use std::path::Path;

use common::{compile, generate, real_root};

/// Slow, and in need of Kubernetes' documents, so only where they are.
#[test]
fn crates_from_kubernetes_own_documents_compile() {
    let Some(root) = real_root() else { return };
    let Some(upstream) = std::env::var_os("UPSTREAM_DIR") else {
        eprintln!("skipped: UPSTREAM_DIR doesn't name a folder with openapi/vRELEASE");
        return;
    };
    // Tests run in the folder of their crate; a relative path is meant from the root.
    let upstream = root.join(upstream);
    let folders = fs::read_dir(upstream.join("openapi")).unwrap();
    let mut folders: Vec<_> = folders.map(|entry| entry.unwrap().path()).collect();
    folders
        .retain(|folder| folder.join("apis__storage.k8s.io__v1_openapi.json").is_file());
    folders.sort();
    assert!(!folders.is_empty(), "no documents of storage.k8s.io/v1 in UPSTREAM_DIR");
    let mut faults = Vec::new();
    for folder in folders {
        let release = folder.file_name().unwrap().to_string_lossy().into_owned();
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("upstream").join(&release);
        let (spec, to) = (folder.display().to_string(), out.display().to_string());
        let result = std::panic::catch_unwind(|| {
            let told = generate(&root, &["--spec", &spec, "--out", &to]);
            compile(&root, &out);
            told
        });
        match result {
            Ok(told) => println!("{release}: {}", told.trim_end()),
            Err(_) => faults.push(release),
        }
    }
    assert!(faults.is_empty(), "{faults:?} can't be generated or compiled, see above");
}
