//! Files that change all at once, and parts of volumes.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "../support/mod.rs"]
mod support;

mod cleaned;
mod made;
mod mounted;
mod opened;
mod races;
mod written;
