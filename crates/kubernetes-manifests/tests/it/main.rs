//! Tests with kinds of an example group.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
#[cfg(feature = "yaml")]
mod each;
mod scheme;
mod scheme_errors;
#[cfg(feature = "yaml")]
mod scheme_yaml;
mod strict;
#[cfg(feature = "yaml")]
mod yaml_depth;
#[cfg(feature = "yaml")]
mod yaml_quotes;
