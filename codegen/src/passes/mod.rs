//! Passes complete the model, each for one concern.
//!
//! They run in this order. A pass takes what it needs and returns what it finds; the types of the
//! model have that from the next phase on.
//!
//! - Over lowered crates: [`homes`].
//! - From a lowered document to a resolved one, by [`resolve`]: the order of fields ([`names`]),
//!   [`enums`], [`renames`], [`rivals`], [`closure`], [`exact`], the type graph, [`lists`],
//!   [`placing`]; of each kind [`paths`]; of each field [`nullable`], [`boxing`], [`defaults`],
//!   [`merge`], [`readings`], [`numbers`]; at last [`names`].
//! - From that to an analysed one, by [`analyse`]: [`rules`], [`features`].
//! - Over analysed crates: the names of a crate ([`names`]), [`circles`], [`derives`],
//!   [`replacements`], and if there are no errors [`by_hand`], [`conversion`] and [`versions`].
//! - From an analysed document to a complete one, by [`complete`]: [`behaviour`], [`docs`],
//!   [`examples`], [`checks`], [`apply`], [`schemas`], [`counterparts`], [`needs`].

mod analyse;
mod apply;
mod behaviour;
mod boxing;
mod by_hand;
mod carry;
mod checks;
mod circles;
mod closure;
mod complete;
mod conversion;
mod counterparts;
mod defaults;
mod derives;
mod docs;
mod enums;
mod exact;
mod examples;
mod features;
mod homes;
mod lists;
mod merge;
mod names;
mod needs;
mod nullable;
mod numbers;
mod paths;
mod placing;
mod readings;
mod renames;
mod replacements;
mod resolve;
mod rivals;
mod rules;
mod schemas;
mod versions;

use self::versions::Versions;
use crate::diag::Diagnostics;
use crate::model::{Analysed, Crate, Lowered};
use crate::numbers::Numbers;
use crate::parallel;

/// Runs all passes; those that complete a crate when it is asked for, as a complete model takes
/// much memory. Without it there are diagnostics.
pub(crate) fn run<'c>(
    mut crates: Vec<Crate<'c, Lowered>>,
    numbers: Option<&Numbers>,
    diagnostics: &mut Diagnostics,
) -> Option<impl Iterator<Item = Crate<'c>> + use<'c>> {
    // First, because what a type of another crate can do depends on its home.
    homes::run(&mut crates, diagnostics);
    let had_errors = !diagnostics.is_empty();
    let crates = parallel::map_reporting(crates, diagnostics, |krate, to| {
        let krate = analysed(krate, numbers, had_errors, to);
        names::check_crate(&krate.versions, to);
        krate
    });
    circles::check(&crates, diagnostics);
    derives::check(&crates, diagnostics);
    replacements::check(&crates, diagnostics);
    // The passes after this need crates without errors.
    if !diagnostics.is_empty() {
        return None;
    }
    for krate in &crates {
        by_hand::check(krate, diagnostics);
    }
    let conversions = crates
        .iter()
        .map(|krate| conversion::of(krate, &crates, diagnostics));
    let conversions: Vec<_> = conversions.collect();
    let versions = Versions::of(&crates);
    let work = crates.into_iter().zip(conversions);
    let complete = work.map(move |(krate, conversions)| {
        let config = krate.config;
        let versions = parallel::map(krate.versions, |document| {
            complete::run(document, config, &conversions, &versions)
        });
        Crate { config, versions }
    });
    diagnostics.is_empty().then_some(complete)
}

/// Resolves and analyses the documents of a crate.
fn analysed<'c>(
    mut krate: Crate<'c, Lowered>,
    numbers: Option<&Numbers>,
    had_errors: bool,
    diagnostics: &mut Diagnostics,
) -> Crate<'c, Analysed> {
    let config = krate.config;
    resolve::name(&mut krate.versions, diagnostics);
    let versions = krate.versions.into_iter().map(|version| {
        let resolved = resolve::run(version, config, numbers, had_errors, diagnostics);
        analyse::run(resolved, config, diagnostics)
    });
    Crate {
        config,
        versions: versions.collect(),
    }
}
