//! Reads and writes Kubernetes manifests in JSON and YAML.
//!
//! * [`scheme`] reads any registered version of a kind as the requested version, and streams of
//!   objects of any kinds. The generated crates register their kinds with `add_to_scheme`.
//! * [`strict`] also reports unknown and duplicate fields, as a server does with
//!   `fieldValidation=Strict`.
//!
//! Reading and writing YAML needs the feature `yaml`.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod error;
mod input;
pub mod scheme;
pub mod strict;
