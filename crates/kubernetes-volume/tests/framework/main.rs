//! The framework with plugins as `dyn`: specifications, lookups, probing, emptying.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod directory;
mod errors;
mod fake;
mod forms;
mod init;
mod lookups;
mod probing;
mod recycling;
mod specs;
