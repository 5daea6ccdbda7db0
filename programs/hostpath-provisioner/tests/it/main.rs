//! Tests of the provisioner as a library, and of the program with a control plane.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod cluster;
mod folders;
