//! Trust anchors from ClusterTrustBundles.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kubernetes_kinds::selectors;

use super::pem;
use crate::{Error, Result};

/// A ClusterTrustBundle of any version of `certificates.k8s.io`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustBundle {
    /// The name of the object.
    pub name: String,
    /// The labels of the object, by which a selector finds it.
    pub labels: BTreeMap<String, String>,
    /// The signer (`spec.signerName`), or an empty text.
    pub signer_name: String,
    /// The certificates in PEM (`spec.trustBundle`).
    pub trust_bundle: String,
}

/// The versions have the same fields.
macro_rules! from_version {
    ($version:ident) => {
        impl From<k8s_openapi::api::certificates::$version::ClusterTrustBundle> for TrustBundle {
            fn from(bundle: k8s_openapi::api::certificates::$version::ClusterTrustBundle) -> Self {
                Self {
                    name: bundle.metadata.name.unwrap_or_default(),
                    labels: bundle.metadata.labels.unwrap_or_default(),
                    signer_name: bundle.spec.signer_name.unwrap_or_default(),
                    trust_bundle: bundle.spec.trust_bundle,
                }
            }
        }
    };
}

from_version!(v1beta1);
k8s_openapi::k8s_if_ge_1_37! {
    from_version!(v1);
}

/// The bundles of a cluster.
pub(super) type Bundles = Arc<dyn Fn() -> Result<Vec<Arc<TrustBundle>>> + Send + Sync>;

/// Returns the anchors of the bundle with a name, or none if it may be missing.
pub(super) fn by_name(
    bundles: &[Arc<TrustBundle>],
    name: &str,
    allow_missing: bool,
    node: &str,
) -> Result<Vec<u8>> {
    let found: Vec<_> = bundles
        .iter()
        .filter(|bundle| bundle.name == name)
        .collect();
    if found.is_empty() && !allow_missing {
        return Err(Error::NotFound {
            kind: "clustertrustbundle",
            name: name.to_owned(),
        });
    }
    Ok(anchors(&found, node))
}

/// Returns the anchors of the bundles of a signer with some labels, or none if there may be none.
pub(super) fn by_signer(
    bundles: &[Arc<TrustBundle>],
    signer: &str,
    selector: Option<&LabelSelector>,
    allow_missing: bool,
    node: &str,
) -> Result<Vec<u8>> {
    let mut found = Vec::new();
    // Without a selector, no bundle is selected.
    if let Some(selector) = selector {
        for bundle in bundles {
            let matches = selectors::matches(selector, &bundle.labels).map_err(Error::other)?;
            if matches && bundle.signer_name == signer {
                found.push(bundle);
            }
        }
    }
    if found.is_empty() && !allow_missing {
        return Err(Error::invalid(format!(
            "no clustertrustbundle of the signer {signer:?} has the labels that are selected"
        )));
    }
    Ok(anchors(&found, node))
}

/// Returns each certificate once. Their order is another one on each node, so that nobody can rely
/// on it, and stays as it is, so that no file changes for it.
fn anchors(bundles: &[&Arc<TrustBundle>], node: &str) -> Vec<u8> {
    let blocks = bundles
        .iter()
        .flat_map(|bundle| pem::blocks(&bundle.trust_bundle));
    let blocks: BTreeSet<_> = blocks.collect();
    let mut blocks: Vec<_> = blocks.into_iter().collect();
    blocks.sort_by_cached_key(|block| {
        let mut hasher = DefaultHasher::new();
        (node, block).hash(&mut hasher);
        hasher.finish()
    });
    pem::certificates(blocks)
}
