//! Tests with Kubernetes' own documents and fixtures.

mod crates;
mod crds;
mod diff;
mod groups;
mod objects;
mod upgrade;
