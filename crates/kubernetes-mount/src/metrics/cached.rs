//! Metrics that are measured once.

use std::sync::{Mutex, PoisonError};

use super::{Metrics, MetricsError, MetricsProvider};

/// Keeps the first metrics of another provider (`NewCachedMetrics`), for a volume that doesn't
/// change. Errors are not kept.
#[derive(Debug)]
pub struct CachedMetrics<P> {
    provider: P,
    /// Locked while it is measured, so that two callers don't measure at once.
    kept: Mutex<Option<Metrics>>,
}

impl<P: MetricsProvider> CachedMetrics<P> {
    /// Returns a cache of the provider.
    pub fn new(provider: P) -> Self {
        Self {
            provider,
            kept: Mutex::new(None),
        }
    }
}

impl<P: MetricsProvider> MetricsProvider for CachedMetrics<P> {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(metrics) = *kept {
            return Ok(metrics);
        }
        let metrics = self.provider.metrics()?;
        *kept = Some(metrics);
        Ok(metrics)
    }
}
