#![doc = include_str!("../README.md")]

mod debug;
mod secrets;
/// CSI 1: its messages, clients and servers.
pub mod v1;

pub use debug::{SERVICE_ACCOUNT_TOKENS, without_tokens};
pub use secrets::Secrets;
