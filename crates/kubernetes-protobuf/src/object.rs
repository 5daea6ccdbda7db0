//! The kinds that have protobuf.

use std::fmt::Debug;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::{ListableResource, Metadata};
use kubernetes_kinds::protobuf::{Field, Message};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A kind that can be read and written as protobuf, and as JSON where a server has no protobuf.
///
/// Kinds of generated crates with the feature `protobuf` are objects, and `Lean` of them. Custom
/// resources aren't: servers have JSON only for them, which [`kube::Api`] reads.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no protobuf",
    note = "kinds of generated crates have it with the feature `protobuf` of their crate",
    note = "no server has it for custom resources: use `kube::Api` for them"
)]
pub trait Object:
    ListableResource
    + Metadata<Ty = ObjectMeta>
    + Message
    + Field
    + Serialize
    + DeserializeOwned
    + Clone
    + Debug
    + Send
    + Sync
    + 'static
{
}

// So that the compiler names this trait, and not each of those that it consists of.
#[diagnostic::do_not_recommend]
impl<K> Object for K where
    K: ListableResource
        + Metadata<Ty = ObjectMeta>
        + Message
        + Field
        + Serialize
        + DeserializeOwned
        + Clone
        + Debug
        + Send
        + Sync
        + 'static
{
}
