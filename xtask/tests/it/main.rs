//! Tests of the commands of this workspace.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[cfg(unix)]
mod adopt;
#[cfg(unix)]
mod bench;
mod budget;
mod bundle;
mod by_hand;
mod choosing;
mod cli;
mod common;
mod crds;
mod diagram;
mod diff;
#[cfg(unix)]
mod e2e;
mod fetch;
mod fresh;
mod go_tests;
#[cfg(unix)]
mod programs;
mod proof;
mod rehearsal;
#[cfg(unix)]
mod release;
mod spec;
#[cfg(unix)]
mod spec_protobuf;
mod tidy;
mod tidy_command;
mod upstream;
#[cfg(unix)]
mod upstream_command;
mod writing;
