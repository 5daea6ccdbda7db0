//! Tests of the program.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod answers;
mod blocks;
mod checks;
mod cluster;
mod driver;
mod folders;
mod full;
mod killed;
mod manifests;
mod model;
mod oracle;
mod paths;
mod pools;
mod sidecars;
mod state;
