//! Tests of the programs as users run them, and of the linter as a library.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod claims;
mod common;
mod convert;
mod defaults;
mod hostile;
mod inputs;
mod lint;
mod lint_options;
mod notes;
mod output;
mod program;
mod search;
mod surroundings;
mod upstream;
