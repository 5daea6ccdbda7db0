//! A controller that attaches the volumes of one CSI driver, as an external-attacher does, but
//! without a storage system: it writes only what it would have attached.
//!
//! ```text
//! cargo run -p examples --bin operator -- --driver csi.example.com
//! ```
//!
//! It watches VolumeAttachments, and CSINodes, which say whether and how many volumes of the driver
//! a node takes. `KUBECONFIG` or `~/.kube/config` names the cluster; in a Pod, it is the Pod's own.
//! Run one at a time: there is no leader election.

use std::collections::BTreeMap;
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use futures::StreamExt;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, ListParams, Patch, PatchParams};
use kube::runtime::controller::{self, Action, Controller};
use kube::runtime::finalizer::{self, Event, finalizer};
use kube::runtime::reflector::ObjectRef;
use kube::runtime::watcher;
use kube::{Client, ResourceExt};
use storage_v1::{CSINode, VolumeAttachment, apply};
use tracing::{info, warn};

/// Attaches the volumes of a CSI driver, in VolumeAttachments only
#[derive(Parser)]
struct Options {
    /// The name of the driver, the attacher of VolumeAttachments
    #[arg(long, value_name = "NAME")]
    driver: String,
}

/// The field manager, which owns the fields of statuses that the controller applies.
const MANAGER: &str = "example-attacher";

/// The time after which a refused attachment is tried again, unless its node changes before.
const RETRY: Duration = Duration::from_secs(30);

struct Attacher {
    driver: String,
    finalizer: String,
    attachments: Api<VolumeAttachment>,
    nodes: Api<CSINode>,
}

/// Returns what attaching a volume to the node yields, or why it takes none. `attached` other
/// volumes of the driver are on the node already.
fn attach(
    node: Option<&CSINode>,
    driver: &str,
    attached: usize,
) -> Result<BTreeMap<String, String>, String> {
    let node = node.ok_or("the node has no CSINode")?;
    let mut drivers = node.spec.drivers.iter();
    let entry = drivers
        .find(|entry| entry.name == driver)
        .ok_or_else(|| format!("node {} has no driver {driver}", node.name_any()))?;
    let limit = entry
        .allocatable
        .as_ref()
        .and_then(|allocatable| allocatable.count);
    // Without a limit, or with one that isn't valid, the node takes any number.
    if let Some(limit) = limit.and_then(|limit| usize::try_from(limit).ok())
        && attached >= limit
    {
        let node = &entry.node_id;
        return Err(format!(
            "{node} has {attached} of {limit} volumes of {driver}"
        ));
    }
    Ok(BTreeMap::from([(
        "nodeID".to_owned(),
        entry.node_id.clone(),
    )]))
}

fn is_attached(attachment: &VolumeAttachment) -> bool {
    attachment
        .status
        .as_ref()
        .is_some_and(|status| status.attached)
}

impl Attacher {
    async fn attach(&self, attachment: &VolumeAttachment) -> kube::Result<Action> {
        if is_attached(attachment) {
            return Ok(Action::await_change());
        }
        let (name, node_name) = (attachment.name_any(), &attachment.spec.node_name);
        let node = self.nodes.get_opt(node_name).await?;
        // Asks the server, because the cache may lack what has just been attached.
        let all = self.attachments.list(&ListParams::default()).await?;
        let of_driver = all
            .iter()
            .filter(|other| other.spec.attacher == self.driver);
        let on_node = of_driver.filter(|other| other.spec.node_name == *node_name);
        let others = on_node.filter(|other| other.name_any() != name);
        let attached = others.filter(|other| is_attached(other)).count();
        match attach(node.as_ref(), &self.driver, attached) {
            Ok(metadata) => {
                info!("{name} is attached to {node_name}");
                let status = apply::VolumeAttachmentStatus::new()
                    .with_attached(true)
                    .with_attachment_metadata(metadata);
                self.apply_status(&name, status).await?;
                Ok(Action::await_change())
            }
            Err(reason) => {
                let status = attachment.status.as_ref();
                let known = status.and_then(|status| status.attach_error.as_ref());
                // The same with another time would be a change, to which we react again.
                if known.is_none_or(|known| known.message.as_ref() != Some(&reason)) {
                    warn!("{name} is not attached: {reason}");
                    let error = apply::VolumeError::new()
                        .with_message(reason)
                        .with_time(Time(Timestamp::now()));
                    let status = apply::VolumeAttachmentStatus::new()
                        .with_attached(false)
                        .with_attach_error(error);
                    self.apply_status(&name, status).await?;
                }
                Ok(Action::requeue(RETRY))
            }
        }
    }

