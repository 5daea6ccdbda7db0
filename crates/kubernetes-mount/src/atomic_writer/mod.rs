//! Files that change all at once, as those of a ConfigMap in a Pod do.
//!
//! ```text
//! config.yaml -> ..data/config.yaml
//! ..data -> ..1789000000.123456789
//! ..1789000000.123456789/config.yaml
//! ```
//!
//! A reader of `config.yaml` goes through `..data`, a link to a directory that is never changed. An
//! update writes another directory, and renames another link over `..data`. So whoever opens files
//! through the directory that `..data` leads to sees all old or all new ones.
//!
//! Everything is found by descriptors of directories that are open, so that nobody who can write to
//! the volume can lead a write outside of it. An update that was cut off leaves things that the
//! next one removes.

mod current;
mod paths;
mod payload;
mod update;
mod writer;

pub use payload::{FileProjection, Payload};
pub use writer::AtomicWriter;
