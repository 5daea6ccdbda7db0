//! The specification has the structure of the one that its authors publish.

use std::path::{Path, PathBuf};

/// Returns the descriptor of a `.proto` file without its comments, as bytes, with all options.
fn descriptor(folder: &Path) -> Vec<u8> {
    let mut compiler = protox::Compiler::new([folder]).unwrap();
    compiler.open_file("csi.proto").unwrap();
    compiler.encode_file_descriptor_set()
}

#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn the_structure_is_equal() {
    let upstream = std::env::var_os("UPSTREAM_DIR").expect("UPSTREAM_DIR: see docs/testing.md");
    let theirs = descriptor(&PathBuf::from(upstream).join("csi/v1.13.0"));
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/csi/v1.13");
    assert!(theirs.len() > 10_000);
    assert!(descriptor(&ours) == theirs, "the descriptors differ");
}
