//! Emit: makes tokens from the model, in one module for each output.

mod apply;
mod builders;
mod bundle;
mod by_hand;
mod comment;
mod conversion;
mod counterparts;
mod declared;
mod enums;
mod file;
mod imports;
mod kind;
mod lists;
mod literal;
mod manifest;
mod merge;
mod resource;
mod root;
mod runtime;
mod schema;
mod scheme;
mod table;
mod types;
mod types_file;
mod validation;
mod wire;

pub(crate) use by_hand::paths as hand_written;
pub(crate) use file::{Content, File};

use crate::config::Bundle;
use crate::model::{ApiVersion, Crate, Module};

/// An output: the files that it adds to a crate.
type Output = fn(&Crate<'_>) -> Vec<File>;

/// All outputs, but for those that have a file for each file of types.
const OUTPUTS: [Output; 8] = [
    manifest::files,
    root::files,
    apply::files,
    counterparts::files,
    merge::files,
    schema::files,
    scheme::files,
    validation::files,
];

/// An output that has a file for each file of types.
type Each = fn(&ApiVersion, &Module) -> File;

/// A part of a crate that can be emitted at the same time as others.
pub(crate) enum Work<'a> {
    Whole(Output, &'a Crate<'a>),
    Each(Each, &'a ApiVersion, &'a Module),
    Bundle(&'a Bundle, &'a [Crate<'a>]),
}

impl Work<'_> {
    pub(crate) fn files(self) -> Vec<File> {
        match self {
            Self::Whole(output, krate) => output(krate),
            Self::Each(output, version, module) => vec![output(version, module)],
            Self::Bundle(bundle, crates) => bundle::emit(bundle, crates),
        }
    }
}

/// All files of a crate, as parts of the work.
pub(crate) fn works<'a>(krate: &'a Crate<'a>) -> Vec<Work<'a>> {
    let whole = OUTPUTS.iter().map(|output| Work::Whole(*output, krate));
    let each = krate.versions.iter().flat_map(|version| {
        let each = |output: Each, modules: &'a [Module]| {
            modules
                .iter()
                .map(move |module| Work::Each(output, version, module))
        };
        let types = each(types_file::file, &version.layout.modules);
        let applied = each(apply::file, &version.derived.apply.modules);
        types
            .chain(applied)
            .chain(each(schema::file, &version.layout.modules))
    });
    whole.chain(each).collect()
}
