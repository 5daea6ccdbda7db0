//! Text becomes a located [`tree`], and the tree becomes a type ([`reader`]).

mod escapes;
pub(crate) mod json;
mod numbers;
pub(crate) mod position;
mod read;
pub(crate) mod reader;
pub(crate) mod step;
pub(crate) mod tree;
pub(crate) mod walk;
#[cfg(feature = "yaml")]
pub(crate) mod yaml;
