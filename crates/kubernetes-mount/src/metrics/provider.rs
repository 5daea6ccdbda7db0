//! The trait of all measurements.

use super::{Metrics, MetricsError};

/// Measures a volume.
pub trait MetricsProvider {
    /// Measures the volume. That may take long.
    ///
    /// # Errors
    ///
    /// When the values can't be read, or only some of them.
    fn metrics(&self) -> Result<Metrics, MetricsError>;
}

/// Metrics of a volume that has none: always an error.
#[derive(Clone, Copy, Debug, Default)]
pub struct MetricsNil;

impl MetricsProvider for MetricsNil {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        Err(MetricsError::not_supported())
    }
}
