//! The server for metrics and health.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::routing::get;
use kubernetes_csi::v1::identity_server::Identity;
use kubernetes_csi::v1::{ProbeRequest, ProbeResponse};
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tonic::{Request, Response, Status};
use tracing::{info, warn};

use crate::metrics::Metrics;
use crate::serve::ServeError;
use crate::service::Services;

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The time in which a driver has to say whether it is ready, as livenessprobe's default.
const PROBE: Duration = Duration::from_secs(1);

impl Services {
    /// Returns the metrics of all calls that these services and their parts get.
    pub fn metrics(&self) -> Metrics {
        self.metrics.clone()
    }

    /// Serves metrics at `/metrics` and health at `/healthz` until `stop` is done.
    ///
    /// `/healthz` does what the sidecar livenessprobe does: it answers 200 if
    /// [`Probe`](crate::Probe) says that the driver is ready, and 500 if it isn't, fails or takes
    /// longer than a second. Errors are logged, and only their code is sent: anybody in the network
    /// may ask.
    ///
    /// ```no_run
    /// # use kubernetes_csi_driver::{Endpoint, Services};
    /// # type Done = Result<(), Box<dyn std::error::Error>>;
    /// # async fn run(services: Services, endpoint: Endpoint) -> Done {
    /// let listener = tokio::net::TcpListener::bind("0.0.0.0:9808").await?;
    /// tokio::try_join!(
    ///     services.serve(&endpoint, std::future::pending()),
    ///     services.serve_http(listener, std::future::pending()),
    /// )?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When the server fails.
    pub async fn serve_http(
        &self,
        listener: TcpListener,
        stop: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let metrics = self.metrics();
        let health = Arc::new(Health {
            services: self.clone(),
            running: Mutex::default(),
        });
        let router = Router::new()
            .route(
                "/metrics",
                get(async move || ([(header::CONTENT_TYPE, OPENMETRICS)], metrics.encode())),
            )
            .route("/healthz", get(async move || health.answer().await));
        if let Ok(address) = listener.local_addr() {
            info!(driver = self.name(), %address, "serving metrics and health");
        }
        tokio::select! {
            served = axum::serve(listener, router) => served.map_err(ServeError::Http),
            () = stop => Ok(()),
        }
    }
}

type Probed = Result<Response<ProbeResponse>, Status>;

/// Asks the driver whether it is ready.
struct Health {
    services: Services,
    /// One that hangs is waited for anew by each request: they don't start more and more of them.
    running: Mutex<Option<JoinHandle<Probed>>>,
}

impl Health {
    async fn answer(&self) -> (StatusCode, String) {
        let text = match timeout(PROBE, self.probe()).await {
            Ok(Ok(true)) => return (StatusCode::OK, "ok\n".to_owned()),
            Ok(Ok(false)) => "the driver isn't ready".to_owned(),
            Ok(Err(status)) => format!("the driver's probe failed: {:?}", status.code()),
            Err(_) => format!("the driver's probe took more than {PROBE:?}"),
        };
        warn!(driver = self.services.name(), "{text}");
        (StatusCode::INTERNAL_SERVER_ERROR, text + "\n")
    }

    async fn probe(&self) -> Result<bool, Status> {
        let mut running = self.running.lock().await;
        // What ended before somebody asked is too old.
        running.take_if(|probe| probe.is_finished());
        let services = self.services.clone();
        let probe = running.get_or_insert_with(|| {
            tokio::spawn(async move { services.probe(Request::new(ProbeRequest {})).await })
        });
        let answer = probe.await;
        *running = None;
        let stopped = |_| Status::unavailable("the driver has stopped");
        let answer = answer.map_err(stopped)??;
        Ok(answer.into_inner().ready.unwrap_or(true))
    }
}
