//! Copies of volumes and snapshots.

use std::path::Path;

use kubernetes_csi_driver::Result;

use crate::records::Backing;
use crate::state::State;
use crate::{data, image};

/// Makes a copy of the data of a volume or snapshot, which has at least a size if it is a file.
pub(crate) fn copy_of(
    state: &State,
    id: &str,
    backing: Backing,
    made: &Path,
    place: &Path,
    size: u64,
) -> Result<()> {
    let from = state.data(id);
    match backing {
        Backing::Folder => Ok(data::make(made, place, |made| data::copy(&from, made))?),
        Backing::Image => image::while_still(state, id, || {
            Ok(data::make(made, place, |made| {
                data::copy(&from, made)?;
                image::grow_file(made, size)
            })?)
        }),
    }
}
