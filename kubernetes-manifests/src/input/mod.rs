//! What reading is made of, for [`scheme`](crate::scheme) and [`strict`](crate::strict) alike.

pub(crate) mod json;
#[cfg(feature = "yaml")]
mod locate;
#[cfg(feature = "yaml")]
mod merge;
pub(crate) mod tree;
#[cfg(feature = "yaml")]
pub(crate) mod yaml;
