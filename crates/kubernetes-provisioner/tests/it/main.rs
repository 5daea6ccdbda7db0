//! Tests of the provision controller, with an API server in the process.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod controller;
#[cfg(target_os = "linux")]
mod controller_memory;
