//! The names of the runtime crates that generated code uses, and the features of a generated crate.

use std::fmt;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, TokenStreamExt};

use crate::config::Part;

/// A run-time crate. In tokens and in text it is the name that code uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runtime {
    /// The name of its package.
    pub(super) package: &'static str,
    library: &'static str,
}

/// Reading, writing, metadata, conversion, apply: what every generated crate needs.
pub(super) const KINDS: Runtime = Runtime {
    package: "kubernetes-kinds",
    library: "kubernetes_kinds",
};

/// Manifests, which [`Feature::Manifests`] brings.
pub(super) const MANIFESTS: Runtime = Runtime {
    package: "kubernetes-manifests",
    library: "kubernetes_manifests",
};

/// Defaults and checks, which [`Feature::Validation`] brings.
pub(super) const VALIDATION: Runtime = Runtime {
    package: "kubernetes-validation",
    library: "kubernetes_validation",
};

/// kube's trait for definitions, which [`Feature::Definition`] brings. It isn't one of ours.
pub(super) const KUBE: Runtime = Runtime {
    package: "kube-core",
    library: "kube_core",
};

impl ToTokens for Runtime {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append(Ident::new(self.library, Span::call_site()));
    }
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.library)
    }
}

/// A cargo feature of a generated crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    /// The types for server-side apply.
    Apply,
    /// Conversion from and to types of k8s-openapi.
    Counterparts,
    /// The definitions of custom resources.
    Definition,
    /// Registration of the kinds.
    Manifests,
    /// Merging of objects.
    Merge,
    /// Kubernetes' protobuf.
    Protobuf,
    /// JSON Schemas.
    Schemars,
    /// Defaults and checks.
    Validation,
}

impl Feature {
    /// All of them, sorted.
    pub(super) const ALL: [Self; 8] = [
        Self::Apply,
        Self::Counterparts,
        Self::Definition,
        Self::Manifests,
        Self::Merge,
        Self::Protobuf,
        Self::Schemars,
        Self::Validation,
    ];

    /// Its name in `Cargo.toml`.
    pub(super) const fn name(self) -> &'static str {
        self.part().name()
    }

    /// The part of the crate that it is.
    pub(super) const fn part(self) -> Part {
        match self {
            Self::Apply => Part::Apply,
            Self::Counterparts => Part::K8sOpenapiTypes,
            Self::Definition => Part::Definition,
            Self::Manifests => Part::Manifests,
            Self::Merge => Part::Merge,
            Self::Protobuf => Part::Protobuf,
            Self::Schemars => Part::Schemars,
            Self::Validation => Part::Validation,
        }
    }

    /// The features that it needs of crates on which all generated ones depend.
    pub(super) const fn needs(self) -> &'static [&'static str] {
        match self {
            Self::Counterparts => &["kubernetes-kinds/k8s-openapi-types"],
            Self::Merge => &["kubernetes-kinds/merge"],
            Self::Protobuf => &["kubernetes-kinds/protobuf"],
            Self::Schemars => &["k8s-openapi/schemars", "kubernetes-kinds/schemars"],
            Self::Apply | Self::Definition | Self::Manifests | Self::Validation => &[],
        }
    }

    /// The run-time crate that it brings.
    pub(super) const fn runtime(self) -> Option<Runtime> {
        match self {
            Self::Apply | Self::Counterparts | Self::Merge | Self::Protobuf | Self::Schemars => {
                None
            }
            Self::Definition => Some(KUBE),
            Self::Manifests => Some(MANIFESTS),
            Self::Validation => Some(VALIDATION),
        }
    }

    /// Describes the additions, for documentation.
    pub(super) fn adds(self) -> String {
        match self {
            Self::Apply => "types for server-side apply, in `apply`".to_owned(),
            Self::Counterparts => {
                "`From` and `TryFrom` from and to the types of `k8s_openapi` of the same \
                 name"
                    .to_owned()
            }
            Self::Definition => {
                "`CustomResourceExt` of `kube`, which has the definition of a kind, and \
                                 its text in `DEFINITION` of the kind"
                    .to_owned()
            }
            Self::Manifests => {
                format!("`add_to_scheme`, with which `{MANIFESTS}` reads any version of the kinds")
            }
            Self::Merge => "`DeepMerge` of `k8s_openapi`, which merges objects as server-side \
                            apply does"
                .to_owned(),
            Self::Protobuf => format!(
                "Kubernetes' protobuf: `from_slice` and `to_vec` of `{KINDS}::protobuf` take the \
                 kinds"
            ),
            Self::Schemars => "`JsonSchema` of `k8s_openapi::schemars` for every type, for the \
                               parts of custom resources"
                .to_owned(),
            Self::Validation => {
                format!("the traits of `{VALIDATION}`: defaults and validation as in an API server")
            }
        }
    }

    /// The attribute of an item that only this feature brings.
    pub(super) fn gate(self) -> TokenStream {
        let name = self.name();
        quote::quote!(#[cfg(feature = #name)])
    }
}
