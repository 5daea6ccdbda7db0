//! Text becomes a located [`tree`], and the tree becomes a type ([`reader`]); a type becomes a tree
//! and that becomes text ([`write`]).

pub(crate) mod json;
mod read;
pub(crate) mod reader;
pub(crate) mod tree;
pub(crate) mod walk;
pub(crate) mod write;
#[cfg(feature = "yaml")]
pub(crate) mod yaml;
