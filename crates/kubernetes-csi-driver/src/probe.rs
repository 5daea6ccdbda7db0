//! The health of a driver.

use tonic::async_trait;

use crate::Result;

/// Says whether a driver is healthy and ready.
///
/// Callers ask often: the check has to be cheap. An error, best `FAILED_PRECONDITION`, may make the
/// caller restart the driver.
#[async_trait]
pub trait Probe: Send + Sync + 'static {
    /// Returns true if the driver is ready for calls, false while it is starting.
    async fn probe(&self) -> Result<bool>;
}
