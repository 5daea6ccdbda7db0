//! The server for metrics and health.

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::metrics::Metrics;
use crate::state::RunState;

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Serves until the future is dropped.
pub(crate) async fn serve(
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
        tracing::error!(%error, "the server for metrics and health stopped");
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
