//! Tests of the programs as users run them, and of the linter as a library.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod claims;
mod common;
mod config;
mod convert;
#[cfg(unix)]
mod convert_full;
mod convert_lossy;
mod convert_text;
mod defaults;
mod hostile;
mod inputs;
mod lint;
mod lint_options;
mod notes;
mod older;
mod origins;
mod output;
mod program;
mod rules;
mod schema;
mod search;
mod surroundings;
mod upstream;
