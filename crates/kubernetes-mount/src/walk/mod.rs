//! Walks over the files below a directory, by file descriptors and in several threads.
//!
//! A path can lead elsewhere at any moment, because whoever can write to a volume can replace a
//! directory by a symbolic link. So nothing here is found by a path: each directory is opened
//! by its name in its parent, which is open already, and never if it is a link.

pub(crate) mod chmod;
mod dir;
mod shared;
mod visit;
mod work;

pub(crate) use visit::{Visit, open_root, path_of};
pub(crate) use work::walk;
