//! Run-time support of the generated Kubernetes API crates.
//!
//! * [`wire`] reads and writes JSON objects field by field, the way Kubernetes' own code
//!   does: absent and `null` mean the zero value, unknown fields are skipped, and
//!   `apiVersion` and `kind` are always written and always checked.
//! * [`UnknownValue`] is a value that an open enumeration does not know.
//! * [`FieldPath`] is the path of a field in an object.
//! * [`StatusSubresource`] marks the kinds whose status is written separately.
//! * [`Kind`] has the lifecycle of a kind, [`convert`] converts objects between versions.
//! * [`selectors`] matches label selectors.
//! * [`names`] checks the formats of names.
//! * [`quantity`] compares amounts such as `1Gi` and `1024Mi` by their value.
//! * [`apply`] supports server-side apply and extracts the fields that a field manager owns.
//! * `counterpart`, with the feature `k8s-openapi-types`, converts from and to types of
//!   k8s-openapi.
//! * [`Lean`] reads objects of a server without their `managedFields`, for caches.
//! * `merge`, with the feature `merge`, merges objects as server-side apply does.
//! * `schema` has what JSON Schemas of generated types need, with the feature `schemars`.
//! * `values`, with the feature `custom-resources`, has their numbers, times and quantities.
//! * `protobuf`, with the feature `protobuf`, reads and writes Kubernetes' protobuf.
//! * [`WithMetadata`] adds builder methods for metadata to every kind, [`build`] makes label
//!   selectors and owner references, [`conditions`] changes the conditions of a status.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod apply;
pub mod build;
pub mod conditions;
pub mod convert;
#[cfg(feature = "k8s-openapi-types")]
pub mod counterpart;
mod kind;
mod lean;
mod macros;
#[cfg(feature = "merge")]
pub mod merge;
mod metadata;
pub mod names;
pub mod path;
pub mod prelude;
#[cfg(feature = "protobuf")]
pub mod protobuf;
pub mod quantity;
#[cfg(feature = "schemars")]
pub mod schema;
pub mod selectors;
mod status;
mod unknown;
#[cfg(feature = "custom-resources")]
pub mod values;
pub mod wire;

pub use kind::{
    GroupResource, GroupVersion, GroupVersionKind, Kind, Lifecycle, ListMapKeys, Release,
    Replacement,
};
pub use lean::Lean;
#[doc(hidden)]
pub use macros::generated;
pub use metadata::{WithMetadata, named, named_as, named_in};
pub use path::{FieldPath, Segment};
pub use status::StatusSubresource;
pub use unknown::{ParseEnumError, UnknownValue};
