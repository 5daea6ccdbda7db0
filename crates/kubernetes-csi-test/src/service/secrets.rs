//! Secrets, which no answer may have.

use kubernetes_csi::v1::*;

use crate::call::Call;
use crate::check::{Check, Checked, checks, expect};
use crate::context::Context;

pub(super) fn checks() -> Vec<Check> {
    checks!("secrets", []: in_no_answer)
}

/// All requests of a run have a secret. Here, each call that has secrets fails once more.
async fn in_no_answer(t: &Context) -> Checked {
    refused::<CreateVolumeRequest>(t).await;
    refused::<DeleteVolumeRequest>(t).await;
    refused::<ControllerPublishVolumeRequest>(t).await;
    refused::<ControllerUnpublishVolumeRequest>(t).await;
    refused::<ValidateVolumeCapabilitiesRequest>(t).await;
    refused::<ControllerGetVolumeHealthRequest>(t).await;
    refused::<ControllerExpandVolumeRequest>(t).await;
    refused::<ControllerModifyVolumeRequest>(t).await;
    refused::<CreateSnapshotRequest>(t).await;
    refused::<DeleteSnapshotRequest>(t).await;
    refused::<GetSnapshotRequest>(t).await;
    refused::<CreateVolumeGroupSnapshotRequest>(t).await;
    refused::<DeleteVolumeGroupSnapshotRequest>(t).await;
    refused::<GetVolumeGroupSnapshotRequest>(t).await;
    refused::<GetMetadataAllocatedRequest>(t).await;
    refused::<GetMetadataDeltaRequest>(t).await;
    refused::<NodeStageVolumeRequest>(t).await;
    refused::<NodePublishVolumeRequest>(t).await;
    refused::<NodeExpandVolumeRequest>(t).await;
    let leaks = t.leaks();
    expect(leaks.is_empty(), || {
        format!(
            "{} answers have a secret, such as that to {}",
            leaks.len(),
            leaks.join("; ")
        )
    })
}

async fn refused<R: Call + Default>(t: &Context) {
    // Whatever the code is: other checks look at that.
    let _ = t.send(R::default()).await;
}
