//! Metrics, in the text format of OpenMetrics.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric, text};
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::rules;
use kubernetes_controller_utils::workqueue::{Observer, Queue, Snapshot};

/// The default buckets of Prometheus' client for Go, in seconds.
const BUCKETS: [f64; 11] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];
/// The buckets of client-go for its queues: powers of ten, in seconds.
const QUEUE_BUCKETS: [f64; 10] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0];

fn histogram() -> Histogram {
    Histogram::new(BUCKETS)
}

fn queue_histogram() -> Histogram {
    Histogram::new(QUEUE_BUCKETS)
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ProvisionLabels {
    class: String,
    source: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DeleteLabels {
    class: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct QueueLabels {
    name: &'static str,
}

/// The metrics of a controller. Clones are handles of the same metrics.
#[derive(Clone)]
pub struct Metrics {
    /// The user's metrics, and those below.
    registry: Arc<Registry>,
    families: Families,
}

#[derive(Clone)]
struct Families {
    provision: Outcomes<ProvisionLabels>,
    delete: Outcomes<DeleteLabels>,
    queues: Arc<Queues>,
}

/// The numbers of successes and failures, and the durations of successes.
#[derive(Clone)]
struct Outcomes<L> {
    total: Family<L, Counter>,
    failed: Family<L, Counter>,
    seconds: Family<L, Histogram>,
}

impl<L> Outcomes<L>
where
    L: EncodeLabelSet + Clone + fmt::Debug + Eq + std::hash::Hash + Send + Sync + 'static,
{
    fn new() -> Self {
        Self {
            total: Family::default(),
            failed: Family::default(),
            seconds: Family::new_with_constructor(histogram),
        }
    }

    fn register(&self, registry: &mut Registry, name: &str, what: &str) {
        // The encoder appends `_total` to the names of counters.
        registry.register(name, format!("{what} that succeeded"), self.total.clone());
        registry.register(
            format!("{name}_failed"),
            format!("{what} that failed"),
            self.failed.clone(),
        );
        registry.register(
            format!("{name}_duration_seconds"),
            format!("Time of {what} that succeeded, in seconds"),
            self.seconds.clone(),
        );
    }

    fn succeeded(&self, labels: &L, took: Duration) {
        self.total.get_or_create(labels).inc();
        self.seconds
            .get_or_create(labels)
            .observe(took.as_secs_f64());
    }

    fn failed(&self, labels: &L) {
        self.failed.get_or_create(labels).inc();
    }
}

impl Families {
    fn new() -> Self {
        Self {
            provision: Outcomes::new(),
            delete: Outcomes::new(),
            queues: Arc::default(),
        }
    }

    fn register(&self, registry: &mut Registry) {
        let Self {
            provision,
            delete,
            queues,
        } = self;
        let registry = registry.sub_registry_with_prefix("controller");
        provision.register(
            registry,
            "persistentvolumeclaim_provision",
            "attempts to provision a volume",
        );
        delete.register(
            registry,
            "persistentvolume_delete",
            "attempts to delete a volume",
        );
        registry.register_collector(Box::new(Arc::clone(queues)));
        for (name, help, family) in [
            (
                "queue_duration_seconds",
                "Time that keys waited",
                &queues.waited,
            ),
            (
                "work_duration_seconds",
                "Time that keys were worked on",
                &queues.worked,
            ),
        ] {
            let name = format!("workqueue_{name}");
            registry.register(name, format!("{help}, in seconds"), family.clone());
        }
    }
}

impl Metrics {
    /// Adds metrics to a registry.
    pub(crate) fn new(mut registry: Registry) -> Self {
        let families = Families::new();
        families.register(&mut registry);
        Self {
            registry: Arc::new(registry),
            families,
        }
    }

    /// Adds these metrics to another registry, with the same names, after its prefix if it has one.
    /// Its owner serves them; [`Builder::metrics_registry`](crate::Builder::metrics_registry) has
    /// the controller serve the metrics of others.
    ///
    /// ```
    /// use kubernetes_provisioner::{Metrics, prometheus_client};
    /// use prometheus_client::{encoding::text, registry::Registry};
    ///
    /// /// All metrics of a program.
    /// fn encode(provisioner: &Metrics) -> Result<String, std::fmt::Error> {
    ///     let mut registry = Registry::with_prefix("storage");
    ///     provisioner.register(&mut registry);
    ///     let mut text = String::new();
    ///     text::encode(&mut text, &registry)?;
    ///     Ok(text)
    /// }
    /// ```
    pub fn register(&self, registry: &mut Registry) {
        self.families.register(registry);
    }

    /// Returns all metrics as text, as the path `/metrics` does, with those of
    /// [`Builder::metrics_registry`](crate::Builder::metrics_registry). Its media type is
    /// `application/openmetrics-text; version=1.0.0; charset=utf-8`.
    ///
    /// | `controller_persistentvolumeclaim_` | type | labels |
    /// |---|---|---|
    /// | `provision_total` | counter | class, source |
    /// | `provision_failed_total` | counter | class, source |
    /// | `provision_duration_seconds` | histogram | class, source |
    ///
    /// | `controller_persistentvolume_` | type | labels |
    /// |---|---|---|
    /// | `delete_total` | counter | class |
    /// | `delete_failed_total` | counter | class |
    /// | `delete_duration_seconds` | histogram | class |
    ///
    /// | `controller_workqueue_` | type | labels |
    /// |---|---|---|
    /// | `depth`, `delayed`, `working` | gauge | name |
    /// | `adds_total`, `retries_total` | counter | name |
    /// | `queue_duration_seconds`, `work_duration_seconds` | histogram | name |
    ///
    /// `source` is the kind of the claim's data source. Only attempts that succeed have a duration.
    ///
    /// As in sig-storage-lib-external-provisioner 13.1, a claim is a failure too if the provisioner
    /// ignores it, if its volume exists already, or if its class has another provisioner. A volume
    /// that the provisioner ignores counts as deleted, and one in use isn't counted.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut buffer = String::new();
        // Writing to a string can't fail, and no metric's own encoder does.
        let _ = text::encode(&mut buffer, &self.registry);
        buffer
    }

    pub(crate) fn provisioned(&self, claim: &PersistentVolumeClaim, took: Duration) {
        self.families
            .provision
            .succeeded(&provision_labels(claim), took);
    }

    pub(crate) fn provision_failed(&self, claim: &PersistentVolumeClaim) {
        self.families.provision.failed(&provision_labels(claim));
    }

    pub(crate) fn deleted(&self, volume: &PersistentVolume, took: Duration) {
        self.families.delete.succeeded(&delete_labels(volume), took);
    }

    pub(crate) fn delete_failed(&self, volume: &PersistentVolume) {
        self.families.delete.failed(&delete_labels(volume));
    }

    pub(crate) fn observer(&self, name: &'static str) -> QueueObserver {
        let labels = QueueLabels { name };
        QueueObserver {
            waited: self.families.queues.waited.get_or_create_owned(&labels),
            worked: self.families.queues.worked.get_or_create_owned(&labels),
        }
    }

    /// Adds the numbers of the queues, of claims and of volumes.
    pub(crate) fn watch_queues(&self, claims: &Queue<String>, volumes: &Queue<String>) {
        // A controller runs once.
        let _ = self
            .families
            .queues
            .queues
            .set([claims.clone(), volumes.clone()]);
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

fn provision_labels(claim: &PersistentVolumeClaim) -> ProvisionLabels {
    let source = claim
        .spec
        .as_ref()
        .and_then(|spec| spec.data_source.as_ref());
    ProvisionLabels {
        class: rules::class_name(claim).to_owned(),
        source: source.map(|source| source.kind.clone()).unwrap_or_default(),
    }
}

fn delete_labels(volume: &PersistentVolume) -> DeleteLabels {
    let class = volume
        .spec
        .as_ref()
        .and_then(|spec| spec.storage_class_name.clone());
    DeleteLabels {
        class: class.unwrap_or_default(),
    }
}

/// The histograms of one queue.
pub(crate) struct QueueObserver {
    waited: Histogram,
    worked: Histogram,
}

impl Observer for QueueObserver {
    fn waited(&self, duration: Duration) {
        self.waited.observe(duration.as_secs_f64());
    }

    fn worked(&self, duration: Duration) {
        self.worked.observe(duration.as_secs_f64());
    }
}

#[derive(Debug)]
struct Queues {
    /// Claims and volumes.
    queues: OnceLock<[Queue<String>; 2]>,
    waited: Family<QueueLabels, Histogram>,
    worked: Family<QueueLabels, Histogram>,
}

impl Default for Queues {
    fn default() -> Self {
        Self {
            queues: OnceLock::new(),
            waited: Family::new_with_constructor(queue_histogram),
            worked: Family::new_with_constructor(queue_histogram),
        }
    }
}

type Gauge = (&'static str, &'static str, fn(&Snapshot) -> usize);
type Count = (&'static str, &'static str, fn(&Snapshot) -> u64);

const GAUGES: [Gauge; 3] = [
    ("depth", "Keys that are due", |queue| queue.depth),
    ("delayed", "Keys that are not due yet", |queue| {
        queue.delayed
    }),
    ("working", "Keys that are worked on", |queue| queue.working),
];
const COUNTS: [Count; 2] = [
    ("adds", "How many times a key became due", |queue| {
        queue.adds
    }),
    ("retries", "How many times a key was retried", |queue| {
        queue.retries
    }),
];

impl Collector for Queues {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let Some(queues) = self.queues.get() else {
            return Ok(());
        };
        let [claims, volumes] = queues.each_ref().map(Queue::snapshot);
        let snapshots = [("claims", claims), ("volumes", volumes)];
        for (name, help, value) in GAUGES {
            let gauge = |snapshot: &Snapshot| {
                ConstGauge::new(i64::try_from(value(snapshot)).unwrap_or(i64::MAX))
            };
            encode(&mut encoder, name, help, &snapshots, gauge)?;
        }
        for (name, help, value) in COUNTS {
            let count = |snapshot: &Snapshot| ConstCounter::new(value(snapshot));
            encode(&mut encoder, name, help, &snapshots, count)?;
        }
        Ok(())
    }
}

fn encode<M: EncodeMetric>(
    encoder: &mut DescriptorEncoder,
    name: &str,
    help: &str,
    snapshots: &[(&'static str, Snapshot)],
    metric: impl Fn(&Snapshot) -> M,
) -> fmt::Result {
    let Some((_, first)) = snapshots.first() else {
        return Ok(());
    };
    let name = format!("workqueue_{name}");
    let kind = metric(first).metric_type();
    let mut family = encoder.encode_descriptor(&name, help, None, kind)?;
    for (name, snapshot) in snapshots {
        let labels = QueueLabels { name };
        metric(snapshot).encode(family.encode_family(&labels)?)?;
    }
    Ok(())
}
