//! Measures calls, in the text format of OpenMetrics.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use http_body_util::BodyExt;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use tokio::time::Instant;
use tonic::body::Body;
use tonic::codegen::http::{HeaderMap, Request, Response};
use tonic::{Code, Status};
use tower::{Layer, Service};

/// The buckets of csi-lib-utils, in seconds.
const BUCKETS: [f64; 13] = [
    0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0, 25.0, 50.0, 120.0, 300.0, 600.0,
];

/// The calls that are measured. Other paths aren't, so that callers can't add labels without end.
const CALLS: [&str; 36] = [
    "/csi.v1.Identity/GetPluginInfo",
    "/csi.v1.Identity/GetPluginCapabilities",
    "/csi.v1.Identity/Probe",
    "/csi.v1.Controller/CreateVolume",
    "/csi.v1.Controller/DeleteVolume",
    "/csi.v1.Controller/ControllerPublishVolume",
    "/csi.v1.Controller/ControllerUnpublishVolume",
    "/csi.v1.Controller/ValidateVolumeCapabilities",
    "/csi.v1.Controller/ListVolumes",
    "/csi.v1.Controller/ControllerListVolumeHealth",
    "/csi.v1.Controller/ControllerGetVolumeHealth",
    "/csi.v1.Controller/GetCapacity",
    "/csi.v1.Controller/ControllerGetCapabilities",
    "/csi.v1.Controller/CreateSnapshot",
    "/csi.v1.Controller/DeleteSnapshot",
    "/csi.v1.Controller/ListSnapshots",
    "/csi.v1.Controller/GetSnapshot",
    "/csi.v1.Controller/ControllerExpandVolume",
    "/csi.v1.Controller/ControllerGetVolume",
    "/csi.v1.Controller/ControllerModifyVolume",
    "/csi.v1.GroupController/GroupControllerGetCapabilities",
    "/csi.v1.GroupController/CreateVolumeGroupSnapshot",
    "/csi.v1.GroupController/DeleteVolumeGroupSnapshot",
    "/csi.v1.GroupController/GetVolumeGroupSnapshot",
    "/csi.v1.SnapshotMetadata/GetMetadataAllocated",
    "/csi.v1.SnapshotMetadata/GetMetadataDelta",
    "/csi.v1.Node/NodeStageVolume",
    "/csi.v1.Node/NodeUnstageVolume",
    "/csi.v1.Node/NodePublishVolume",
    "/csi.v1.Node/NodeUnpublishVolume",
    "/csi.v1.Node/NodeGetVolumeStats",
    "/csi.v1.Node/NodeGetVolumeHealth",
    "/csi.v1.Node/NodeGetStorageHealth",
    "/csi.v1.Node/NodeExpandVolume",
    "/csi.v1.Node/NodeGetCapabilities",
    "/csi.v1.Node/NodeGetInfo",
];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    method_name: &'static str,
    grpc_status_code: &'static str,
}

type Seconds = Family<Labels, Histogram>;

/// The metrics of a driver. Clones are handles of the same metrics.
///
/// | | type | labels |
/// |---|---|---|
/// | `csi_operations_seconds` | histogram | driver_name, method_name, grpc_status_code |
///
/// Labels and buckets are those of drivers in Go that use csi-lib-utils, whose metric is
/// `csi_plugin_operations_seconds`; the kubelet has one of this name for its side. Each call of CSI
/// counts when its answer ends, also one that is refused. `Canceled` are those whose caller didn't
/// wait for the answer; the driver's own work may go on.
///
/// [`Services::serve`](crate::Services::serve) measures calls by itself. A program that has a
/// server of tonic adds this to it, as a layer.
#[derive(Clone)]
pub struct Metrics {
    /// These metrics only.
    registry: Arc<Registry>,
    driver: String,
    seconds: Seconds,
}

impl Metrics {
    pub(crate) fn new(driver: &str) -> Self {
        let seconds = Seconds::new_with_constructor(|| Histogram::new(BUCKETS));
        let mut registry = Registry::default();
        register(&mut registry, driver, &seconds);
        Self {
            registry: Arc::new(registry),
            driver: driver.to_owned(),
            seconds,
        }
    }

