//! Kinds in Kubernetes' protobuf.

mod fixtures;
mod random;
