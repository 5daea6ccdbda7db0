//! The builder of a controller.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use futures::stream::{Stream, StreamExt};
use kube::Client;
use prometheus_client::registry::Registry;
use storage_v1::StorageClass;

use crate::adapter::Adapter;
use crate::controller::Controller;
use crate::metrics::Metrics;
use crate::options::{Backoff, BuildError, Options, Settings};
use crate::provisioner::Provisioner;
use crate::rules::Ownership;
use crate::streams::{Streams, WatchItem};
use crate::volume::Volume;
use kubernetes_controller_utils::workqueue::RateLimiter;

/// Options of a [`Controller`], which [`build`](Self::build) checks.
///
/// Nothing can be changed after that: a controller has no setters.
#[must_use = "a builder does nothing until it is built"]
pub struct Builder<P, V = PersistentVolume> {
    client: Client,
    name: String,
    provisioner: Adapter<P, V>,
    options: Options,
    streams: Streams,
    registry: Registry,
}

impl<V: Volume, P: Provisioner<V>> Controller<P, V> {
    /// Returns a builder of a controller for claims whose provisioner is `name`, such as
    /// `example.com/nfs`.
    pub fn builder(client: Client, name: impl Into<String>, provisioner: P) -> Builder<P, V> {
        Builder {
            client,
            name: name.into(),
            provisioner: Adapter::new(provisioner),
            options: Options::default(),
            streams: Streams::default(),
            registry: Registry::default(),
        }
    }
}

impl<V: Volume, P: Provisioner<V>> Builder<P, V> {
    /// Checks the options and returns the controller.
    ///
    /// # Errors
    ///
    /// Two options contradict one another, or a value is out of range.
    pub fn build(self) -> Result<Controller<P, V>, BuildError> {
        let settings: Settings = self.options.check(&self.name)?;
        Ok(Controller::new(
            self.client,
            self.provisioner,
            settings,
            self.streams,
            Metrics::new(self.registry),
        ))
    }

    /// Adds names under which claims and classes may ask for this provisioner, such as that of
    /// an in-tree plugin that was migrated.
    pub fn additional_provisioner_names<I>(mut self, names: I) -> Self
    where
        I: IntoIterator<Item: Into<String>>,
    {
        self.options
            .additional_names
            .extend(names.into_iter().map(Into::into));
        self
    }

    /// Adds annotations of claims by which the provisioner decides, such as `example.com/pool`.
    ///
    /// A claim that failed is tried again at once when its specification, its class or the selected
    /// node changes, or one of these annotations. Other annotations and labels are left out: other
    /// controllers change them at any time.
    pub fn claim_annotations<I>(mut self, keys: I) -> Self
    where
        I: IntoIterator<Item: Into<String>>,
    {
        self.options
            .claim_annotations
            .extend(keys.into_iter().map(Into::into));
        self
    }

    /// Sets which volumes are deleted and protected. The default is
    /// [`Ownership::AnyName`].
    pub fn volume_ownership(mut self, ownership: Ownership) -> Self {
        self.options.ownership = ownership;
        self
    }

