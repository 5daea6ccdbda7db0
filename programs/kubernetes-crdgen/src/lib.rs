//! Generates Rust types from CustomResourceDefinitions, as the program `kubernetes-crdgen` does.
//!
//! The library is for the commands of this repository, which write files in the same way. Others
//! use the program, or `storage-codegen`, which does no I/O.

pub mod cluster;
pub mod definitions;
pub mod files;
mod found;
mod frame;
pub mod output;
mod report;
pub mod rustfmt;
mod types;

use std::error::Error;
use std::mem;
use std::path::Path;
use std::time::Instant;

use definitions::Definitions;

pub use found::Found;
pub use report::{check, print};
pub use types::TypeChoices;

/// Writes a crate for each group and version of definitions into a folder, or with `check` only
/// compares them with what is there.
///
/// # Errors
///
/// A definition can't be read or is wrong, or a file can't be written; nothing is written then.
/// With `check`, the files that are stale.
pub fn generate(
    definitions: &Definitions<'_>,
    out: &Path,
    check: bool,
) -> Result<(), Box<dyn Error>> {
    let started = Instant::now();
    let found = definitions::read(definitions)?;
    let generated = codegen::generate(&found.config, &found.inputs);
    let mut generated = generated.map_err(|errors| found.locate(errors))?;
    rustfmt::format(&mut generated)?;
    let mut plans = Vec::new();
    let single_file = definitions.choices.single_file;
    for krate in &mut generated {
        plans.push(match single_file {
            true => output::Plan::of_files(out, mem::take(&mut krate.files))?,
            false => output::Plan::of_crate(out, krate, Vec::new())?,
        });
    }
    if !single_file {
        plans.push(output::Plan::of_files(out, frame::of(out, &generated)?)?);
    }
    if check {
        return report::check(out, &plans, "run the command again without --check");
    }
    output::carry_out(out, &plans)?;
    report::print(&generated, &plans, &found, started);
    report::print_refused(&found);
    Ok(())
}
