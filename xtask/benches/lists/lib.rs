//! Long lists of Kubernetes' objects, and the ways to read and to write them.

mod kinds;
mod managed;
mod nodes;
mod objects;
mod pods;
mod storage;

pub use kinds::{Kind, Way, kinds};

/// The messages of Kubernetes, as prost generates them.
#[allow(dead_code)]
mod messages {
    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}