    /// Sets the prefix of volume names, which a hyphen and the UID of the claim follow. The
    /// default is `pvc`. Changing it while claims are being provisioned provisions them again.
    pub fn volume_name_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.options.volume_name_prefix = Some(prefix.into());
        self
    }

    /// Sets whether volumes with the policy `Delete` get a finalizer, which keeps their object
    /// until their storage is deleted. The default is yes: without it the storage of a volume
    /// that somebody deletes stays behind. If not, the finalizer is removed where it is.
    pub fn protection_finalizer(mut self, wanted: bool) -> Self {
        self.options.finalizer = Some(wanted);
        self
    }

    /// Sets whether the selected node of a claim is read before provisioning, which needs the
    /// permission to get nodes. The default is yes. If not, a request has only its name.
    pub fn read_selected_node(mut self, wanted: bool) -> Self {
        self.options.read_node = Some(wanted);
        self
    }

    /// Sets the stream of claims, which replaces the controller's own watch.
    ///
    /// This and the streams of volumes and classes are for programs that watch these objects
    /// themselves, or that want to see some of them only. A stream has to begin with `Init`, as
    /// that of [`kubernetes_protobuf::watcher`](kubernetes_protobuf::watcher()) or kube's
    /// [`watcher`](kube::runtime::watcher()), and should wait after errors.
    pub fn claims(
        mut self,
        stream: impl Stream<Item = WatchItem<PersistentVolumeClaim>> + Send + 'static,
    ) -> Self {
        self.streams.claims = Some(stream.boxed());
        self
    }

    /// Sets the stream of volumes, as [`claims`](Self::claims) does.
    pub fn volumes(
        mut self,
        stream: impl Stream<Item = WatchItem<PersistentVolume>> + Send + 'static,
    ) -> Self {
        self.streams.volumes = Some(stream.boxed());
        self
    }

    /// Sets the stream of classes, as [`claims`](Self::claims) does.
    pub fn classes(
        mut self,
        stream: impl Stream<Item = WatchItem<StorageClass>> + Send + 'static,
    ) -> Self {
        self.streams.classes = Some(stream.boxed());
        self
    }

    /// Sets how often storing a volume is tried before its storage is deleted, and how often
    /// deleting it is tried then. The default is five attempts, 10 s apart.
    pub fn create_volume_backoff(mut self, backoff: Backoff) -> Self {
        self.options.store_backoff = Some(backoff);
        self
    }

    /// Sets the interval between attempts to store a volume. The default is 10 s.
    pub fn create_volume_interval(mut self, interval: Duration) -> Self {
        self.options.store_interval = Some(interval);
        self
    }

    /// Sets how often storing a volume is tried before its storage is deleted. The default is
    /// five times.
    pub fn create_volume_retry_count(mut self, attempts: u32) -> Self {
        self.options.store_retries = Some(attempts);
        self
    }

    /// Sets that volumes which can't be stored wait in a queue and are tried until they are
    /// stored; their storage is never deleted because of that.
    pub fn create_volume_limiter(mut self, limiter: impl RateLimiter<String> + 'static) -> Self {
        self.options.store_limiter = Some(Arc::new(limiter));
        self
    }

    /// Sets whether each failure of a claim or volume doubles the time until the next attempt,
    /// from 15 s up to 1000 s. The default is yes; otherwise it is 15 s each time. In both
    /// cases all claims and volumes share 10 retries a second, and 100 at once.
    pub fn exponential_backoff_on_error(mut self, wanted: bool) -> Self {
        self.options.exponential = Some(wanted);
        self
    }

    /// Sets how long claims and volumes wait after failures. Claims are known to it by their
    /// UID, volumes by their name.
    pub fn rate_limiter(mut self, limiter: impl RateLimiter<String> + 'static) -> Self {
        self.options.limiter = Some(Arc::new(limiter));
        self
    }

    /// Sets how often a claim is retried before it is given up, until it changes. The default
    /// is 15; 0 is without end.
    ///
    /// If the last error was [`InBackground`](crate::ProvisionError::InBackground), the
    /// backend may then keep storage that nobody knows.
    pub fn failed_provision_threshold(mut self, retries: u32) -> Self {
        self.options.provision_threshold = Some(retries);
        self
    }

    /// Sets how often deleting a volume is retried before it is given up, until the volume
    /// changes. The default is 15; 0 is without end.
    pub fn failed_delete_threshold(mut self, retries: u32) -> Self {
        self.options.delete_threshold = Some(retries);
        self
    }

    /// Sets how long a claim waits after
    /// [`Infeasible`](crate::ProvisionError::Infeasible). The default is 5 min.
    pub fn infeasible_delay(mut self, delay: Duration) -> Self {
        self.options.infeasible_delay = Some(delay);
        self
    }

    /// Sets how long one call of [`Provisioner::provision`] may take. The default is without
    /// limit; a call that hangs keeps one worker for as long.
    pub fn provision_timeout(mut self, timeout: Duration) -> Self {
        self.options.provision_timeout = Some(timeout);
        self
    }

    /// Sets how long one call of [`Provisioner::delete`] may take. The default is without
    /// limit.
    pub fn delete_timeout(mut self, timeout: Duration) -> Self {
        self.options.delete_timeout = Some(timeout);
        self
    }

    /// Sets how long work in hand may take to end after [`Controller::run`] was cancelled. The
    /// default is 20 s, less than the 30 s that Kubernetes gives a Pod.
    pub fn drain_timeout(mut self, timeout: Duration) -> Self {
        self.options.drain_timeout = Some(timeout);
        self
    }

    /// Sets how often all claims and volumes that need work are queued again. The default is
    /// 15 min.
    pub fn resync_period(mut self, period: Duration) -> Self {
        self.options.resync = Some(period);
        self
    }

    /// Sets how many claims are provisioned at a time, and how many volumes are deleted. The
    /// default is 4.
    pub fn threadiness(mut self, workers: usize) -> Self {
        self.options.threads = Some(workers);
        self
    }

    /// Sets whether several replicas elect a leader, which alone works. The default is yes.
    pub fn leader_election(mut self, wanted: bool) -> Self {
        self.options.election = Some(wanted);
        self
    }

    /// Sets the namespace of the Lease. The default is that of the Pod: the environment
    /// variable `POD_NAMESPACE`, then that of the service account, then `default`.
    pub fn leader_election_namespace(mut self, namespace: impl Into<String>) -> Self {
        self.options.election_namespace = Some(namespace.into());
        self
    }

    /// Sets how long others wait after the last renewal before they take the lease. The
    /// default is 15 s.
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.options.lease_duration = Some(duration);
        self
    }

    /// Sets how long the leader tries to renew its lease before it stops. The default is 10 s.
    pub fn renew_deadline(mut self, deadline: Duration) -> Self {
        self.options.renew_deadline = Some(deadline);
        self
    }

    /// Sets how long it waits between attempts to get or to renew the lease. The default is
    /// 2 s.
    pub fn retry_period(mut self, period: Duration) -> Self {
        self.options.retry_period = Some(period);
        self
    }

    /// Sets the address of the server for metrics and health. The default is `0.0.0.0`.
    pub fn metrics_address(mut self, address: IpAddr) -> Self {
        self.options.metrics_address = Some(address);
        self
    }

    /// Sets the port of the server for metrics and health. The default is 0: there is no
    /// server. Another port needs the feature `http`, which is on by default.
    ///
    /// `/healthz` answers 200 while the controller runs; `/readyz` answers 200 while it works or
    /// waits for the leadership, and 503 while it reads the cluster's objects, for example
    /// because a permission is missing.
    pub fn metrics_port(mut self, port: u16) -> Self {
        self.options.metrics_port = port;
        self
    }

    /// Sets the registry to which the controller adds its metrics, and which it serves: with it, a
    /// program has metrics of its own on the same port.
    ///
    /// A program that serves its metrics itself uses [`Metrics::register`].
    pub fn metrics_registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// Sets the path of the metrics. The default is `/metrics`.
    pub fn metrics_path(mut self, path: impl Into<String>) -> Self {
        self.options.metrics_path = Some(path.into());
        self
    }
}
