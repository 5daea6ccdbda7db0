//! Written by hand.

/// At what temperature water boils, in °C.
pub const POINT: i32 = 100;
