//! The status of the kinds that have one.

use conformance::samples;
use conformance::valid::Kind;
use kube::api::{Patch, PatchParams, PostParams};
use kubernetes_kinds::Release;
use serde_json::json;
use storage_v1::{CSINode, VolumeAttachment, VolumeAttachmentStatus, apply};

use super::owned::owned;
use super::run;
use super::served::{Served, delete, named};

/// The status goes to its own path, is left alone elsewhere, and belongs to who applies it.
#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn status_of_volume_attachment() {
    run(async |server| {
        let api = VolumeAttachment::api(&server.client);
        let sent: VolumeAttachment = named(&server, "status", "status");
        let created = api.create(&PostParams::default(), &sent).await.unwrap();
        assert_eq!(created.status, Some(VolumeAttachmentStatus::new(false)));

        let mut change = json!({"status": samples::volume_attachment().status});
        server.cut_down(Kind::VolumeAttachment, &mut change);
        let status: Option<VolumeAttachmentStatus> =
            serde_json::from_value(change["status"].clone()).unwrap();
        let change = Patch::Merge(change);
        let patched = api
            .patch_status("status", &PatchParams::default(), &change)
            .await
            .unwrap();
        assert_eq!(patched.status, status);
        let mut replacing = patched.clone();
        replacing.status = Some(VolumeAttachmentStatus::new(true));
        let params = PostParams::default();
        let replaced = api
            .replace_status("status", &params, &replacing)
            .await
            .unwrap();
        assert_eq!(replaced.status, replacing.status);

        let own = apply::VolumeAttachmentStatus::new()
            .with_attached(false)
            .with_attachment_metadata([("a", "b")]);
        let own = apply::VolumeAttachment::new("status").with_status(own);
        let patch = Patch::Apply(&own);
        let params = PatchParams::apply("e2e-status");
        let refused = api.patch_status("status", &params, &patch).await;
        assert!(matches!(refused, Err(kube::Error::Api(status)) if status.code == 409));
        let applied = api
            .patch_status("status", &params.force(), &patch)
            .await
            .unwrap();
        let wanted = VolumeAttachmentStatus::new(false).with_attachment_metadata([("a", "b")]);
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
    run(async |server| {
        let api = CSINode::api(&server.client);
        let sent: CSINode = named(&server, "status", "status");
        api.create(&PostParams::default(), &sent).await.unwrap();
        let status = samples::csi_node().status.unwrap();
        let change = Patch::Merge(json!({"status": status}));
        let patched = api
            .patch_status("status", &PatchParams::default(), &change)
            .await;
        match patched {
            Ok(patched) => assert_eq!(patched.status, Some(status)),
            Err(kube::Error::Api(said)) => {
                let has_status = server.release >= Release::new(1, 37);
                assert_eq!((said.code, has_status), (404, false))
            }
            Err(error) => panic!("{error}"),
        }
        delete(&api, "status").await;
    });
}
