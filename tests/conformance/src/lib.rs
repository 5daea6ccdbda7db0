//! Support for the tests and benchmarks of the generated crates.
//!
//! * [`kind`] has the trait that tests use of every kind, and makes tests of each; the kinds are
//!   those of `storage_all`. A kind of another group needs objects and [`facts`].
//! * [`arbitrary`] makes random objects, [`samples`] fixed objects with every field set, and
//!   [`older`] converts both to older versions.
//! * [`doc`] is a JSON value in which a field may occur more than once.
//! * [`valid`] makes random objects that a server accepts.
//! * [`facts`] has the names, scope and lifecycle of each kind, for the API server of
//!   `kubernetes_test_apiserver` too.
//! * [`fixtures`] finds Kubernetes' own fixtures, if they are available.
//! * [`related`] makes pairs of objects that have parts in common.
//! * [`rules`] validates variations of an object.
//! * [`measure`] compares the speed of two functions, for benchmarks.
//! * [`varint`] writes a number of protobuf, for damaged input.
//! * [`workload`] makes long lists like those of a busy cluster, for benchmarks.

pub mod arbitrary;
pub mod doc;
mod documents;
pub mod facts;
pub mod fixtures;
mod group_snapshots;
pub mod kind;
pub mod measure;
pub mod older;
mod random;
pub mod related;
pub mod rules;
pub mod samples;
mod snapshots;
pub mod valid;
mod varint;
mod volumes;
pub mod workload;

pub use varint::varint;

/// Runs the examples in the repository's documentation as tests.
#[cfg(doctest)]
pub mod documentation {
    #[doc = include_str!("../../../README.md")]
    pub struct Readme;
    #[doc = include_str!("../../../core-v1/README.md")]
    pub struct CoreV1;
    #[doc = include_str!("../../../groupsnapshot-v1/README.md")]
    pub struct GroupsnapshotV1;
    #[doc = include_str!("../../../crates/kubernetes-kinds/README.md")]
    pub struct KubernetesKinds;
    #[doc = include_str!("../../../snapshot-v1/README.md")]
    pub struct SnapshotV1;
    #[doc = include_str!("../../../storage-all/README.md")]
    pub struct StorageAll;
    #[doc = include_str!("../../../storage-v1/README.md")]
    pub struct StorageV1;
    #[doc = include_str!("../../../storage-v1alpha1/README.md")]
    pub struct StorageV1alpha1;
    #[doc = include_str!("../../../storage-v1beta1/README.md")]
    pub struct StorageV1beta1;
    #[doc = include_str!("../../../docs/admission.md")]
    pub struct Admission;
    #[doc = include_str!("../../../docs/apply.md")]
    pub struct Apply;
    #[doc = include_str!("../../../docs/caches.md")]
    pub struct Caches;
    #[doc = include_str!("../../../docs/conversion.md")]
    pub struct Conversion;
    #[doc = include_str!("../../../docs/custom-resources.md")]
    pub struct CustomResources;
    #[doc = include_str!("../../../docs/from-k8s-openapi.md")]
    pub struct FromK8sOpenapi;
    #[doc = include_str!("../../../docs/generating.md")]
    pub struct Generating;
    #[doc = include_str!("../../../docs/protobuf.md")]
    pub struct Protobuf;
    #[doc = include_str!("../../../docs/strict-reading.md")]
    pub struct StrictReading;
    #[doc = include_str!("../../../docs/testing.md")]
    pub struct Testing;
    #[doc = include_str!("../../../docs/topology.md")]
    pub struct Topology;
    #[doc = include_str!("../../../docs/upgrading.md")]
    pub struct Upgrading;
    #[doc = include_str!("../../../docs/validation.md")]
    pub struct Validation;
}
