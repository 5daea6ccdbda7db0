//! A Kubernetes API server in the process, with faults on demand, for tests.
//!
//! A [`Server`] is reached over real TCP on this host, with any client. It keeps objects as
//! JSON and behaves like a server of Kubernetes 1.37 as far as clients can see:
//!
//! * names that are generated, UIDs and times; resource versions and conflicts; preconditions
//!   of deletion; finalizers; status subresources; generations of custom resources;
//! * merge patches, JSON patches and server-side apply; an update that changes nothing leaves
//!   the resource version as it is;
//! * lists with selectors and consistent pages; deletion of collections;
//! * watches with bookmarks and initial events, from any version that is still known;
//! * formats of requests and answers, as for a custom resource: a body in protobuf is answered with
//!   415 and protobuf alone as the answer with 406; a client that accepts JSON too gets that.
//!
//! Tests make it fail: [`Server::inject`] refuses, delays or breaks chosen requests,
//! [`Server::pause`] takes the server away, [`Server::forbid`] takes permissions away and
//! [`Server::compact`] makes resource versions expire. [`Server::count`] and
//! [`Server::take_requests`] return the requests of clients, but for those refused for their
//! format.
//!
//! It has no controllers: nothing binds claims but [`binder::bind`], and nothing collects
//! garbage. It doesn't set defaults, and validates nothing but metadata. Namespaces need not
//! exist. Events of the core group and of `events.k8s.io` are different objects. Applying sets
//! the fields that are sent, but keeps no field managers. Strategic merge patches and dry runs are
//! refused.
//!
//! | item | purpose |
//! |---|---|
//! | [`Server`] | the server, and direct access to its objects |
//! | [`Fault`], [`FaultRule`] | failing requests |
//! | [`Request`] | a request of a client |
//! | [`ResourceType`] | a kind of the server |
//! | [`Refusal`] | the error of direct access, as the server would answer |
//! | [`binder`] | binding claims and releasing volumes |
//!
//! ```
//! use k8s_openapi::api::coordination::v1::Lease;
//! use kube::api::{Api, PostParams};
//! use kubernetes_test_apiserver::{Fault, FaultRule, Server};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::start().await?;
//! let leases: Api<Lease> = Api::namespaced(server.client(), "default");
//! server.inject(FaultRule::new(Fault::BreakAfter).verb("create").times(1));
//!
//! let mut lease = Lease::default();
//! lease.metadata.name = Some("leader".to_owned());
//! let created = leases.create(&PostParams::default(), &lease).await;
//! assert!(created.is_err());
//! assert!(server.get::<Lease>(Some("default"), "leader").is_ok());
//! assert_eq!(server.count("create", "leases"), 1);
//! # Ok(())
//! # }
//! ```

pub mod binder;
mod collection;
mod fault;
mod http;
mod list;
mod listener;
mod media;
mod metadata;
mod query;
mod refusal;
mod request;
mod resource;
mod selector;
mod server;
mod shared;
mod store;
mod target;
mod typed;
mod watch;

pub use fault::{Fault, FaultRule};
pub use refusal::Refusal;
pub use request::Request;
pub use resource::ResourceType;
pub use server::Server;

/// The example of the README is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
