//! Passes complete the model, each for one concern. [`PASSES`] is their order.

mod apply;
mod behaviour;
mod boxing;
mod by_hand;
mod circles;
mod closure;
mod conversion;
mod counterparts;
mod defaults;
mod docs;
mod enums;
mod examples;
mod homes;
mod lists;
mod merge;
mod names;
mod nullable;
mod paths;
mod placing;
mod rules;
mod schemas;

use crate::config::CrateConfig;
use crate::diag::Diagnostics;
use crate::model::{ApiVersion, Crate};
use crate::parallel;

/// A pass.
enum Pass {
    /// A pass over the types of a document.
    Version(fn(&mut ApiVersion, &CrateConfig, &mut Diagnostics)),
    /// A pass over all documents of a crate.
    Crate(fn(&mut Crate<'_>, &mut Diagnostics)),
    /// A pass over all crates.
    Crates(fn(&mut [Crate<'_>], &mut Diagnostics)),
    /// No pass: the passes after it need crates without errors.
    Errors,
}

/// All passes, in their order.
const PASSES: &[Pass] = &[
    // First, because what a type of another crate can do depends on its home.
    Pass::Crates(homes::run),
    // Before the type graph, which counts the fields.
    Pass::Version(|version, _, _| names::order_fields(version)),
    Pass::Version(|version, _, to| enums::run(version, to)),
    Pass::Version(|version, _, to| closure::run(version, to)),
    Pass::Crates(|crates, to| closure::report_missing(crates, to)),
    Pass::Version(|version, _, _| nullable::run(version)),
    Pass::Version(|version, _, to| lists::run(version, to)),
    Pass::Version(|version, _, to| defaults::run(version, to)),
    Pass::Version(rules::run),
    Pass::Version(|version, _, _| behaviour::run(version)),
    Pass::Version(|version, _, to| boxing::run(version, to)),
    Pass::Version(|version, config, _| names::keep_unknown_fields(version, config)),
    Pass::Version(|version, _, _| paths::run(version)),
    Pass::Version(|version, _, _| merge::run(version)),
    Pass::Version(|version, _, _| counterparts::run(version)),
    Pass::Version(|version, _, to| placing::run(version, to)),
    Pass::Version(|version, _, to| names::check(version, to)),
    // After the others, because links need the names and places of everything else.
    Pass::Version(|version, _, _| docs::run(version)),
    Pass::Version(|version, config, _| examples::run(version, config)),
    Pass::Version(|version, _, _| apply::run(version)),
    Pass::Version(|version, _, _| schemas::run(version)),
    Pass::Crate(|krate, to| names::check_crate(&krate.versions, to)),
    Pass::Crates(|crates, to| circles::check(crates, to)),
    Pass::Errors,
    Pass::Crate(|krate, to| by_hand::check(krate, to)),
    Pass::Crates(conversion::run),
];

/// Runs all passes.
pub(crate) fn run(crates: &mut [Crate<'_>], diagnostics: &mut Diagnostics) {
    let mut open = PASSES;
    while let Some(first) = open.first() {
        let together = open
            .iter()
            .take_while(|pass| pass.is_of_one_crate())
            .count();
        let (passes, rest) = open.split_at(together.max(1));
        open = rest;
        match first {
            Pass::Crates(run) => run(crates, diagnostics),
            Pass::Errors if diagnostics.is_empty() => {}
            Pass::Errors => return,
            Pass::Version(_) | Pass::Crate(_) => run_together(passes, crates, diagnostics),
        }
    }
}

/// Runs passes over each crate at the same time as over the others.
fn run_together(passes: &[Pass], crates: &mut [Crate<'_>], diagnostics: &mut Diagnostics) {
    // Passes report less where there are errors already.
    let before = &*diagnostics;
    let mut found = parallel::map(crates.iter_mut().collect(), |krate| {
        let mut all = before.clone();
        let each = passes.iter().map(|pass| {
            let known = all.len();
            pass.run(krate, &mut all);
            all.iter().skip(known).cloned().collect::<Vec<_>>()
        });
        each.collect::<Vec<_>>()
    });
    // The order is that of the passes.
    for at in 0..passes.len() {
        for found in &mut found {
            let found = found.get_mut(at).map(std::mem::take);
            found
                .into_iter()
                .flatten()
                .for_each(|error| diagnostics.push(error));
        }
    }
}

impl Pass {
    fn is_of_one_crate(&self) -> bool {
        matches!(self, Self::Version(_) | Self::Crate(_))
    }

    /// Runs a pass over one crate.
    fn run(&self, krate: &mut Crate<'_>, diagnostics: &mut Diagnostics) {
        match self {
            Self::Version(run) => {
                for version in &mut krate.versions {
                    run(version, krate.config, diagnostics);
                }
            }
            Self::Crate(run) => run(krate, diagnostics),
            Self::Crates(_) | Self::Errors => {}
        }
    }
}
