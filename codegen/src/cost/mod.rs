//! The costs of rules in CEL, as an API server estimates them when it is given a definition: it
//! refuses one with rules that could take too long.
//!
//! An estimate is about the worst object that the schema allows and a request can have. It is made
//! of the sizes of what a rule reads ([`shape`]) and of prices for what it does ([`table`]).
//! Servers make the estimates with cel-go, whose peculiarities are ours, so that the numbers are
//! the same.

mod call;
mod costly;
mod estimate;
mod macros;
mod operator;
mod path;
mod price;
mod rule;
mod shape;
mod size;
mod table;
mod ty;
mod value;
mod walk;

use crate::manifest::{Definition, Packed, Version};
use crate::parallel;
use crate::source::Source;
pub use costly::{CostOf, CostlyRule, MissingBound};

/// Returns what of the CustomResourceDefinitions in files of manifests a server of the newest
/// release refuses for its cost, of all their versions. Rules with functions that aren't known here
/// count nothing, and files that can't be read have no rules.
pub fn costly<'a>(sources: impl IntoIterator<Item = &'a Source>) -> Vec<CostlyRule> {
    let sources = sources.into_iter();
    let all = sources.flat_map(|source| {
        let definitions = source.definitions().unwrap_or_default().iter();
        definitions.flat_map(move |definition| {
            let versions = definition.spec.versions.iter();
            versions.map(move |version| (source, definition, version))
        })
    });
    // Most schemas have no rules.
    let all = all.filter(|(_, _, version)| packed(version).is_some_and(|of| of.has(walk::RULES)));
    parallel::map(all.collect(), of_version)
        .into_iter()
        .flatten()
        .collect()
}

fn packed(version: &Version) -> Option<&Packed> {
    version.schema.as_ref().map(|of| &of.schema)
}

fn of_version((source, definition, version): (&Source, &Definition, &Version)) -> Vec<CostlyRule> {
    let Some(Ok(schema)) = packed(version).map(Packed::schema) else {
        return Vec::new();
    };
    let found = walk::of_schema(&schema).into_iter();
    let found = found.map(|found| CostlyRule {
        file: source.name.clone(),
        kind: definition.spec.names.kind.clone(),
        version: version.name.clone(),
        path: found.path,
        of: found.of,
        rule: found.rule,
        cost: found.cost,
        missing: found.missing,
    });
    found.collect()
}
