//! Sizes that are asked for.

use kubernetes_csi::v1;

use crate::{Error, Result};

/// The size that a volume should have, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CapacityRange {
    /// The least size; 0 if any will do.
    pub required: u64,
    /// The largest size; `None` if there is no limit.
    pub limit: Option<u64>,
}

impl CapacityRange {
    /// Returns true if a volume may have the size.
    pub fn allows(self, size: u64) -> bool {
        size >= self.required && self.limit.is_none_or(|limit| size <= limit)
    }

    /// Returns the least multiple of `unit` that is allowed. Where no size is required, it is the
    /// next one above `default`, or the largest that is allowed.
    ///
    /// # Errors
    ///
    /// `OUT_OF_RANGE` if no multiple of it is allowed.
    pub fn choose(self, default: u64, unit: u64) -> Result<u64> {
        let wanted = match self.required {
            0 => self
                .limit
                .map_or(default, |limit| default.min(limit))
                .max(1),
            required => required,
        };
        let unit = unit.max(1);
        let up = wanted.div_ceil(unit).checked_mul(unit);
        let down = wanted / unit * unit;
        let fitting = up
            .into_iter()
            .chain([down])
            .find(|size| *size > 0 && self.allows(*size));
        fitting.ok_or_else(|| {
            let required = self.required;
            let limit = self.limit.map(|limit| format!(" and at most {limit}"));
            let limit = limit.unwrap_or_default();
            Error::out_of_range(format!(
                "capacity_range: at least {required}{limit} bytes are asked for, and sizes are \
                 multiples of {unit}"
            ))
        })
    }
}

impl From<v1::CapacityRange> for CapacityRange {
    fn from(wire: v1::CapacityRange) -> Self {
        let limit = u64::try_from(wire.limit_bytes).unwrap_or_default();
        Self {
            required: u64::try_from(wire.required_bytes).unwrap_or_default(),
            limit: (limit > 0).then_some(limit),
        }
    }
}

/// Returns a size as the wire has it, which knows half as many.
pub(crate) fn to_wire(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}
