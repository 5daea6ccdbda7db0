//! Elections with an API server in the process, on a paused clock.

mod acquiring;
mod api;
mod candidate;
mod config;
mod failures;
mod leading;
mod losing;
mod schedules;
