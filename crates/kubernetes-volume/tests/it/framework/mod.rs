//! The framework with plugins as `dyn`: specifications, lookups, probing, emptying.

mod directory;
mod errors;
mod fake;
mod forms;
mod init;
mod lookups;
mod ownership;
mod probing;
mod recycling;
mod specs;
