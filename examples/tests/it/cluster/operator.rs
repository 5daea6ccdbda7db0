//! The example `operator`, with a real API server.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use e2e::ControlPlane;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kubernetes_manifests::strict::from_yaml;
use serde_json::{Value, json};
use storage_v1::{
    CSINode, CSINodeDriver, CSINodeSpec, VolumeAttachment, VolumeAttachmentSource,
    VolumeAttachmentSpec, VolumeNodeResources,
};
use tokio::process::Command;

use crate::program::{Program, eventually};

const DRIVER: &str = "csi.example.com";
const MANAGER: &str = "example-attacher";
const FINALIZER: &str = "csi.example.com/example-attacher";

/// A control plane, and the operator that works with it.
struct World {
    _server: ControlPlane,
    operator: Program,
    attachments: Api<VolumeAttachment>,
    nodes: Api<CSINode>,
}

impl World {
    async fn start() -> Self {
        let server = ControlPlane::start().await.unwrap();
        let client = server.client().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_operator"));
        command
            .args(["--driver", DRIVER])
            .env("KUBECONFIG", server.kubeconfig());
        let mut operator = Program::start(&mut command);
        operator.logs("attaching volumes of csi.example.com").await;
        Self {
            operator,
            attachments: Api::all(client.clone()),
            nodes: Api::all(client),
            _server: server,
        }
    }

    async fn add_node(&self, name: &str, drivers: impl IntoIterator<Item = CSINodeDriver>) {
        let node = CSINode::new(name, CSINodeSpec::new(drivers));
        self.nodes
            .create(&PostParams::default(), &node)
            .await
            .unwrap();
    }

    /// Makes the drivers of a node these.
    async fn change_node(&self, name: &str, drivers: &[CSINodeDriver]) {
        let change = Patch::Merge(json!({"spec": {"drivers": drivers}}));
        self.nodes
            .patch(name, &PatchParams::default(), &change)
            .await
            .unwrap();
    }

    async fn add(&self, attachment: &VolumeAttachment) {
        self.attachments
            .create(&PostParams::default(), attachment)
            .await
            .unwrap();
    }

    /// Waits until an attachment is as wanted.
    async fn until(
        &self,
        name: &str,
        is_so: impl Fn(&VolumeAttachment) -> bool,
    ) -> VolumeAttachment {
        eventually(name, async || {
            let found = self.attachments.get_opt(name).await.unwrap();
            found.filter(&is_so)
        })
        .await
    }

    async fn until_attached(&self, name: &str) -> VolumeAttachment {
        self.until(name, |found| {
            found.status.as_ref().is_some_and(|s| s.attached)
        })
        .await
    }

    /// Waits until an attachment is refused, and returns it with the reason.
    async fn until_refused(&self, name: &str) -> (VolumeAttachment, String) {
        let found = self.until(name, |found| error(found).is_some()).await;
        let reason = error(&found).unwrap();
        assert!(!found.status.as_ref().unwrap().attached);
        (found, reason)
    }

    async fn until_gone(&self, name: &str) {
        let is_gone = async || {
            self.attachments
                .get_opt(name)
                .await
                .unwrap()
                .is_none()
                .then_some(())
        };
        eventually(name, is_gone).await;
    }

    async fn delete(&self, name: &str) {
        self.attachments
            .delete(name, &DeleteParams::default())
            .await
            .unwrap();
    }
}

fn error(attachment: &VolumeAttachment) -> Option<String> {
    let status = attachment.status.as_ref()?;
    status.attach_error.as_ref()?.message.clone()
}

fn driver(id: &str, count: i32) -> CSINodeDriver {
    let allocatable = VolumeNodeResources::new().with_count(count);
    CSINodeDriver::new(DRIVER, id).with_allocatable(allocatable)
}

fn attachment(name: &str, attacher: &str, node: &str) -> VolumeAttachment {
    let source = VolumeAttachmentSource::new().with_persistent_volume_name(name);
    VolumeAttachment::new(name, VolumeAttachmentSpec::new(attacher, node, source))
}

