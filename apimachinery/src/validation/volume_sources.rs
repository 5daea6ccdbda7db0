//! The sources that a volume can have, of which it must have one.

use k8s_openapi::api::core::v1::PersistentVolumeSpec;

use super::{Checker, Path, persistent_volume};

/// Checks that there is one source, and what is in it.
pub(super) fn check(spec: &PersistentVolumeSpec, at: &Path<'_>, to: &mut Checker<'_>) {
    let mut has_source = false;
    if let Some(csi) = &spec.csi {
        let at = &at.field("csi");
        if has_source {
            persistent_volume::second_source(*at, to);
        } else {
            has_source = true;
            persistent_volume::csi_source(csi, at, to);
        }
    }
    if !has_source {
        to.missing(*at, "source.one", "a volume needs a source");
    }
}
