//! Callers, as sidecars and the kubelet are.

use std::path::Path;
use std::time::{Duration, Instant};

use futures::future::join_all;
use kubernetes_csi::v1::controller_client::ControllerClient;
use kubernetes_csi::v1::identity_client::IdentityClient;
use kubernetes_csi::v1::node_client::NodeClient;
use kubernetes_csi::v1::volume_capability::access_mode::Mode;
use kubernetes_csi::v1::volume_capability::{AccessMode, AccessType, MountVolume};
use kubernetes_csi::v1::*;
use tonic::transport::{Channel, Endpoint};

/// Calls that are measured.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    Probe,
    Publish,
    CreateAndDelete,
    Create,
}

impl Work {
    pub(crate) const ALL: [Self; 3] = [Self::Probe, Self::Publish, Self::CreateAndDelete];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Probe => "Probe",
            Self::Publish => "NodePublishVolume",
            Self::CreateAndDelete => "CreateVolume, DeleteVolume",
            Self::Create => "CreateVolume",
        }
    }
}

/// Callers that share connections.
pub(crate) struct Clients(Vec<Channel>);

impl Clients {
    pub(crate) async fn connect(socket: &Path, connections: usize, callers: usize) -> Self {
        let channels = join_all((0..connections).map(|_| channel(socket))).await;
        Self(channels.into_iter().cycle().take(callers).collect())
    }

    /// Makes so many calls in all, and returns how long that took, and each call.
    pub(crate) async fn run(&self, work: Work, calls: usize) -> (Duration, Vec<Duration>) {
        let each = (calls / self.0.len()).max(2);
        let started = Instant::now();
        let callers = self.0.iter().enumerate().map(|(caller, channel)| {
            let caller = Caller::new(caller, channel.clone());
            tokio::spawn(caller.run(work, each))
        });
        let times = join_all(callers).await;
        let elapsed = started.elapsed();
        let times = times.into_iter().flat_map(|times| times.unwrap());
        (elapsed, times.collect())
    }
}

struct Caller {
    number: usize,
    identity: IdentityClient<Channel>,
    controller: ControllerClient<Channel>,
    node: NodeClient<Channel>,
    times: Vec<Duration>,
}

impl Caller {
    fn new(number: usize, channel: Channel) -> Self {
        Self {
            number,
            identity: IdentityClient::new(channel.clone()),
            controller: ControllerClient::new(channel.clone()),
            node: NodeClient::new(channel),
            times: Vec::new(),
        }
    }

    async fn run(mut self, work: Work, calls: usize) -> Vec<Duration> {
        match work {
            Work::CreateAndDelete => {
                for call in 0..calls / 2 {
                    self.create(call).await;
                    self.delete(call).await;
                }
            }
            Work::Create => {
                for call in 0..calls {
                    self.create(call).await;
                }
            }
            Work::Publish => {
                for call in 0..calls {
                    self.publish(call).await;
                }
            }
            Work::Probe => {
                for _ in 0..calls {
                    let started = Instant::now();
                    self.identity.probe(ProbeRequest {}).await.unwrap();
                    self.times.push(started.elapsed());
                }
            }
        }
        self.times
    }

    /// A name as csi-provisioner makes them.
    fn volume(&self, call: usize) -> String {
        format!("pvc-0b1d5a5c-97a3-4c6c-{:04}-{call:012}", self.number)
    }

    async fn create(&mut self, call: usize) {
        let request = CreateVolumeRequest {
            name: self.volume(call),
            capacity_range: Some(CapacityRange {
                required_bytes: 1 << 30,
                limit_bytes: 0,
            }),
            volume_capabilities: vec![capability()],
            parameters: owned([
                ("csi.storage.k8s.io/pvc/name", "data-database-0"),
                ("csi.storage.k8s.io/pvc/namespace", "production"),
                ("type", "fast"),
            ]),
            ..CreateVolumeRequest::default()
        };
        let started = Instant::now();
        self.controller.create_volume(request).await.unwrap();
        self.times.push(started.elapsed());
    }

    async fn delete(&mut self, call: usize) {
        let request = DeleteVolumeRequest {
            volume_id: self.volume(call),
            ..DeleteVolumeRequest::default()
        };
        let started = Instant::now();
        self.controller.delete_volume(request).await.unwrap();
        self.times.push(started.elapsed());
    }

    async fn publish(&mut self, call: usize) {
        let volume = self.volume(call);
        let pod = "/var/lib/kubelet/pods/4f4bb1f5-2a4a-4b1c-8e2d-2b8f5a0f7d11";
        let request = NodePublishVolumeRequest {
            target_path: format!("{pod}/volumes/kubernetes.io~csi/{volume}/mount"),
            volume_id: volume,
            volume_capability: Some(capability()),
            volume_context: owned([
                ("csi.storage.k8s.io/ephemeral", "false"),
                ("csi.storage.k8s.io/pod.name", "database-0"),
                ("csi.storage.k8s.io/pod.namespace", "production"),
                ("csi.storage.k8s.io/serviceAccount.name", "database"),
            ]),
            ..NodePublishVolumeRequest::default()
        };
        let started = Instant::now();
        self.node.node_publish_volume(request).await.unwrap();
        self.times.push(started.elapsed());
    }
}

/// Connects to a driver.
pub(crate) async fn channel(socket: &Path) -> Channel {
    let endpoint = Endpoint::from_shared(format!("unix://{}", socket.display()));
    endpoint.unwrap().connect().await.unwrap()
}

fn capability() -> VolumeCapability {
    VolumeCapability {
        access_mode: Some(AccessMode {
            mode: Mode::SingleNodeWriter.into(),
        }),
        access_type: Some(AccessType::Mount(MountVolume {
            fs_type: "ext4".to_owned(),
            ..MountVolume::default()
        })),
    }
}

fn owned<M: FromIterator<(String, String)>, const N: usize>(pairs: [(&str, &str); N]) -> M {
    let pairs = pairs.into_iter();
    pairs
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}
