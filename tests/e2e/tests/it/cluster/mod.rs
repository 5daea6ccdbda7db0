//! Tests that start a control plane: they need `KUBEBUILDER_ASSETS`, which `cargo xtask e2e` sets.
//!
//! They run side by side, as many at a time as there are test threads. `differential` and `server`
//! each share one control plane among their tests, which lasts until the process ends; other tests
//! start their own.

mod controllers;
mod definitions;
mod differential;
mod discovery;
#[cfg(target_os = "linux")]
mod kubelet;
mod mutants;
mod server;
#[cfg(target_os = "linux")]
mod stop;
