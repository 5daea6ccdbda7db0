//! Tests of the checks: a good driver passes, and each fault makes the right ones fail.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod annotations;
mod faults;
mod faulty;
mod memory;
mod reports;
