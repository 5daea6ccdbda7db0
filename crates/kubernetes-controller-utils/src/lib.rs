//! Parts of a Kubernetes controller that know nothing of what it controls: a work queue and leader
//! election, as client-go has them for Go.
//!
//! | module | contents |
//! |---|---|
//! | [`workqueue`] | a queue of keys with delays, limits and metrics, each handed to one worker at a time |
//! | [`leaderelection`] | leader election by a Lease, compatible with client-go's candidates |

pub mod leaderelection;
pub mod workqueue;

/// The example of the README is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
