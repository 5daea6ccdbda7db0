//! Looks for an order of calls in which a model answers as the driver did.

use std::collections::BTreeSet;

use super::slot::{Answer, Call, Slot};

/// A call that was made.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) call: Call,
    /// The moment before it.
    pub(super) from: u64,
    /// The moment after its answer; `None` if nobody waited for it.
    pub(super) to: Option<u64>,
    pub(super) answer: Option<Answer>,
}

/// A possible past: what there is, and the calls without an answer so far that have happened.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Past {
    slot: Slot,
    happened: BTreeSet<usize>,
}

/// Returns the first call whose answer no order explains.
///
/// Each call happens at one moment between its begin and its answer, one that nobody waited for at
/// any moment after its begin or not at all.
pub(super) fn unexplained(calls: &[Made]) -> Option<&Made> {
    let begins = calls
        .iter()
        .enumerate()
        .map(|(index, call)| (call.from, false, index));
    let ends = calls.iter().enumerate();
    let ends = ends.filter_map(|(index, call)| Some((call.to?, true, index)));
    let mut moments: Vec<_> = begins.chain(ends).collect();
    moments.sort_unstable();
    let mut running = BTreeSet::new();
    let mut pasts = BTreeSet::from([Past {
        slot: Slot::default(),
        happened: BTreeSet::new(),
    }]);
    for (_, is_end, index) in moments {
        if !is_end {
            running.insert(index);
            continue;
        }
        pasts = with_happened(pasts, &running, calls);
        pasts.retain(|past| past.happened.contains(&index));
        if pasts.is_empty() {
            return Some(&calls[index]);
        }
        running.remove(&index);
        let past = |mut past: Past| {
            past.happened.remove(&index);
            past
        };
        pasts = pasts.into_iter().map(past).collect();
    }
    None
}

/// Adds all pasts in which more of the calls that run have happened.
fn with_happened(
    pasts: BTreeSet<Past>,
    running: &BTreeSet<usize>,
    calls: &[Made],
) -> BTreeSet<Past> {
    let mut all = pasts.clone();
    let mut last = pasts;
    while !last.is_empty() {
        let mut new = BTreeSet::new();
        for past in &last {
            for index in running.difference(&past.happened) {
                let made = &calls[*index];
                if let Some(slot) = past.slot.after(&made.call, made.answer.as_ref()) {
                    let mut happened = past.happened.clone();
                    happened.insert(*index);
                    new.insert(Past { slot, happened });
                }
            }
        }
        last = new.difference(&all).cloned().collect();
        all.extend(new);
    }
    all
}

/// Returns a call that was refused because of another one, while there was none.
pub(super) fn refused_alone(calls: &[Made]) -> Option<&Made> {
    let is_refused = |made: &&Made| made.answer == Some(Err(tonic::Code::Aborted));
    let mut refused = calls.iter().filter(is_refused);
    refused.find(|made| {
        let overlaps = |other: &Made| {
            let ends_before = other.to.is_some_and(|to| to < made.from);
            let begins_after = made.to.is_some_and(|to| other.from > to);
            other.from != made.from && !ends_before && !begins_after
        };
        !calls.iter().any(overlaps)
    })
}
