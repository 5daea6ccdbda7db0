//! The provision controller, against an API server in the process.

mod abandoned;
mod counterparts;
mod crashes;
mod deleting;
mod events;
mod fake;
mod finalizers;
mod infeasible;
mod misbehaving;
mod naming;
mod nodes;
mod permissions;
mod progress;
mod provisioning;
mod running;
mod storing;
mod thresholds;
mod waking;
mod world;
