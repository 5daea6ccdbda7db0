//! Tests of the API and of the watcher.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod errors;
mod frames;
mod json;
mod lean;
mod requests;
mod support;
mod watcher;
