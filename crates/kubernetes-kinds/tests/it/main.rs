//! Tests of the run-time support that need no generated kinds; `conformance` has the others.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod changes;
#[cfg(feature = "k8s-openapi-types")]
mod counterpart;
mod nulls;
#[cfg(feature = "protobuf")]
mod protobuf;
mod quantity;
mod selectors;
mod times;
#[cfg(feature = "custom-resources")]
mod values;
