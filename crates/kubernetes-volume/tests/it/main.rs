//! Tests of the framework and of the plugins.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod framework;
mod plugins;
