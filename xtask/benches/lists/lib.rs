//! The ways to read and to write lists of Kubernetes' objects.

mod kinds;

pub use kinds::{Kind, Way, kinds};

/// The messages of Kubernetes, as prost generates them.
#[allow(dead_code)]
mod messages {
    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}
