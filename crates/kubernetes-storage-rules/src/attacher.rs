//! The attacher of a VolumeAttachment.

use kubernetes_kinds::Release;
use kubernetes_validation::{Checker, NameFormat, Path};

/// The first release that checks the name as it is, beside the name in lower case.
const AS_IT_IS: Release = Release::new(1, 37);

/// Refuses the one letter beyond ASCII that is valid in lower case only: `İ`, U+0130, which becomes
/// `i`. Servers before 1.37 accept it, and in an update, all do.
#[inline]
pub fn attacher(name: &String, at: Path<'_>, to: &mut Checker<'_>) {
    let format = NameFormat::DnsSubdomain;
    let is_checked = !to.is_update() && !to.target().is_before(AS_IT_IS);
    if is_checked && name.contains('\u{130}') && format.matches_lowered(name) {
        let message = format!(
            "in upper or lower case, it must be {}",
            format.description()
        );
        to.invalid(at, "format", name, message);
    }
}
