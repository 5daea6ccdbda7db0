//! Runs the fuzz targets on their seeds.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod seeds;
