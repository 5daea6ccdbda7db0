//! Work on many things at once, with results that don't depend on how many processors there are.

use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::diag::Diagnostics;

/// The most threads that share the work: more gain little.
const MAX_THREADS: usize = 8;

/// Applies a function to each item. The results are in the order of the items.
pub(crate) fn map<T: Send, R: Send>(items: Vec<T>, make: impl Fn(T) -> R + Sync) -> Vec<R> {
    let available = thread::available_parallelism().map_or(1, usize::from);
    let others = available
        .min(MAX_THREADS)
        .min(items.len())
        .saturating_sub(1);
    let mut made: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let open = Mutex::new(items.into_iter().zip(&mut made));
    let work = || {
        loop {
            let next = open.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((item, place)) = next else { break };
            *place = Some(make(item));
        }
    };
    thread::scope(|scope| {
        for _ in 0..others {
            // Where there are no threads, this one does everything.
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    made.into_iter().flatten().collect()
}

/// The same for a function that reports errors, which are in the order of the items too.
pub(crate) fn map_reporting<T: Send, R: Send>(
    items: Vec<T>,
    diagnostics: &mut Diagnostics,
    make: impl Fn(T, &mut Diagnostics) -> R + Sync,
) -> Vec<R> {
    let made = map(items, |item| {
        let mut found = Diagnostics::default();
        (make(item, &mut found), found)
    });
    let results = made.into_iter().map(|(result, found)| {
        found
            .into_iter()
            .for_each(|diagnostic| diagnostics.push(diagnostic));
        result
    });
    results.collect()
}
