//! Support for the tests and benchmarks that hold the generated crates to their promises.
//!
//! * [`kind`] says what a test may ask of every kind, and makes tests of each; the kinds are
//!   those of `storage_all`. One of another group needs objects and [`facts`], and nothing else.
//! * [`arbitrary`] makes random objects, [`samples`] fixed ones with every field set, and
//!   [`older`] turns both into those of older versions.
//! * [`doc`] is a value in which a field may stand more than once.
//! * [`valid`] makes random objects that a server accepts.
//! * [`facts`] says what Kubernetes says of each kind.
//! * [`fixtures`] finds Kubernetes' own fixtures, where they are at hand.
//! * [`rules`] asks what a server would say of an object.
//! * [`server`] is a small API server in this process, for tests with a real client.
//! * [`measure`] measures two things against each other, for benchmarks.
//! * [`workload`] makes long lists like those of a busy cluster, for benchmarks.

pub mod arbitrary;
pub mod doc;
pub mod facts;
pub mod fixtures;
pub mod kind;
pub mod measure;
pub mod older;
pub mod rules;
pub mod samples;
pub mod server;
pub mod valid;
pub mod workload;

/// Runs the examples of the repository's README as tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
