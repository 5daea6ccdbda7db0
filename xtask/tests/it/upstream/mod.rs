//! Tests with Kubernetes' own documents and fixtures.

mod crates;
mod crds;
mod diff;
mod go_tests;
mod groups;
mod protobuf;
mod upgrade;
mod whole;
