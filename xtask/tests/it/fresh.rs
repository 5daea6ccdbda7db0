//! The generated crates of this workspace are those that the generator makes, and they
//! compile wherever they are put.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Outcome, XTASK, compile, generate, real_root};

#[test]
fn the_committed_crates_are_fresh() {
    let Some(root) = real_root() else { return };
    let mut command = Command::new(XTASK);
    let outcome = Outcome::of(command.args(["codegen", "--check"]).current_dir(root));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome.out.contains("generated files are up to date"),
        "{}",
        outcome.out
    );
}

#[test]
fn generated_crates_compile_in_another_folder() {
    let Some(root) = real_root() else { return };
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own");
    // Hand-written files that an earlier run has copied would be left alone.
    let _ = fs::remove_dir_all(&out);
    generate(&root, &["--out", &out.display().to_string()]);
    assert!(out.join("storage-v1alpha1/src/csi/rules.rs").is_file());
    compile(&root, &out);
}

/// The crate that it is converted into is that of the workspace.
#[test]
fn a_crate_alone_compiles_in_another_folder() {
    let Some(root) = real_root() else { return };
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("alone");
    let _ = fs::remove_dir_all(&out);
    generate(
        &root,
        &["storage-v1beta1", "--out", &out.display().to_string()],
    );
    assert!(!out.join("storage-v1").exists());
    compile(&root, &out);
}