/// The entries of `managedFields` of the operator: operation, subresource and fields.
fn owned(attachment: &VolumeAttachment) -> Value {
    let entries = attachment.metadata.managed_fields.iter().flatten();
    let own = entries.filter(|entry| entry.manager.as_deref() == Some(MANAGER));
    let own = own.map(|own| json!([own.operation, own.subresource, own.fields_v1]));
    own.collect()
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn volumes_are_attached_and_detached() {
    let world = World::start().await;
    world.add_node("full", [driver("full-1", 1)]).await;
    world.add_node("bare", []).await;
    world
        .add(&attachment("foreign", "other.example.com", "full"))
        .await;
    let foreign = world.attachments.get("foreign").await.unwrap();

    // The operator owns the fields of the status that it sets, and no others.
    world.add(&attachment("first", DRIVER, "full")).await;
    let first = world.until_attached("first").await;
    let metadata = first.status.clone().unwrap().attachment_metadata.unwrap();
    assert_eq!(json!(metadata), json!({"nodeID": "full-1"}));
    assert_eq!(first.metadata.finalizers.clone().unwrap(), [FINALIZER]);
    let status = json!({"f:attached": {}, "f:attachmentMetadata": {"f:nodeID": {}}});
    assert_eq!(
        owned(&first),
        json!([["Apply", "status", {"f:status": status}]])
    );

    // A node takes what its driver says.
    world.add(&attachment("second", DRIVER, "full")).await;
    let (second, reason) = world.until_refused("second").await;
    assert_eq!(reason, "full-1 has 1 of 1 volumes of csi.example.com");
    let error = json!({"f:message": {}, "f:time": {}});
    let status = json!({"f:attached": {}, "f:attachError": error});
    assert_eq!(
        owned(&second),
        json!([["Apply", "status", {"f:status": status}]])
    );
    world.add(&attachment("third", DRIVER, "bare")).await;
    let (_, reason) = world.until_refused("third").await;
    assert_eq!(reason, "node bare has no driver csi.example.com");
    world.add(&attachment("fourth", DRIVER, "absent")).await;
    let (_, reason) = world.until_refused("fourth").await;
    assert_eq!(reason, "the node has no CSINode");

    // A change of the node is a new attempt, long before the next would be due.
    let changed = Instant::now();
    world.change_node("bare", &[driver("bare-1", 1)]).await;
    world.change_node("full", &[driver("full-1", 2)]).await;
    world
        .add_node("absent", [CSINodeDriver::new(DRIVER, "absent-1")])
        .await;
    for name in ["second", "third", "fourth"] {
        let attached = world.until_attached(name).await;
        assert_eq!(attached.status.unwrap().attach_error, None);
    }
    assert!(
        changed.elapsed() < Duration::from_secs(15),
        "{:?}",
        changed.elapsed()
    );

    // Detached first, then released.
    world.delete("first").await;
    world.until_gone("first").await;
    let mut held = attachment("held", DRIVER, "full");
    held.metadata.finalizers = Some(vec!["example.com/test".to_owned()]);
    world.add(&held).await;
    world.until_attached("held").await;
    world.delete("held").await;
    let is_released = |found: &VolumeAttachment| {
        found.metadata.finalizers.as_deref() == Some(&["example.com/test".to_owned()])
    };
    let released = world.until("held", is_released).await;
    let status = released.status.clone().unwrap();
    assert_eq!((status.attached, status.attachment_metadata), (false, None));
    let release = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    world
        .attachments
        .patch("held", &PatchParams::default(), &release)
        .await
        .unwrap();
    world.until_gone("held").await;

    // Those of other attachers are none of its business.
    assert_eq!(world.attachments.get("foreign").await.unwrap(), foreign);
    world.operator.stop().await;
}

/// The manifest that README.md shows.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn the_manifest_is_attached() {
    let world = World::start().await;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("manifests/attachment.yaml");
    let text = fs::read_to_string(path).unwrap();
    let (node, attachment) = text.split_once("---\n").unwrap();
    let node = from_yaml::<CSINode>(node).unwrap().object;
    world
        .nodes
        .create(&PostParams::default(), &node)
        .await
        .unwrap();
    let attachment = from_yaml::<VolumeAttachment>(attachment).unwrap().object;
    world.add(&attachment).await;
    world.until_attached("example-attachment").await;
    world.operator.stop().await;
}
