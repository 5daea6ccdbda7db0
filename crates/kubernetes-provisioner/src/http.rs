//! The server for metrics and health.

use std::net::SocketAddr;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tracing::{error, info};

use crate::metrics::Metrics;
use crate::options::Settings;
use crate::state::{RunError, RunState};

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Starts the server, unless the port is zero. It ends when the set is dropped.
pub(crate) async fn listen(
    settings: &Settings,
    metrics: &Metrics,
    state: &watch::Sender<RunState>,
) -> Result<JoinSet<()>, RunError> {
    let mut server = JoinSet::new();
    if settings.metrics_port == 0 {
        return Ok(server);
    }
    let address = SocketAddr::new(settings.metrics_address, settings.metrics_port);
    let listener = TcpListener::bind(address)
        .await
        .map_err(|source| RunError::Listen { address, source })?;
    let path = settings.metrics_path.clone();
    server.spawn(serve(listener, path, metrics.clone(), state.subscribe()));
    info!(%address, "serving metrics and health");
    Ok(server)
}

async fn serve(
    listener: TcpListener,
    path: String,
    metrics: Metrics,
    state: watch::Receiver<RunState>,
) {
    let ready = state.clone();
    let router = Router::new()
        .route(
            &path,
            get(async move || ([(header::CONTENT_TYPE, OPENMETRICS)], metrics.encode())),
        )
        .route(
            "/healthz",
            get(async move || answer(&state, RunState::is_healthy)),
        )
        .route(
            "/readyz",
            get(async move || answer(&ready, RunState::is_ready)),
        );
    if let Err(error) = axum::serve(listener, router).await {
        error!(%error, "the server for metrics and health stopped");
    }
}

fn answer(
    state: &watch::Receiver<RunState>,
    is_good: fn(RunState) -> bool,
) -> impl IntoResponse + use<> {
    let state = *state.borrow();
    let status = if is_good(state) {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    (status, format!("{state}\n"))
}
