//! Schemas compared with Kubernetes' own files.

mod definitions;
mod fixtures;
