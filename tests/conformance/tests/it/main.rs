//! The generated crates: what they read and write, their conversion, validation, schemas and
//! traits, compared with Kubernetes' fixtures, k8s-openapi and kube.
//!
//! Tests that need Kubernetes' own files are in modules with the name `upstream`, those that need
//! Go in `oracle`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod apply;
mod builders;
mod conversion;
mod csi_bad_input;
mod csi_edits;
mod csi_rules;
mod extract;
mod fixtures;
mod formats;
mod k8s_openapi;
mod kube;
mod lean;
mod losses;
mod merge;
mod protobuf;
mod quantities;
mod schemas;
mod scheme;
mod strict;
mod topology;
mod traits;
mod validation;
mod versions;
mod wire;
