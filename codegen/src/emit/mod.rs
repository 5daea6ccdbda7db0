//! Emit: makes tokens from the model, in one module for each output.

mod alias;
mod apply;
mod builders;
mod bundle;
mod by_hand;
mod comment;
mod conversion;
mod counterparts;
mod declared;
mod definition;
mod enums;
mod file;
mod imports;
mod item;
mod kind;
mod lists;
mod literal;
mod manifest;
mod merge;
mod readme;
mod resource;
mod root;
mod runtime;
mod schema;
mod scheme;
mod single;
mod table;
mod types;
mod types_file;
mod validation;
mod wire;

pub(crate) use by_hand::paths as hand_written;
pub(crate) use comment::NEXT_LINE;
pub(crate) use file::{Content, File};
pub(crate) use item::Item;
pub(crate) use table::{WIDTH, row};

use crate::config::{Bundle, CrateConfig, Part};
use crate::model::{ApiVersion, Crate, Module};

/// An output: the files that it adds to a crate.
type Output = fn(&Crate<'_>) -> Vec<File>;

/// All outputs, but for those that have a file for each file of types, with the part of the crate
/// that each is.
const OUTPUTS: [(Option<Part>, Output); 11] = [
    (None, manifest::files),
    (None, readme::files),
    (None, root::files),
    (None, scheme::group_files),
    (Some(Part::Apply), apply::files),
    (Some(Part::Definition), definition::files),
    (Some(Part::K8sOpenapiTypes), counterparts::files),
    (Some(Part::Merge), merge::files),
    (Some(Part::Schemars), schema::files),
    (Some(Part::Manifests), scheme::files),
    (Some(Part::Validation), validation::files),
];

/// An output that has a file for each file of types.
type Each = fn(&CrateConfig, &ApiVersion, &Module) -> File;

/// A part of a crate that can be emitted at the same time as others.
pub(crate) enum Work<'a> {
    Whole(Output, &'a Crate<'a>),
    Each(Each, &'a CrateConfig, &'a ApiVersion, &'a Module),
    Bundle(&'a Bundle, &'a [Crate<'a>]),
}

impl Work<'_> {
    pub(crate) fn files(self) -> Vec<File> {
        match self {
            Self::Whole(output, krate) => output(krate),
            Self::Each(output, config, version, module) => vec![output(config, version, module)],
            Self::Bundle(bundle, crates) => bundle::emit(bundle, crates),
        }
    }
}

/// All files of a crate, as parts of the work.
pub(crate) fn works<'a>(krate: &'a Crate<'a>) -> Vec<Work<'a>> {
    if krate.config.single_file {
        return vec![Work::Whole(single::files, krate)];
    }
    let parts = &krate.config.parts;
    let whole = OUTPUTS
        .iter()
        .filter(|(part, _)| part.is_none_or(|part| parts.has(part)));
    let whole = whole.map(|(_, output)| Work::Whole(*output, krate));
    let each = krate.versions.iter().flat_map(|version| {
        let each = |output: Each, modules: &'a [Module]| {
            modules
                .iter()
                .map(move |module| Work::Each(output, krate.config, version, module))
        };
        let types = each(types_file::file, &version.layout.modules);
        let applied = each(apply::file, &version.derived.apply.modules);
        let schemas = parts
            .has(Part::Schemars)
            .then(|| each(schema::file, &version.layout.modules));
        types.chain(applied).chain(schemas.into_iter().flatten())
    });
    whole.chain(each).collect()
}
