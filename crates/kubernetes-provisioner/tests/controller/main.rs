//! The provision controller, against an API server in the process.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod abandoned;
mod crashes;
mod deleting;
mod events;
mod fake;
mod finalizers;
mod infeasible;
mod misbehaving;
mod nodes;
mod permissions;
mod progress;
mod provisioning;
mod running;
mod storing;
mod thresholds;
mod world;
