//! The declaration of a driver by its author, and the run of the checks.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use kubernetes_csi::v1::{ProbeRequest, VolumeCapability};
use tokio::time::sleep;
use tonic::Code;
use tonic::transport::{Channel, Endpoint, Error};

use crate::ask;
use crate::call::Clients;
use crate::check::{Check, Stop};
use crate::context::{Context, PAUSE};
use crate::expect::matches;
use crate::report::{CheckReport, Outcome, Report};
use crate::service;
use crate::settings::Settings;

/// The checks of a driver.
///
/// [`run`](Self::run) sends requests, and deletes everything that they make. The driver can be in
/// use meanwhile: names have a part that is random, and nothing is touched that was there.
#[derive(Clone, Debug)]
#[must_use = "`run` runs the checks"]
pub struct Checks {
    channel: Channel,
    controller: Option<Channel>,
    settings: Settings,
    only: Vec<String>,
    left_out: Vec<(String, String)>,
}

impl Checks {
    /// Returns the checks of the driver at a channel.
    pub fn new(channel: Channel) -> Self {
        Self {
            channel,
            controller: None,
            settings: Settings::default(),
            only: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Returns the checks of the driver at an endpoint, such as `unix:///csi/csi.sock` or
    /// `http://127.0.0.1:10000`. It may still be starting.
    ///
    /// # Errors
    ///
    /// When the text is no URI.
    pub fn at(endpoint: &str) -> Result<Self, Error> {
        let endpoint = Endpoint::from_shared(endpoint.to_owned())?;
        Ok(Self::new(endpoint.connect_lazy()))
    }

    /// Returns the checks of a driver on the kit, which is served in this process.
    ///
    /// # Panics
    ///
    /// When it is called outside of a runtime of tokio.
    #[cfg(feature = "driver")]
    pub fn of_services(services: &kubernetes_csi_driver::Services) -> Self {
        let mut routes = tonic::service::Routes::new(services.identity());
        if let Some(controller) = services.controller() {
            routes = routes.add_service(controller);
        }
        if let Some(group) = services.group_controller() {
            routes = routes.add_service(group);
        }
        if let Some(metadata) = services.snapshot_metadata() {
            routes = routes.add_service(metadata);
        }
        if let Some(node) = services.node() {
            routes = routes.add_service(node);
        }
        Self::new(crate::in_process(routes))
    }

    /// Sets the channel of the controller part, if it has one of its own.
    pub fn controller(mut self, channel: Channel) -> Self {
        self.controller = Some(channel);
        self
    }

    /// Sets the size of volumes in bytes, 1 GiB by default. That after they have grown is twice
    /// as much.
    pub fn volume_size(mut self, bytes: i64) -> Self {
        self.settings.volume_size = bytes;
        self.settings.expanded_size = bytes.saturating_mul(2);
        self
    }

    /// Sets the size of volumes after they have grown.
    pub fn expanded_size(mut self, bytes: i64) -> Self {
        self.settings.expanded_size = bytes;
        self
    }

    /// Sets how volumes are used: by default, as a file system that one node writes.
    pub fn capability(mut self, capability: VolumeCapability) -> Self {
        self.settings.capability = capability;
        self
    }

    /// Sets where directories for volumes are made. Without it, nothing is mounted.
    ///
    /// Most drivers mount as root only.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.settings.folder = Some(folder.into());
        self
    }

    /// Sets the node that volumes are attached to, by default that of `NodeGetInfo`.
    pub fn node_id(mut self, id: impl Into<String>) -> Self {
        self.settings.node_id = Some(id.into());
        self
    }

    /// Sets how long a call may take, and how long a snapshot may not be ready, one minute by
    /// default.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// Runs only checks whose names begin with a pattern, or with one of several. `*` in it stands
    /// for any text.
    pub fn only(mut self, pattern: impl Into<String>) -> Self {
        self.only.push(pattern.into());
        self
    }

    /// Leaves out checks whose names begin with a pattern, in which `*` stands for any text. The
    /// report has them with the reason.
    pub fn leave_out(mut self, pattern: impl Into<String>, reason: impl Into<String>) -> Self {
        self.left_out.push((pattern.into(), reason.into()));
        self
    }

    /// Runs the checks, one after the other.
    pub async fn run(self) -> Report {
        let controller = self.controller.as_ref().unwrap_or(&self.channel);
        let clients = Clients::new(&self.channel, controller);
        let mut context = Context::new(self.settings.clone(), clients);
        wait(&context).await;
        context.facts = ask::facts(&context).await;
        let mut report = Report::default();
        for check in service::all() {
            let is_wanted = |pattern: &String| matches(pattern, &check.name);
            if self.only.is_empty() || self.only.iter().any(is_wanted) {
                let start = Instant::now();
                let outcome = self.outcome(&check, &context).await;
                context.clean_up().await;
                report.checks.push(CheckReport {
                    name: check.name,
                    outcome,
                    time: start.elapsed(),
                });
            }
        }
        context.clean_up_shared().await;
        report.checks.push(nothing_is_left(&context));
        report
    }

    async fn outcome(&self, check: &Check, context: &Context) -> Outcome {
        let by_author = |(pattern, _): &&(String, String)| matches(pattern, &check.name);
        if let Some((_, reason)) = self.left_out.iter().find(by_author) {
            return Outcome::LeftOut(reason.clone());
        }
        let mut needs = check.needs.iter();
        if let Some(reason) = needs.find_map(|need| need.missing(&context.facts, context)) {
            return Outcome::LeftOut(reason);
        }
        match (check.run)(context).await {
            Ok(()) => Outcome::Passed,
            Err(Stop::Failed(message)) => Outcome::Failed(message),
            Err(Stop::LeftOut(reason)) => Outcome::LeftOut(reason),
        }
    }
}

/// Methods that add an entry to a map.
macro_rules! entries {
    ($($(#[$doc:meta])* $method:ident: $map:ident)*) => {
        impl Checks {
            $(
                $(#[$doc])*
                pub fn $method<K: Into<String>, V: Into<String>>(
                    mut self,
                    entries: impl IntoIterator<Item = (K, V)>,
                ) -> Self {
                    let entries = entries.into_iter();
                    let entries = entries.map(|(key, value)| (key.into(), value.into()));
                    self.settings.$map.extend(entries);
                    self
                }
            )*
        }
    };
}

entries! {
    /// Adds parameters of volumes, as in a StorageClass.
    parameters: parameters
    /// Adds parameters that volumes can be given later, as in a VolumeAttributesClass.
    mutable_parameters: mutable_parameters
    /// Adds parameters of snapshots, as in a VolumeSnapshotClass.
    snapshot_parameters: snapshot_parameters
    /// Adds parameters of group snapshots, as in a VolumeGroupSnapshotClass.
    group_snapshot_parameters: group_snapshot_parameters
    /// Adds secrets to all requests that can have some. There is always one more, `csi-test`,
    /// which no answer may have.
    secrets: secrets
}

/// Waits until the driver answers and is ready, as sidecars do. If it never is, checks say so.
async fn wait(context: &Context) {
    let end = Instant::now() + context.settings.timeout;
    while Instant::now() < end {
        match context.send(ProbeRequest {}).await {
            Ok(answer) if answer.ready != Some(false) => return,
            Err(status) if status.code() != Code::Unavailable => return,
            _ => sleep(PAUSE).await,
        }
    }
}

/// Returns the last check: that everything could be deleted.
fn nothing_is_left(context: &Context) -> CheckReport {
    let left = context.left();
    CheckReport {
        name: "clean_up/nothing_is_left".to_owned(),
        outcome: match left.is_empty() {
            true => Outcome::Passed,
            false => Outcome::Failed(format!("can't be removed: {}", left.join("; "))),
        },
        time: Duration::ZERO,
    }
}
