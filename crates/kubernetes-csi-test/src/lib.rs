#![doc = include_str!("../README.md")]

mod ask;
mod call;
mod check;
mod checks;
mod context;
mod expect;
mod facts;
mod fields;
mod pages;
mod report;
mod service;
mod settings;
mod transport;

pub use checks::Checks;
pub use report::{CheckReport, Outcome, Report};
pub use transport::in_process;
