//! [`Api`] and [`watcher`](watcher()) of kube for Kubernetes' protobuf, which takes fewer bytes
//! than JSON, and less time to read and write.
//!
//! Both work on kube's [`Client`](kube::Client), take kube's parameters, and return kube's lists,
//! events and errors: stores, reflectors and controllers of kube take them unchanged. The kinds are
//! those with [`Object`]: kinds of generated crates with the feature `protobuf`, and
//! [`Lean`](kubernetes_kinds::Lean) of them. Custom resources have no protobuf, on no server; use
//! [`kube::Api`] for them.
//!
//! A request asks for protobuf and accepts JSON; answers, errors and watches are read by what a
//! server sent. A server that refuses protobuf gets JSON, at once and from then on.
//!
//! With the feature `controller`, `controller()` returns kube's `Controller` over such a watcher.

mod api;
#[cfg(feature = "controller")]
mod controller;
mod event;
mod exchange;
mod frames;
mod methods;
mod object;
mod status;
pub mod watcher;

pub use api::Api;
#[cfg(feature = "controller")]
pub use controller::controller;
pub use object::Object;
pub use watcher::watcher;

/// The examples of the README are compiled, with all features.
#[cfg(all(doctest, feature = "controller"))]
#[doc = include_str!("../README.md")]
struct Readme;
