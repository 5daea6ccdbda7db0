//! Hashes of what decides about a claim or a volume.
//!
//! Objects change for reasons that don't matter: labels, annotations of other controllers, the time
//! of a status. If each of them ended a back-off, ten thousand claims that can't be provisioned
//! would be tried as often as anybody touches them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use serde::Serialize;

use crate::rules;

/// A hash of what decides. It is only compared within this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fingerprint(u64);

/// Hashes what is written.
struct Hashed(DefaultHasher);

impl io::Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Hashed {
    fn add(&mut self, value: &impl Serialize) {
        // Nothing that the API has fails to be written; if it did, what was written is hashed.
        let _ = serde_json::to_writer(&mut *self, value);
    }
}

impl Fingerprint {
    /// Hashes the specification of a claim, its class, the selected node, and the annotations that
    /// the provisioner reads.
    pub(crate) fn of_claim(claim: &PersistentVolumeClaim, annotations: &[String]) -> Self {
        let mut hashed = Hashed(DefaultHasher::new());
        hashed.add(&claim.spec);
        rules::class_name(claim).hash(&mut hashed.0);
        rules::selected_node(claim).hash(&mut hashed.0);
        for key in annotations {
            rules::annotation(&claim.metadata, key).hash(&mut hashed.0);
        }
        Self(hashed.0.finish())
    }

    /// Hashes the specification of a volume, its finalizers and phase, and whether it is being
    /// deleted.
    pub(crate) fn of_volume(volume: &PersistentVolume) -> Self {
        let mut hashed = Hashed(DefaultHasher::new());
        hashed.add(&volume.spec);
        let metadata = &volume.metadata;
        metadata.finalizers.hash(&mut hashed.0);
        metadata.deletion_timestamp.is_some().hash(&mut hashed.0);
        let phase = volume
            .status
            .as_ref()
            .and_then(|status| status.phase.as_ref());
        phase.map(|phase| phase.as_str()).hash(&mut hashed.0);
        Self(hashed.0.finish())
    }
}
