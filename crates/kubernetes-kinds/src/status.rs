use k8s_openapi::Resource;

/// A kind whose status is a subresource: the API server ignores `status` in writes to the
/// object itself and takes it only at `…/NAME/status`.
///
/// With kube, write it with `Api::patch_status` or `Api::replace_status`.
pub trait StatusSubresource: Resource {
    /// The type of the `status` field.
    type Status;

    /// Returns the status, if the object has one.
    fn status(&self) -> Option<&Self::Status>;

    /// Returns a mutable reference to the status; it is `None` if the object has no status.
    fn status_mut(&mut self) -> &mut Option<Self::Status>;
}
