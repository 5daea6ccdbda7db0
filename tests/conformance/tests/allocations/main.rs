//! Counts allocations: conversion moves, neither validation nor common quantities need memory, and
//! damaged protobuf needs little.
//!
//! The counting allocator is that of a whole process, so these tests have one of their own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod hostile;
mod moves;
mod quantities;
mod validation;

use std::alloc::System;
use std::hint::black_box;
use std::sync::{Mutex, MutexGuard, PoisonError};

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static HEAP: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Counts the allocations of the process, for one test at a time.
struct Counter {
    _turn: MutexGuard<'static, ()>,
}

impl Counter {
    /// The most tries for one count.
    const TRIES: usize = 1000;

    /// Waits until no other test counts.
    fn lock() -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        Self { _turn: turn }
    }

    /// Returns the fewest allocations of several runs.
    fn allocations(&self, mut run: impl FnMut()) -> usize {
        self.allocations_with(|| (), |()| run())
    }

    /// Returns the fewest allocations of several runs, because the runner of the tests allocates
    /// too. Neither `prepare` nor dropping the result is counted.
    fn allocations_with<A, B>(
        &self,
        mut prepare: impl FnMut() -> A,
        mut run: impl FnMut(A) -> B,
    ) -> usize {
        let mut fewest = usize::MAX;
        for _ in 0..Self::TRIES {
            let input = prepare();
            let region = Region::new(HEAP);
            let output = black_box(run(black_box(input)));
            let change = region.change();
            drop(output);
            fewest = fewest.min(change.allocations + change.reallocations);
            if fewest == 0 {
                break;
            }
        }
        fewest
    }
}
