//! Ownership and metrics of real files.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "../support/mod.rs"]
mod support;

mod metrics;
mod ownership;
mod races;
mod skipped;
mod trees;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// The group and the permissions of a file, not of what a link leads to.
fn of(path: impl AsRef<Path>) -> (u32, u32) {
    let metadata = fs::symlink_metadata(path).unwrap();
    (metadata.gid(), metadata.mode() & 0o7777)
}

fn set(path: impl AsRef<Path>, gid: u32, mode: u32) {
    std::os::unix::fs::chown(&path, None, Some(gid)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
}
