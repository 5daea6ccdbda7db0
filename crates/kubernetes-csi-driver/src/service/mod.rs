//! The services, as tonic calls them.

mod capabilities;
mod controller;
mod group;
mod identity;
mod metadata;
mod node;

use std::sync::Arc;

use kubernetes_csi::v1::controller_server::ControllerServer;
use kubernetes_csi::v1::group_controller_server::GroupControllerServer;
use kubernetes_csi::v1::identity_server::IdentityServer;
use kubernetes_csi::v1::node_server::NodeServer;
use kubernetes_csi::v1::snapshot_metadata_server::SnapshotMetadataServer;
use tonic::{Request, Response, Status};

use crate::calls::{Call, Calls, Lock};
use crate::driver::{DeclarationError, Driver};
use crate::mask::Mask;
use crate::model::VolumeCapability;
use crate::request;
use crate::{Error, Result};

/// The most bytes of a request, as of servers in Go. tonic's default is the same today.
const LARGEST_REQUEST: usize = 4 << 20;

/// The services of a driver, as [`Driver::build`] makes them.
///
/// [`serve`](Self::serve) is what most programs need. The single services are for those that have a
/// server of tonic themselves.
#[derive(Clone)]
pub struct Services {
    pub(crate) driver: Arc<Driver>,
    pub(crate) calls: Arc<Calls>,
    #[cfg(feature = "http")]
    pub(crate) metrics: crate::Metrics,
    served: Served,
}

/// The parts that are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Served {
    All,
    Controller,
    Node,
}

impl Services {
    /// Returns the services of the controller part only.
    ///
    /// Each process of a driver announces what the driver as a whole can do. So, a driver whose
    /// parts run in different processes declares all of its parts in each of them, and serves one.
    #[must_use]
    pub fn controller_part(&self) -> Self {
        self.part(Served::Controller)
    }

    /// Returns the service of the node part only, as [`controller_part`](Self::controller_part)
    /// does that of the other one.
    #[must_use]
    pub fn node_part(&self) -> Self {
        self.part(Served::Node)
    }

    fn part(&self, served: Served) -> Self {
        Self {
            served,
            ..self.clone()
        }
    }

    /// Returns the name of the driver.
    pub fn name(&self) -> &str {
        &self.driver.name
    }

    /// Returns the service that each driver has.
    pub fn identity(&self) -> IdentityServer<Self> {
        IdentityServer::new(self.clone()).max_decoding_message_size(LARGEST_REQUEST)
    }

    /// Returns the service of the controller part, if the driver has one.
    pub fn controller(&self) -> Option<ControllerServer<Self>> {
        let has = self.driver.controller.is_some() && self.served != Served::Node;
        has.then(|| ControllerServer::new(self.clone()).max_decoding_message_size(LARGEST_REQUEST))
    }

    /// Returns the service of group snapshots, if the driver has it.
    pub fn group_controller(&self) -> Option<GroupControllerServer<Self>> {
        let has = self.driver.group_snapshots.is_some() && self.served != Served::Node;
        has.then(|| {
            GroupControllerServer::new(self.clone()).max_decoding_message_size(LARGEST_REQUEST)
        })
    }

    /// Returns the service of blocks of snapshots, if the driver has it.
    pub fn snapshot_metadata(&self) -> Option<SnapshotMetadataServer<Self>> {
        let has = self.driver.metadata.is_some() && self.served != Served::Node;
        has.then(|| {
            SnapshotMetadataServer::new(self.clone()).max_decoding_message_size(LARGEST_REQUEST)
        })
    }

    /// Returns the service of the node part, if the driver has one.
    pub fn node(&self) -> Option<NodeServer<Self>> {
        let has = self.driver.node.is_some() && self.served != Served::Controller;
        has.then(|| NodeServer::new(self.clone()).max_decoding_message_size(LARGEST_REQUEST))
    }

    /// Runs a call that locks something.
    async fn run<T, F>(
        &self,
        name: &'static str,
        locks: Vec<Lock>,
        mask: Mask,
        future: F,
    ) -> Result<T, Status>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let call = Call {
            name,
            locks,
            mask,
            needs_place: true,
        };
        self.calls.run(call, future).await
    }
}

impl Driver {
    /// Returns the services.
    ///
    /// # Errors
    ///
    /// When the name isn't one of a driver, a part lacks the one that it needs, or parts contradict
    /// each other.
    pub fn build(self) -> Result<Services, DeclarationError> {
        self.check()?;
        Ok(Services {
            #[cfg(feature = "http")]
            metrics: crate::Metrics::new(&self.name),
            calls: Arc::new(Calls::new(self.most_calls, self.call_timeout)),
            driver: Arc::new(self),
            served: Served::All,
        })
    }
}

/// Returns a request that has been checked.
fn checked<T: request::Request>(request: Request<T>) -> Result<T, Status> {
    let request = request.into_inner();
    request::validate(&request)?;
    Ok(request)
}

/// Returns a part of the driver, if it has it.
fn part<T: ?Sized>(part: &Option<Arc<T>>, call: &str) -> Result<Arc<T>, Status> {
    part.clone()
        .ok_or_else(|| Error::unimplemented(call).into())
}

fn capability(wire: Option<kubernetes_csi::v1::VolumeCapability>) -> Result<VolumeCapability> {
    let wire = wire.ok_or_else(|| Error::invalid("volume_capability: required"))?;
    wire.try_into()
}

fn capabilities(wire: Vec<kubernetes_csi::v1::VolumeCapability>) -> Result<Vec<VolumeCapability>> {
    wire.into_iter().map(TryInto::try_into).collect()
}

fn optional(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn answer<T>(message: T) -> Result<Response<T>, Status> {
    Ok(Response::new(message))
}

fn volume(id: &str) -> String {
    format!("volume {id:?}")
}

fn snapshot(id: &str) -> String {
    format!("snapshot {id:?}")
}

fn group(id: &str) -> String {
    format!("group snapshot {id:?}")
}
