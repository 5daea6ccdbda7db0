//! Parts of a Kubernetes controller that know nothing of what it controls: a work queue and leader
//! election, as client-go has them for Go.
//!
//! | module | contents |
//! |---|---|
//! | [`workqueue`] | a queue of keys with delays, rate limits and metrics |
//! | [`leaderelection`] | leader election by a Lease, compatible with client-go |

pub mod leaderelection;
pub mod workqueue;

/// The example of the README is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
