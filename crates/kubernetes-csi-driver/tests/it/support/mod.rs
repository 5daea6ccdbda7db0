//! A driver in memory, a server of it, and calls to that.

mod calls;
mod fake;
mod logs;
mod server;

pub(crate) use calls::{Call, every_call};
pub(crate) use fake::{Fake, Script, driver};
pub(crate) use logs::Logs;
pub(crate) use server::{Server, channel, ready};
