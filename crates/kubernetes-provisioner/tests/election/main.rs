//! Elections with an API server in the process, on a paused clock.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod acquiring;
mod api;
mod candidate;
mod config;
mod failures;
mod leading;
mod losing;
mod schedules;
