//! Tests of the API server.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod faults;
mod server;
mod suite;
