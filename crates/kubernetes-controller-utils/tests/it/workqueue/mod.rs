//! The work queue: the order of keys, delays, limits, and many workers.

mod caller;
mod cancellation;
mod concurrency;
mod handing_out;
mod limiters;
mod metrics;
mod model;
mod shutting_down;
