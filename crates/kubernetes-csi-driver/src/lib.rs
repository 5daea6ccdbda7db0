#![doc = include_str!("../README.md")]

mod calls;
pub mod controller;
mod driver;
mod endpoint;
mod error;
pub mod group;
mod mask;
pub mod metadata;
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
pub use probe::Probe;
pub use registration::KubeletRegistration;
pub use serve::ServeError;
pub use service::Services;
pub use tonic::{Code, async_trait};
