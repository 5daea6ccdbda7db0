//! Open enumerations: the last variant keeps unknown values.

use super::alias;
use super::item::{Declaration, Item, quoted, table};
use super::runtime::KINDS;
use super::types::derive;
use crate::model::{Enum, Type};
use crate::name::RustPath;

/// The documentation of the variant that keeps unknown values.
const UNKNOWN: [&str; 2] = [
    "A value that this version of the crate doesn't know, kept as it was read",
    "and written back unchanged.",
];

/// The declaration of an enumeration, with further derives, and the table of its values.
pub(super) fn items(ty: &Type, shape: &Enum, derives: &[&RustPath]) -> [Item; 2] {
    let name = &ty.name;
    let own = "Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash";
    let attributes = [derive(own, derives), "non_exhaustive".to_owned()];
    let head = format!("pub enum {name}");
    let mut declared = Declaration::new(&ty.docs.lines, &attributes, &head);
    for variant in &shape.variants {
        let name = variant.name.as_str();
        let alias = alias::attribute(name, [variant.value.as_str()]);
        declared.member(&variant.docs.lines, alias.as_deref(), name);
    }
    let unknown = format!("Unknown({KINDS}::UnknownValue)");
    declared.member(&UNKNOWN.map(str::to_owned), None, &unknown);
    let values = shape.variants.iter();
    let rows = values.map(|variant| format!("{} => {}", quoted(&variant.value), variant.name));
    let table = table(&format!("{KINDS}::wire::enumeration"), name.as_str(), rows);
    [declared.end(), table]
}
