//! The health of a claim's volume.

use kubernetes_storage_rules::health::condition_reason;
use kubernetes_validation::{Checker, Path};

use crate::VolumeHealthStatus;

/// Checks the form of the reasons. A server does so even if it reports that there are too many.
pub(crate) fn health_reasons(
    health: &Option<VolumeHealthStatus>,
    at: Path<'_>,
    to: &mut Checker<'_>,
) {
    let conditions = health.iter().flat_map(|health| &health.health_conditions);
    let list = at.field("healthConditions");
    for (index, condition) in conditions.flatten().enumerate() {
        condition_reason(&condition.reason, list.index(index).field("reason"), to);
    }
}