    /// Adds these metrics to another registry, after its prefix if it has one. Its owner serves
    /// them.
    pub fn register(&self, registry: &mut Registry) {
        register(registry, &self.driver, &self.seconds);
    }

    /// Returns the metrics as text, as the path `/metrics` does. Its media type is
    /// `application/openmetrics-text; version=1.0.0; charset=utf-8`.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut buffer = String::new();
        // Writing to a string can't fail, and no metric's own encoder does.
        let _ = text::encode(&mut buffer, &self.registry);
        buffer
    }

    /// Begins to measure the call at a path.
    fn begin(&self, path: &str) -> Option<Measure> {
        let known = CALLS.iter().find(|call| **call == path)?;
        Some(Measure {
            call: known,
            begin: Instant::now(),
            seconds: self.seconds.clone(),
            code: None,
        })
    }
}

fn register(registry: &mut Registry, driver: &str, seconds: &Seconds) {
    let label = (Cow::Borrowed("driver_name"), Cow::Owned(driver.to_owned()));
    registry.sub_registry_with_label(label).register(
        "csi_operations_seconds",
        "Time of calls of CSI until their answer ended, in seconds",
        seconds.clone(),
    );
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

/// Measures a call from its begin until this is dropped.
struct Measure {
    call: &'static str,
    begin: Instant,
    seconds: Seconds,
    /// The code of the answer, once it is there.
    code: Option<Code>,
}

impl Measure {
    /// Takes the code from the headers or trailers of an answer, if they have it.
    fn read(&mut self, headers: &HeaderMap) {
        if let Some(status) = Status::from_header_map(headers) {
            self.code = Some(status.code());
        }
    }
}

impl Drop for Measure {
    fn drop(&mut self) {
        let labels = Labels {
            method_name: self.call,
            grpc_status_code: name(self.code.unwrap_or(Code::Cancelled)),
        };
        let took = self.begin.elapsed().as_secs_f64();
        self.seconds.get_or_create(&labels).observe(took);
    }
}

/// Returns the name of a code as Go prints it.
fn name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "Canceled",
        Code::Unknown => "Unknown",
        Code::InvalidArgument => "InvalidArgument",
        Code::DeadlineExceeded => "DeadlineExceeded",
        Code::NotFound => "NotFound",
        Code::AlreadyExists => "AlreadyExists",
        Code::PermissionDenied => "PermissionDenied",
        Code::ResourceExhausted => "ResourceExhausted",
        Code::FailedPrecondition => "FailedPrecondition",
        Code::Aborted => "Aborted",
        Code::OutOfRange => "OutOfRange",
        Code::Unimplemented => "Unimplemented",
        Code::Internal => "Internal",
        Code::Unavailable => "Unavailable",
        Code::DataLoss => "DataLoss",
        Code::Unauthenticated => "Unauthenticated",
    }
}

impl<S> Layer<S> for Metrics {
    type Service = Measured<S>;

    fn layer(&self, inner: S) -> Measured<S> {
        Measured {
            inner,
            metrics: self.clone(),
        }
    }
}

/// A service whose calls are measured.
#[derive(Clone, Debug)]
pub struct Measured<S> {
    inner: S,
    metrics: Metrics,
}

impl<S, B> Service<Request<B>> for Measured<S>
where
    S: Service<Request<B>, Response = Response<Body>>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Response<Body>, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let measure = self.metrics.begin(request.uri().path());
        let answer = self.inner.call(request);
        Box::pin(async move {
            let answer = answer.await?;
            Ok(match measure {
                Some(measure) => measured(measure, answer),
                None => answer,
            })
        })
    }
}

/// Measures until the answer ends: a refusal has its code in the headers, others after all
/// messages.
fn measured(mut measure: Measure, answer: Response<Body>) -> Response<Body> {
    measure.read(answer.headers());
    if measure.code.is_some() {
        return answer;
    }
    answer.map(|body| {
        Body::new(body.map_frame(move |frame| {
            if let Some(trailers) = frame.trailers_ref() {
                measure.read(trailers);
            }
            frame
        }))
    })
}
