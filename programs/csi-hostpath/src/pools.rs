//! The space for volumes, by kinds of storage.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

use kubernetes_csi_driver::{Error, Result};
use kubernetes_kinds::quantity::Amount;

use crate::records::VolumeRecord;
use crate::state::{Records, State};

/// The parameter of a class that says of which kind its volumes are.
pub(crate) const KIND: &str = "kind";

/// The space for volumes of a kind: `KIND=QUANTITY`, or only `QUANTITY` for those of classes
/// without a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    kind: String,
    size: u64,
}

impl FromStr for Pool {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, size) = text.split_once('=').unwrap_or(("", text));
        let amount = Amount::from_str(size).map_err(|error| error.to_string())?;
        let size = amount.to_u64();
        let size = size.ok_or_else(|| format!("{amount} isn't a number of bytes"))?;
        Ok(Self {
            kind: kind.to_owned(),
            size,
        })
    }
}

/// All kinds that the node has. Without any, each kind has no limit.
#[derive(Debug)]
pub(crate) struct Pools(BTreeMap<String, u64>);

impl Pools {
    pub(crate) fn new(pools: &[Pool]) -> Self {
        let sizes = pools.iter().map(|pool| (pool.kind.clone(), pool.size));
        Self(sizes.collect())
    }

    /// Returns the bytes that are left for volumes of a kind.
    pub(crate) fn free(&self, records: &Records, kind: &str) -> u64 {
        let size = match self.0.is_empty() {
            true => i64::MAX.unsigned_abs(),
            false => self.0.get(kind).copied().unwrap_or_default(),
        };
        let volumes = records.all::<VolumeRecord>();
        let of_kind = volumes.filter(|volume| volume.kind == kind);
        let used: u64 = of_kind.map(|volume| volume.size).sum();
        size.saturating_sub(used)
            .saturating_sub(records.reserved(kind))
    }

    /// Takes space for a volume until its record has it, if there is as much.
    ///
    /// # Errors
    ///
    /// `RESOURCE_EXHAUSTED` if there isn't.
    pub(crate) fn reserve(&self, state: &Arc<State>, kind: &str, size: u64) -> Result<Reservation> {
        let mut records = state.lock();
        let free = self.free(&records, kind);
        if free < size {
            let of_kind = match kind {
                "" => String::new(),
                kind => format!(" of kind {kind:?}"),
            };
            return Err(Error::exhausted(format!(
                "{size} bytes{of_kind} are asked for, and {free} are left"
            )));
        }
        records.reserve(kind, size);
        Ok(Reservation {
            state: state.clone(),
            kind: kind.to_owned(),
            size,
        })
    }
}

/// Space that is taken until this is dropped.
pub(crate) struct Reservation {
    state: Arc<State>,
    kind: String,
    size: u64,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.state.lock().release(&self.kind, self.size);
    }
}
