//! Passes: model to model, each for one concern, in this order.

mod apply;
mod boxing;
mod closure;
mod conversion;
mod docs;
mod enums;
mod lists;
mod names;
mod placing;

use crate::diag::Diagnostics;
use crate::model::{ApiVersion, Crate};

/// Checks what concerns all documents of a crate.
pub(crate) fn check_crate(versions: &[ApiVersion], diagnostics: &mut Diagnostics) {
    names::check_crate(versions, diagnostics);
}

/// Works out how the types of the crates are converted into each other.
pub(crate) fn convert(crates: &mut [Crate<'_>], diagnostics: &mut Diagnostics) {
    conversion::run(crates, diagnostics);
}

/// Runs all passes on the types of one document.
pub(crate) fn run(version: &mut ApiVersion, diagnostics: &mut Diagnostics) {
    enums::run(version, diagnostics);
    closure::run(version, diagnostics);
    lists::run(version, diagnostics);
    boxing::run(version, diagnostics);
    names::order_fields(version);
    placing::run(version, diagnostics);
    names::check(version, diagnostics);
    // After the others, because links need the names and places of everything else.
    docs::run(version);
    apply::run(version);
}
