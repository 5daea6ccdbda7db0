//! The tests of the generator.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod bad_checks;
mod bad_config;
mod bad_conversion;
mod bad_conversion_rules;
mod bad_documents;
mod bad_kinds;
mod bad_numbers;
mod bad_overlays;
mod boxing;
mod common;
mod compare;
mod compiled;
mod costly;
mod depth;
mod diff;
mod diff_documents;
mod diff_scope;
mod expressions;
mod golden;
#[cfg(feature = "grpc")]
mod grpc;
#[cfg(feature = "grpc")]
mod grpc_rules;
mod hostile;
mod invariants;
mod protobuf;
mod rules_in_cel;
mod shared;
mod spec;
mod unchecked;
mod upstream;
