//! What the generated Kubernetes storage API crates share at run time.
//!
//! * [`wire`] reads and writes JSON objects field by field, the way Kubernetes' own code
//!   does: absent and `null` mean the zero value, unknown fields are skipped, and
//!   `apiVersion` and `kind` are always written and always checked.
//! * [`UnknownValue`] is what an open enumeration keeps of a value it does not know.
//! * [`StatusSubresource`] marks the kinds whose status is written separately.
//! * [`Kind`] tells when a kind came and went, [`convert`] brings objects into another version.
//! * [`labels`] matches selectors, [`topology`] nodes against classes and capacities.
//! * [`quantity`] compares amounts such as `1Gi` and `1024Mi` by what they stand for.
//! * [`apply`] is for server-side apply: what is sent, and what a field manager owns.
//! * [`scheme`] reads any registered version of a kind as the wanted one.
//! * [`strict`] reads and tells of fields that are unknown or stand twice.
//! * [`WithMetadata`] adds builder methods for names, labels and annotations to every kind.

pub mod apply;
pub mod convert;
mod kind;
pub mod labels;
mod metadata;
pub mod quantity;
pub mod scheme;
mod status;
pub mod strict;
pub mod topology;
mod unknown;
pub mod validation;
pub mod wire;

pub use kind::{
    GroupResource, GroupVersion, GroupVersionKind, Kind, Lifecycle, Release, Replacement,
};
pub use metadata::{WithMetadata, named, named_in};
pub use status::StatusSubresource;
pub use unknown::UnknownValue;
