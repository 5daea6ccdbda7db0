//! Mounting, cleaning up, formatting, checking and growing; the fakes; running commands.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::indexing_slicing, missing_docs, unreachable_pub)]

#[path = "../support/mod.rs"]
mod support;

mod cleanup;
mod commands;
mod devices;
mod fakes;
mod format;
mod helper;
mod host;
mod linux;
mod options;
mod oracle;
mod propagation;
mod resize;
mod table;
mod tools;
