//! The access modes of a volume or a claim.

use kubernetes_validation::{Checker, Path};

const ACCESS_MODES: [&str; 4] = [
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];

/// Checks the access modes of a volume or a claim: there is at least one, each is known, and
/// `ReadWriteOncePod` is the only one.
pub fn check<'m>(modes: impl Iterator<Item = &'m str> + Clone, at: Path<'_>, to: &mut Checker<'_>) {
    to.not_empty(at, modes.clone().count(), "minItems");
    for (index, mode) in modes.clone().enumerate() {
        // The server reports the list.
        to.known(at.index(index).reported_above(1), mode, &ACCESS_MODES);
    }
    let alone = |mode: &str| mode == "ReadWriteOncePod";
    let other = |mode: &str| !alone(mode) && ACCESS_MODES.contains(&mode);
    if modes.clone().any(alone) && modes.clone().any(other) {
        let message = "ReadWriteOncePod excludes the other modes: remove it or them";
        to.forbidden(at, "accessModes.alone", message);
    }
}
