//! Passes: model to model, each for one concern, in this order.

mod apply;
mod boxing;
mod by_hand;
mod checks;
mod closure;
mod conversion;
mod docs;
mod enums;
mod lists;
mod names;
mod placing;

use crate::config::CrateConfig;
use crate::diag::Diagnostics;
use crate::model::{ApiVersion, Crate};

/// Checks what concerns all documents of a crate.
pub(crate) fn check_crate(versions: &[ApiVersion], diagnostics: &mut Diagnostics) {
    names::check_crate(versions, diagnostics);
}

/// Checks what the configuration names as written by hand.
pub(crate) fn check_by_hand(krate: &Crate<'_>, diagnostics: &mut Diagnostics) {
    by_hand::check(krate, diagnostics);
}

/// Works out how the types of the crates are converted into each other.
pub(crate) fn convert(crates: &mut [Crate<'_>], diagnostics: &mut Diagnostics) {
    conversion::run(crates, diagnostics);
}

/// Runs all passes on the types of one document.
pub(crate) fn run(
    version: &mut ApiVersion,
    config: &CrateConfig,
    diagnostics: &mut Diagnostics,
) {
    enums::run(version, diagnostics);
    closure::run(version, diagnostics);
    lists::run(version, diagnostics);
    checks::run(version, diagnostics);
    boxing::run(version, diagnostics);
    names::order_fields(version);
    if config.keep_unknown_fields {
        names::keep_unknown_fields(version);
    }
    placing::run(version, diagnostics);
    names::check(version, diagnostics);
    // After the others, because links need the names and places of everything else.
    docs::run(version);
    apply::run(version);
}
