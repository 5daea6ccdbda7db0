//! Tests of the tools, with real mounts and files where root runs them.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

mod files;
mod mounting;
mod paths;
