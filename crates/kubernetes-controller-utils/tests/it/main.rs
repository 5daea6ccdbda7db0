//! Tests of the work queue and of leader election.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod leaderelection;
mod workqueue;
