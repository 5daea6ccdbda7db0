//! The releases and types that k8s-openapi has.

use serde::Deserialize;

use super::{Config, DocumentConfig, Report};
use crate::model::K8sOpenapiModule;
use crate::name::RustPath;
use crate::release::Release;

/// The releases of Kubernetes that k8s-openapi can be built for.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct K8sOpenapi {
    /// The first one.
    pub oldest: Release,
    /// The last one.
    pub newest: Release,
}

impl Config {
    /// The module of k8s-openapi with the types of a document, if the configuration names one. The
    /// document that is read can be of an earlier release.
    pub(crate) fn home(
        &self,
        document: &DocumentConfig,
        release: Release,
    ) -> Option<K8sOpenapiModule> {
        let K8sOpenapi { oldest, newest } = self.k8s_openapi?;
        Some(K8sOpenapiModule {
            path: document.k8s_openapi.clone()?,
            prefix: document.prefix.clone(),
            release: release.min(document.release),
            oldest,
            newest,
        })
    }

    pub(super) fn check_homes(&self, report: Report<'_>) {
        if let Some(K8sOpenapi { oldest, newest }) = self.k8s_openapi
            && oldest > newest
        {
            report(
                format!("k8s-openapi can't have releases from {oldest} to {newest}"),
                "correct `oldest` or `newest` of [k8s-openapi]",
            );
        }
        for document in self.crates.iter().flat_map(|krate| &krate.documents) {
            let Some(path) = &document.k8s_openapi else {
                continue;
            };
            if RustPath::below(path, "Type").is_none() {
                report(
                    format!("`{}` is not a Rust path", path.escape_debug()),
                    "write a module path such as `k8s_openapi::api::storage::v1`",
                );
            }
            match self.k8s_openapi {
                None => report(
                    format!("{} says where k8s-openapi has its types", document.file),
                    "say which releases k8s-openapi has: [k8s-openapi] with `oldest` and \
                     `newest`",
                ),
                Some(K8sOpenapi { oldest, .. }) if document.release < oldest => report(
                    format!(
                        "{} is of {}, and k8s-openapi has no release before {oldest}",
                        document.file, document.release
                    ),
                    "take its `k8s-openapi` out",
                ),
                Some(_) => {}
            }
        }
    }
}
