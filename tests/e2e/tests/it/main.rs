//! Tests of the control plane for tests, and of other crates against it.
//!
//! Tests that start a control plane are in `cluster`. Those in `yaml` need Go.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    missing_docs,
    unreachable_pub
)]

mod cases;
mod cluster;
mod start;
mod yaml;
