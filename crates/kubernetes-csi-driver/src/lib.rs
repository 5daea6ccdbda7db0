#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod calls;
mod connection;
pub mod controller;
mod driver;
mod endpoint;
mod error;
pub mod group;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "manifests")]
mod manifests;
mod mask;
pub mod metadata;
#[cfg(feature = "http")]
mod metrics;
pub mod model;
pub mod mounts;
pub mod node;
mod probe;
mod registration;
pub mod request;
mod serve;
mod service;

pub use driver::{DeclarationError, Driver, Growth};
pub use endpoint::{Access, Endpoint, EndpointError};
pub use error::{Error, Result};
pub use kubernetes_csi as csi;
pub use kubernetes_csi::Secrets;
#[cfg(feature = "http")]
pub use metrics::{Measured, Metrics};
pub use probe::Probe;
/// The library of metrics, in the version of [`Metrics::register`].
#[cfg(feature = "http")]
pub use prometheus_client;
pub use registration::KubeletRegistration;
pub use serve::{ServeError, stop_signal};
pub use service::Services;
/// The types of [`Services::csi_driver`] and [`Services::storage_class`].
#[cfg(feature = "manifests")]
pub use storage_v1;
pub use tonic::{Code, async_trait};
