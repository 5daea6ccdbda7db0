//! Fields that k8s-openapi's types lack in older releases.

use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::core::v1 as api;
use serde::Deserialize;
use serde_json::json;

use crate::{Error, Result};

/// A field since Kubernetes 1.37, nothing before.
macro_rules! since_1_37 {
    ($(#[$doc:meta])* $name:ident($of:ty) -> $returns:ty, $field:ident) => {
        $(#[$doc])*
        pub(crate) fn $name(of: &$of) -> Option<$returns> {
            k8s_openapi::k8s_if_ge_1_37! {
                return of.$field;
            }
            k8s_openapi::k8s_if_le_1_36! {
                let _ = of;
                return None;
            }
        }
    };
}

since_1_37!(
    /// The mode of the directory.
    empty_dir_mode(api::EmptyDirVolumeSource) -> i32, mode
);
since_1_37!(
    /// The owner of the file.
    item_user(api::KeyToPath) -> i64, user
);
since_1_37!(
    /// The owner of the file.
    downward_api_user(api::DownwardAPIVolumeFile) -> i64, user
);
since_1_37!(
    /// The owner of the file.
    token_user(api::ServiceAccountTokenProjection) -> i64, user
);
since_1_37!(
    /// The default owner of the files.
    secret_user(api::SecretVolumeSource) -> i64, default_user
);
since_1_37!(
    /// The default owner of the files.
    config_map_user(api::ConfigMapVolumeSource) -> i64, default_user
);
since_1_37!(
    /// The default owner of the files.
    downward_api_default_user(api::DownwardAPIVolumeSource) -> i64, default_user
);
since_1_37!(
    /// The default owner of the files.
    projected_user(api::ProjectedVolumeSource) -> i64, default_user
);

since_1_37!(
    /// The owner of the file.
    trust_bundle_user(api::ClusterTrustBundleProjection) -> i64, user
);

/// The certificate of a Pod, as a source of a projected volume (Kubernetes 1.34).
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PodCertificate {
    pub(crate) credential_bundle_path: String,
    pub(crate) key_path: String,
    pub(crate) certificate_chain_path: String,
    pub(crate) user: Option<i64>,
}

/// Returns the certificate of a Pod, if the source is one.
pub(crate) fn pod_certificate(source: &api::VolumeProjection) -> Result<Option<PodCertificate>> {
    let source = serde_json::to_value(source).map_err(Error::other)?;
    let certificate = source.get("podCertificate").cloned();
    serde_json::from_value(certificate.unwrap_or_default()).map_err(Error::other)
}

/// Returns the request for a token that is valid as long as the Pod exists.
pub(crate) fn token_request(
    pod: &api::Pod,
    audience: Option<&str>,
    expiration_seconds: Option<i64>,
) -> Result<TokenRequest> {
    let audiences: Vec<&str> = audience.into_iter().collect();
    let request = json!({
        "metadata": {},
        "spec": {
            "audiences": audiences,
            "expirationSeconds": expiration_seconds,
            "boundObjectRef": {
                "apiVersion": "v1",
                "kind": "Pod",
                "name": pod.metadata.name,
                "uid": pod.metadata.uid,
            },
        },
    });
    serde_json::from_value(request).map_err(Error::other)
}

/// Returns the token of the answer, or an empty one.
pub(crate) fn token(answer: &TokenRequest) -> String {
    let answer = serde_json::to_value(answer).unwrap_or_default();
    let token = answer
        .pointer("/status/token")
        .and_then(serde_json::Value::as_str);
    token.unwrap_or_default().to_owned()
}
