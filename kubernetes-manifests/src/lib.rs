//! Manifests of Kubernetes: text in JSON or YAML becomes objects of the version that is wanted.
//!
//! * [`scheme`] reads any registered version of a kind as the wanted one, and streams of
//!   objects of any kinds. The generated crates register theirs with `add_to_scheme`.
//! * [`strict`] reads and reports fields that are unknown or occur twice.
//!
//! Reading and writing YAML needs the feature `yaml`.

mod error;
mod input;
pub mod scheme;
pub mod strict;
