//! Tests that CI also runs with k8s-openapi's types of other Kubernetes releases.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[cfg(feature = "k8s-openapi-types")]
mod k8s_openapi;
