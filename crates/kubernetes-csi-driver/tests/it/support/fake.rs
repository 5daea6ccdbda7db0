//! A driver in memory that does what a test says.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures::stream;
use kubernetes_csi::Secrets;
use kubernetes_csi::v1::BlockMetadataType;
use kubernetes_csi_driver::controller::*;
use kubernetes_csi_driver::group::*;
use kubernetes_csi_driver::metadata::*;
use kubernetes_csi_driver::model::*;
use kubernetes_csi_driver::node::*;
use kubernetes_csi_driver::{Driver, Error, Growth, Probe, Result, async_trait};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

/// Behaviour of the next calls of the driver.
#[derive(Clone, Default)]
pub(crate) enum Script {
    #[default]
    Succeed,
    /// Waits for [`Fake::release`].
    Wait,
    /// Fails with this text, and the same in the source.
    Fail(String),
    Panic(String),
    /// Refuses to validate, with this text.
    Refuse(String),
    /// Fails with this text after the first block of a snapshot.
    FailLater(String),
    PanicLater(String),
}

pub(crate) struct Fake {
    script: Mutex<Script>,
    started: Semaphore,
    released: Semaphore,
    ended: AtomicUsize,
    /// Whether the optional abilities of traits are there.
    has_more: bool,
}

impl Fake {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self::of(false))
    }

    /// Returns a driver that can clone, list nodes and attach read-only.
    pub(crate) fn with_more() -> Arc<Self> {
        Arc::new(Self::of(true))
    }

    fn of(has_more: bool) -> Self {
        Self {
            script: Mutex::default(),
            started: Semaphore::new(0),
            released: Semaphore::new(0),
            ended: AtomicUsize::new(0),
            has_more,
        }
    }

    pub(crate) fn script(&self, script: Script) {
        *self.script.lock().unwrap() = script;
    }

    /// Waits until a call has reached the driver.
    pub(crate) async fn started(&self) {
        let started = timeout(Duration::from_secs(10), self.started.acquire());
        let started = started.await.expect("no call reaches the driver");
        started.unwrap().forget();
    }

    /// Returns true if a call has reached the driver that nobody has waited for.
    pub(crate) fn has_started(&self) -> bool {
        self.started.available_permits() > 0
    }

    /// Lets calls go on.
    pub(crate) fn release(&self, calls: usize) {
        self.released.add_permits(calls);
    }

    /// Returns the number of calls that have waited and come to their end.
    pub(crate) fn ended(&self) -> usize {
        self.ended.load(Ordering::SeqCst)
    }

    /// Waits until one call has come to its end.
    pub(crate) async fn one_ended(&self) {
        for _ in 0..1_000 {
            if self.ended() == 1 {
                return;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("the call doesn't end");
    }

    async fn act(&self, request: &impl Debug) -> Result<()> {
        tracing::info!(?request, "the driver is called");
        let script = self.script.lock().unwrap().clone();
        match script {
            Script::Wait => {
                self.started.add_permits(1);
                self.released.acquire().await.unwrap().forget();
                self.ended.fetch_add(1, Ordering::SeqCst);
                Ok(())
            }
            Script::Fail(text) => Err(Error::internal(text.clone()).with_source(text)),
            Script::Panic(text) => panic!("{text}"),
            _ => Ok(()),
        }
    }

    fn blocks(&self) -> Blocks {
        let script = self.script.lock().unwrap().clone();
        let block = |number: u64| Block {
            offset: number << 20,
            size: 1 << 20,
        };
        let third = move || match script {
            Script::FailLater(text) => Err(Error::internal(text.clone()).with_source(text)),
            Script::PanicLater(text) => panic!("{text}"),
            _ => Ok(block(2)),
        };
        let first = stream::iter([Ok(block(0)), Ok(block(1))]);
        let all = stream::StreamExt::chain(first, stream::once(async move { third() }));
        Blocks {
            block_metadata_type: BlockMetadataType::FixedLength,
            volume_size: 3 << 20,
            blocks: Box::pin(all),
        }
    }
}

/// Returns a driver with all parts.
pub(crate) fn driver(fake: &Arc<Fake>) -> Driver {
    let all = || fake.clone();
    Driver::new("fake.csi.example.com", "1")
        .access_modes([
            AccessMode::SingleNodeWriter,
            AccessMode::MultiNodeMultiWriter,
        ])
        .block_volumes()
        .volume_mount_group()
        .growth(Growth::Online)
        .probe(all())
        .controller(all())
        .volumes(all())
        .list_volumes(all())
        .get_volume(all())
        .attachments(all())
        .capacity(all())
        .expansion(all())
        .modification(all())
        .snapshots(all())
        .list_snapshots(all())
        .get_snapshot(all())
        .group_snapshots(all())
        .metadata(all())
        .node(all())
        .staging(all())
        .stats(all())
        .node_expansion(all())
}

fn taken() -> Snapshot {
    Snapshot::new("snapshot-1", "volume-1", 1 << 30, SystemTime::UNIX_EPOCH)
}

fn group() -> GroupSnapshot {
    GroupSnapshot {
        id: "group-1".to_owned(),
        snapshots: vec![taken()],
        created: SystemTime::UNIX_EPOCH,
        is_ready: true,
    }
}

fn only<T>(entry: T) -> Page<T> {
    Page {
        entries: vec![entry],
        next_token: None,
    }
}

/// Implements traits whose methods do what the script says, and return a value.
macro_rules! parts {
    ($(
        $part:ident {
            $($method:ident($request:ident: $of:ty) -> $answer:ty { $value:expr })*
            $(; $more:ident)?
        }
    )*) => {$(
        #[async_trait]
        impl $part for Fake {
            $(
                async fn $method(&self, $request: $of) -> Result<$answer> {
                    self.act(&$request).await?;
                    Ok($value)
                }
            )*
            $(
                fn $more(&self) -> bool {
                    self.has_more
                }
            )?
        }
    )*};
}

parts! {
    Volumes {
        create_volume(request: CreateVolume) -> Volume { Volume::new("volume-1", 1 << 30) }
        delete_volume(request: DeleteVolume) -> () { () }
        ; can_clone
    }
    ListVolumes {
        list_volumes(request: PageRequest) -> Page<ListedVolume> {
            only(Volume::new("volume-1", 1).into())
        }
        ; lists_nodes
    }
    GetVolume {
        get_volume(request: &str) -> ListedVolume { Volume::new(request, 1).into() }
    }
    Attachments {
        attach(request: Attach) -> BTreeMap<String, String> { BTreeMap::new() }
        detach(request: Detach) -> () { () }
        ; can_attach_read_only
    }
    GetCapacity {
        get_capacity(request: CapacityOf) -> Capacity { Capacity::default() }
    }
    Expansion {
        expand_volume(request: ExpandVolume) -> Expanded {
            Expanded { size: request.size.required, needs_node: true }
        }
    }
    Modification {
        modify_volume(request: ModifyVolume) -> () { () }
    }
    Snapshots {
        create_snapshot(request: CreateSnapshot) -> Snapshot { taken() }
        delete_snapshot(request: DeleteSnapshot) -> () { () }
    }
    ListSnapshots {
        list_snapshots(request: SnapshotFilter) -> Page<Snapshot> { only(taken()) }
    }
    GroupSnapshots {
        create_group_snapshot(request: CreateGroupSnapshot) -> GroupSnapshot { group() }
        delete_group_snapshot(request: GroupSnapshotOf) -> () { () }
        get_group_snapshot(request: GroupSnapshotOf) -> GroupSnapshot { group() }
    }
    Staging {
        stage(request: NodeStage) -> () { () }
        unstage(request: NodeUnstage) -> () { () }
    }
    VolumeStats {
        stats(request: NodeStats) -> Vec<Usage> { Vec::new() }
    }
    NodeExpansion {
        expand(request: NodeExpand) -> Option<u64> { None }
    }
}

#[async_trait]
impl Controller for Fake {
    async fn validate_volume(&self, request: ValidateVolume) -> Result<Validation> {
        self.act(&request).await?;
        let script = self.script.lock().unwrap().clone();
        Ok(match script {
            Script::Refuse(text) => Validation::Refused(text),
            _ => Validation::Confirmed,
        })
    }
}

#[async_trait]
impl SnapshotMetadata for Fake {
    async fn allocated(&self, request: AllocatedBlocks) -> Result<Blocks> {
        self.act(&request).await?;
        Ok(self.blocks())
    }

    async fn delta(&self, request: ChangedBlocks) -> Result<Blocks> {
        self.act(&request).await?;
        Ok(self.blocks())
    }
}

#[async_trait]
impl GetSnapshot for Fake {
    async fn get_snapshot(&self, id: &str, secrets: &Secrets) -> Result<Snapshot> {
        self.act(&(id, secrets)).await?;
        Ok(taken())
    }
}

#[async_trait]
impl Node for Fake {
    async fn info(&self) -> Result<NodeInfo> {
        self.act(&()).await?;
        Ok(NodeInfo {
            id: "node-1".to_owned(),
            ..NodeInfo::default()
        })
    }

    async fn publish(&self, request: NodePublish) -> Result<()> {
        self.act(&request).await
    }

    async fn unpublish(&self, request: NodeUnpublish) -> Result<()> {
        self.act(&request).await
    }
}

#[async_trait]
impl Probe for Fake {
    async fn probe(&self) -> Result<bool> {
        self.act(&()).await?;
        Ok(false)
    }
}
