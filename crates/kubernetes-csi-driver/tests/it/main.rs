//! Tests of the kit: of the validation of requests, and of a driver in memory.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod annotations;
mod capabilities;
mod declarations;
mod endpoints;
mod example;
mod fields;
mod functions;
mod hostile;
#[cfg(feature = "http")]
mod http;
mod limits;
mod locks;
#[cfg(feature = "manifests")]
mod manifests;
mod models;
mod mounts;
#[path = "../../../kubernetes-csi/tests/it/random.rs"]
mod random;
mod registration;
mod requests;
mod said;
mod secrecy;
mod stopping;
mod support;
mod topologies;
