//! Runs rustfmt over generated files, as `cargo xtask codegen` does.

use std::fs;
use std::path::Path;
use std::process::Command;

use codegen::{Generated, GeneratedFile};

/// Returns crates with their Rust files formatted, by one run of rustfmt.
pub(crate) fn formatted(mut crates: Vec<Generated>) -> Vec<Generated> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let folder = folder.path();
    let write = |path: &Path, text: &str| {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file is written");
    };
    write(&folder.join("rustfmt.toml"), "");
    for krate in &crates {
        let own = folder.join(&krate.name);
        for file in krate.files.iter().filter(|file| is_rust(file)) {
            write(&own.join(&file.path), &file.text);
        }
        for path in &krate.hand_written {
            write(&own.join(path), "");
        }
    }
    let roots = crates.iter().map(|krate| {
        let root = match krate.files.as_slice() {
            [single] => &single.path,
            _ => "src/lib.rs",
        };
        folder.join(&krate.name).join(root)
    });
    let rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024"])
        .args(roots)
        .output();
    let output = rustfmt.expect("rustfmt: install it with `rustup component add rustfmt`");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "rustfmt: {errors}");
    for krate in &mut crates {
        let own = folder.join(&krate.name);
        for file in krate.files.iter_mut().filter(|file| is_rust(file)) {
            file.text = fs::read_to_string(own.join(&file.path)).expect("a formatted file");
        }
    }
    crates
}

fn is_rust(file: &GeneratedFile) -> bool {
    file.path.ends_with(".rs")
}
