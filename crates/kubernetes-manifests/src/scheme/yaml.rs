//! Writes YAML.

use k8s_openapi::serde::Serialize;
use serde_saphyr::SerializerOptions;

use super::write::unwritable;
use crate::error::SchemeError;
use kubernetes_kinds::wire::tree;

/// Writes an object as one YAML document, with its fields in the order of its type.
///
/// # Errors
///
/// When serializing fails.
pub fn to_yaml<T: Serialize>(object: &T) -> Result<String, SchemeError> {
    tree_to_yaml(&tree(object).map_err(unwritable)?)
}

/// Writes a tree or a value.
pub(super) fn tree_to_yaml<T: Serialize>(tree: &T) -> Result<String, SchemeError> {
    let write = |options| serde_saphyr::to_string_with_options(tree, options);
    let text = write(writing()).map_err(unwritable)?;
    // Kubernetes can't read a block whose first line begins with a tab.
    let begins_with_tab = |line: &str| line.trim_start_matches(' ').starts_with('\t');
    if !text.lines().any(begins_with_tab) {
        return Ok(text);
    }
    let mut without_blocks = writing();
    without_blocks.prefer_block_scalars = false;
    write(without_blocks).map_err(unwritable)
}

fn writing() -> SerializerOptions {
    serde_saphyr::ser_options! {
        // Only text with line breaks becomes a block; long lines are not folded.
        folded_wrap_chars: usize::MAX,
    }
}