    async fn detach(&self, attachment: &VolumeAttachment) -> kube::Result<Action> {
        let name = attachment.name_any();
        let status = apply::VolumeAttachmentStatus::new().with_attached(false);
        self.apply_status(&name, status).await?;
        info!("{name} is detached");
        Ok(Action::await_change())
    }

    /// Applies the status, which removes what the controller has applied before and is unset now:
    /// the error of an earlier attempt, the metadata of a detached volume.
    async fn apply_status(
        &self,
        name: &str,
        status: apply::VolumeAttachmentStatus,
    ) -> kube::Result<VolumeAttachment> {
        let wanted = apply::VolumeAttachment::new(name).with_status(status);
        let manager = PatchParams::apply(MANAGER).force();
        self.attachments
            .patch_status(name, &manager, &Patch::Apply(wanted))
            .await
    }
}

type ReconcileError = finalizer::Error<kube::Error>;

/// Attaches or detaches a volume. The finalizer keeps the object until it is detached.
async fn reconcile(
    attachment: Arc<VolumeAttachment>,
    attacher: Arc<Attacher>,
) -> Result<Action, ReconcileError> {
    if attachment.spec.attacher != attacher.driver {
        return Ok(Action::await_change());
    }
    let (attachments, name) = (&attacher.attachments, &attacher.finalizer);
    finalizer(attachments, name, attachment, async |event| match event {
        Event::Apply(attachment) => attacher.attach(&attachment).await,
        Event::Cleanup(attachment) => attacher.detach(&attachment).await,
    })
    .await
}

/// A request has failed, which the loop in [`run`] logs.
fn retry(_: Arc<VolumeAttachment>, _: &ReconcileError, _: Arc<Attacher>) -> Action {
    Action::requeue(Duration::from_secs(5))
}

async fn run(driver: String) -> Result<(), Box<dyn Error>> {
    let client = Client::try_default().await?;
    let attachments: Api<VolumeAttachment> = Api::all(client.clone());
    let nodes: Api<CSINode> = Api::all(client);
    // Fails at once if there is no such server, or no right to read there.
    attachments.list(&ListParams::default().limit(1)).await?;
    info!("attaching volumes of {driver}");

    let attacher = Attacher {
        finalizer: format!("{driver}/example-attacher"),
        driver,
        attachments: attachments.clone(),
        nodes: nodes.clone(),
    };
    let controller = Controller::new(attachments, watcher::Config::default());
    let known = controller.store();
    // A node that changes may take a volume that it has refused.
    let of_node = move |node: CSINode| {
        let all = known.state().into_iter();
        let of_node = all.filter(move |other| other.spec.node_name == node.name_any());
        of_node.map(|attachment| ObjectRef::from_obj(&*attachment))
    };
    controller
        .watches(nodes, watcher::Config::default(), of_node)
        // One after the other, so that no two take the last place of a node.
        .with_config(controller::Config::default().concurrency(1))
        .shutdown_on_signal()
        .run(reconcile, retry, Arc::new(attacher))
        .for_each(async |result| match result {
            // Deleted since it was queued: nothing is left to do.
            Ok(_) | Err(controller::Error::ObjectNotFound(_)) => {}
            Err(error) => warn!("{error}"),
        })
        .await;
    info!("stopped");
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .init();
    match run(Options::parse().driver).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
