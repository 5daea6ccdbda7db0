//! Tests of the messages.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod messages;
mod oracle;
mod random;
mod secrets;
mod upstream;
mod wire;
