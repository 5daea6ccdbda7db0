//! The work queue: what is handed out when, also to many workers, and until when nothing is.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod caller;
mod cancellation;
mod concurrency;
mod handing_out;
mod limiters;
mod metrics;
mod model;
mod shutting_down;
