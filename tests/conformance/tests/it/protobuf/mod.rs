//! Kinds in Kubernetes' protobuf.

mod fixtures;
mod oracle;
mod random;
