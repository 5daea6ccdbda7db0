//! A validating and defaulting admission webhook for the kinds of storage.k8s.io/v1.
//!
//! ```text
//! cargo run -p examples --bin webhook -- --cert webhook.crt --key webhook.key --release 1.36
//! ```
//!
//! | path | answers with |
//! |---|---|
//! | `/validate` | all errors of an object, as an API server of the release has them, or warnings |
//! | `/default` | a JSON patch of the defaults that are unset |
//!
//! Both add the policy of the cluster, which is the trait [`Policy`] below: change it to your own.
//! `examples/manifests/webhook.yaml` registers the webhook, and docs/admission.md has all commands.

use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use axum_server::Handle;
use axum_server::tls_rustls::RustlsConfig;
use clap::Parser;
use kube::core::admission::{AdmissionRequest, AdmissionResponse, AdmissionReview};
use kube::core::{DynamicObject, GroupVersionKind};
use kubernetes_kinds::Release;
use kubernetes_validation::{Checker, Path, Target, Validate, admission};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use storage_v1::{
    CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment, VolumeAttributesClass,
};
use tokio::signal::unix::{SignalKind, signal};
use tracing::info;

/// Validates and defaults objects of storage.k8s.io/v1 for an API server
#[derive(Parser)]
struct Options {
    /// The certificate chain of the webhook, as PEM
    #[arg(long, value_name = "FILE")]
    cert: PathBuf,

    /// The private key of the certificate, as PEM
    #[arg(long, value_name = "FILE")]
    key: PathBuf,

    /// The address to listen at
    #[arg(long, default_value = "0.0.0.0:8443")]
    listen: SocketAddr,

    /// The release of Kubernetes whose rules apply, such as 1.36
    #[arg(long, default_value_t = storage_v1::KUBERNETES, value_parser = release)]
    release: Release,
}

fn release(text: &str) -> Result<Release, String> {
    let minor = text.strip_prefix("1.").and_then(|minor| minor.parse().ok());
    let example = storage_v1::KUBERNETES;
    minor
        .map(|minor| Release::new(1, minor))
        .ok_or(format!("write it as {example}"))
}

/// The policy of a cluster for a kind, in addition to the rules and defaults of Kubernetes.
trait Policy {
    /// Checks an object whose defaults are set.
    fn check(&self, _to: &mut Checker<'_>) {}

    /// Sets defaults after those of Kubernetes.
    fn set_defaults(&mut self) {}
}

impl Policy for StorageClass {
    /// Refuses passwords in parameters, which everybody can read who can read classes.
    fn check(&self, to: &mut Checker<'_>) {
        let at = Path::ROOT.field("parameters");
        for name in self.parameters.iter().flatten().map(|(name, _)| name) {
            if name.to_lowercase().ends_with("password") {
                let message = "keep it in a Secret, and name the Secret here";
                to.forbidden(at.key(name), "no-password", message);
            }
        }
    }

    /// Lets volumes grow, unless the class says otherwise.
    fn set_defaults(&mut self) {
        self.allow_volume_expansion.get_or_insert(true);
    }
}

impl Policy for CSIDriver {}
impl Policy for CSINode {}
impl Policy for CSIStorageCapacity {}
impl Policy for VolumeAttachment {}
impl Policy for VolumeAttributesClass {}

/// The function of the webhook that a path names.
#[derive(Clone, Copy, Debug)]
enum Task {
    Validate,
    Default,
}

/// An answer, or the reason why the request isn't one of an API server.
type Answer = Result<AdmissionResponse, Box<dyn Error>>;

/// Answers in the type that the kind of the request has.
fn answer(review: Value, task: Task, target: &Target) -> Answer {
    let kind = GroupVersionKind::deserialize(&review["request"]["kind"])?;
    let of_kind = match (kind.api_version().as_str(), kind.kind.as_str()) {
        ("storage.k8s.io/v1", "CSIDriver") => answer_for::<CSIDriver>,
        ("storage.k8s.io/v1", "CSINode") => answer_for::<CSINode>,
        ("storage.k8s.io/v1", "CSIStorageCapacity") => answer_for::<CSIStorageCapacity>,
        ("storage.k8s.io/v1", "StorageClass") => answer_for::<StorageClass>,
        ("storage.k8s.io/v1", "VolumeAttachment") => answer_for::<VolumeAttachment>,
        ("storage.k8s.io/v1", "VolumeAttributesClass") => answer_for::<VolumeAttributesClass>,
        _ => accept_unknown,
    };
    of_kind(review, task, target)
}

fn answer_for<K>(review: Value, task: Task, target: &Target) -> Answer
where
    K: Validate + Policy + kube::Resource + Serialize + DeserializeOwned,
{
    let review: AdmissionReview<K> = serde_json::from_value(review)?;
    let request: AdmissionRequest<K> = review.try_into()?;
    let response = match task {
        Task::Validate => admission::validate_with(&request, target, Policy::check),
        Task::Default => admission::default_with(&request, target, Policy::set_defaults),
    };
    let (name, allowed) = (&request.name, response.allowed);
    info!(
        "{task:?} {:?} {} {name:?}: allowed {allowed}",
        request.operation,
        K::KIND
    );
    Ok(response)
}

/// Accepts an object of another kind or version, with a warning.
fn accept_unknown(review: Value, _: Task, _: &Target) -> Answer {
    let review: AdmissionReview<DynamicObject> = serde_json::from_value(review)?;
    let request: AdmissionRequest<DynamicObject> = review.try_into()?;
    let (api_version, kind) = (request.kind.api_version(), &request.kind.kind);
    let warning = format!("the storage webhook has no rules for {api_version} {kind}");
    let mut response = AdmissionResponse::from(&request);
    response.warnings = Some(vec![warning]);
    Ok(response)
}

async fn serve(options: Options) -> Result<(), Box<dyn Error>> {
    let (listen, release) = (options.listen, options.release);
    let target = Arc::new(Target::new(release));
    let handler = |task| {
        post(
            async move |State(target): State<Arc<Target>>, Json(review)| {
                answer(review, task, &target)
                    .map(|response| Json(response.into_review()))
                    .map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()))
            },
        )
    };
    let app = Router::new()
        .route("/validate", handler(Task::Validate))
        .route("/default", handler(Task::Default))
        // A server takes objects of 3 MiB, and an update has two of them.
        .layer(DefaultBodyLimit::max(8 << 20))
        .with_state(target);

    // Nothing is installed yet, so this doesn't fail.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (cert, key) = (options.cert.display(), options.key.display());
    let tls = RustlsConfig::from_pem_file(&options.cert, &options.key).await;
    let tls = tls.map_err(|error| format!("can't serve with {cert} and {key}: {error}"))?;
    let mut terminated = signal(SignalKind::terminate())?;
    let handle = Handle::new();
    let server = axum_server::bind_rustls(listen, tls).handle(handle.clone());
    tokio::spawn(async move {
        if let Some(address) = handle.listening().await {
            info!("listening on https://{address}, rules of Kubernetes {release}");
        }
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated.recv() => {}
        }
        info!("stopping");
        handle.graceful_shutdown(Some(Duration::from_secs(10)));
    });
    let served = server.serve(app.into_make_service()).await;
    served.map_err(|error| format!("can't listen at {listen}: {error}").into())
}

#[tokio::main]
async fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .init();
    match serve(Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
