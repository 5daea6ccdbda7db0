//! Runs the fuzz targets on their seeds.

mod seeds;
