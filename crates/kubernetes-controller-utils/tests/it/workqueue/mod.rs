//! The work queue: what is handed out when, also to many workers, and until when nothing is.

mod caller;
mod cancellation;
mod concurrency;
mod handing_out;
mod limiters;
mod metrics;
mod model;
mod shutting_down;
