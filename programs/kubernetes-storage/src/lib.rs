//! The programs `kubernetes-storage` and `kubectl-storage`, which are the same: [`main`] runs them.
//!
//! Both check, convert and default manifests offline, by the rules of [`kubernetes_validation`].
//! [`lint`], [`stored`] and [`gates()`] are also a library, for other front ends.

mod arguments;
mod aside;
mod cli;
mod config;
mod convert;
mod defaults;
mod exit;
mod explain;
mod gates;
mod input;
mod kinds;
pub mod lint;
mod older;
mod output;
mod release;
pub mod rules;
mod schema;
mod search;
mod server;
pub mod stored;
mod surroundings;
mod template;
mod text;

pub use cli::main;
pub use gates::gates;
