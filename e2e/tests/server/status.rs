//! The status of the kinds that have one.

use conformance::samples;
use kube::api::{Patch, PatchParams, PostParams};
use serde_json::json;
use storage_v1::{CSINode, VolumeAttachment, VolumeAttachmentStatus, apply};

use crate::owned::owned;
use crate::run;
use crate::served::{Served, delete, named};

/// The status goes to its own path, is left alone elsewhere, and belongs to who applies it.
#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn status_of_volume_attachment() {
    run(async |client| {
        let api = VolumeAttachment::api(&client);
        let sent: VolumeAttachment = named("status", "status");
        let created = api.create(&PostParams::default(), &sent).await.unwrap();
        assert_eq!(created.status, Some(VolumeAttachmentStatus::new(false)));

        let status = samples::volume_attachment().status.unwrap();
        let change = Patch::Merge(json!({"status": status}));
        let patched =
            api.patch_status("status", &PatchParams::default(), &change).await.unwrap();
        assert_eq!(patched.status.as_ref(), Some(&status));
        let mut replacing = patched.clone();
        replacing.status = Some(VolumeAttachmentStatus::new(true));
        let params = PostParams::default();
        let replaced = api.replace_status("status", &params, &replacing).await.unwrap();
        assert_eq!(replaced.status, replacing.status);

        let own = apply::VolumeAttachmentStatus::new()
            .with_attached(false)
            .with_attachment_metadata([("a", "b")]);
        let own = apply::VolumeAttachment::new("status").with_status(own);
        let patch = Patch::Apply(&own);
        let params = PatchParams::apply("e2e-status");
        let refused = api.patch_status("status", &params, &patch).await;
        assert!(matches!(refused, Err(kube::Error::Api(status)) if status.code == 409));
        let applied = api.patch_status("status", &params.force(), &patch).await.unwrap();
        let wanted =
            VolumeAttachmentStatus::new(false).with_attachment_metadata([("a", "b")]);
        assert_eq!(applied.status, Some(wanted));
        let fields = json!({"f:attached": {}, "f:attachmentMetadata": {"f:a": {}}});
        let fields = json!({"f:status": fields});
        assert_eq!(owned(&applied, "e2e-status", Some("status")), fields);
        let extracted = apply::VolumeAttachment::extract_status(&applied, "e2e-status");
        assert_eq!(extracted, Ok(own));
        // Of the object itself it has applied nothing.
        let nothing = apply::VolumeAttachment::new("status");
        let extracted = apply::VolumeAttachment::extract(&applied, "e2e-status");
        assert_eq!(extracted, Ok(nothing));
        delete(&api, "status").await;
    });
}

/// CSINode has a status since 1.37; earlier servers have no such path.
#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn status_of_csi_node() {
    run(async |client| {
        let version = client.apiserver_version().await.unwrap();
        let minor: u32 = version.minor.trim_end_matches('+').parse().unwrap();
        let api = CSINode::api(&client);
        let sent: CSINode = named("status", "status");
        api.create(&PostParams::default(), &sent).await.unwrap();
        let status = samples::csi_node().status.unwrap();
        let change = Patch::Merge(json!({"status": status}));
        let patched = api.patch_status("status", &PatchParams::default(), &change).await;
        match patched {
            Ok(patched) => assert_eq!(patched.status, Some(status)),
            Err(kube::Error::Api(said)) => {
                assert_eq!((said.code, minor < 37), (404, true))
            }
            Err(error) => panic!("{error}"),
        }
        delete(&api, "status").await;
    });
}
