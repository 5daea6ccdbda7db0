//! The annotations of the specification's `.proto` file, read without the generator.

use std::collections::HashMap;
use std::path::Path;

/// The comments by the place of their item.
pub(crate) struct Annotations(HashMap<Vec<i32>, String>);

impl Annotations {
    pub(crate) fn read() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/csi/v1.13");
        let mut compiler = protox::Compiler::new([folder]).unwrap();
        compiler.include_source_info(true);
        compiler.open_file("csi.proto").unwrap();
        let mut files = compiler.file_descriptor_set().file;
        let file = files.pop().unwrap();
        let locations = file.source_code_info.unwrap().location.into_iter();
        Self(
            locations
                .filter_map(|location| Some((location.path, location.leading_comments?)))
                .collect(),
        )
    }

    /// Returns the text after an annotation, if the item has it.
    pub(crate) fn get(&self, path: &[i32], annotation: &str) -> Option<&str> {
        let mut lines = self.0.get(path)?.lines();
        lines.find_map(|line| line.trim().strip_prefix('@')?.strip_prefix(annotation))
    }

    pub(crate) fn has(&self, path: &[i32], annotation: &str) -> bool {
        self.get(path, annotation) == Some("")
    }

    /// Returns the number of bytes after `@size`.
    pub(crate) fn size(&self, path: &[i32]) -> Option<usize> {
        Some(self.get(path, "size ")?.parse().unwrap())
    }
}
