//! Tests of the example programs.
//!
//! Tests that need a control plane are in `cluster`. The tests of `cluster::webhook` share one, the
//! others start one each.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod cluster;
mod operator;
mod program;
mod webhook;
