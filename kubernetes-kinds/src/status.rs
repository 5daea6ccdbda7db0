use k8s_openapi::Resource;

/// A kind whose status is a subresource: the API server ignores `status` in writes to the
/// object itself and takes it only at `…/NAME/status`.
///
/// With kube, write it with `Api::patch_status` or `Api::replace_status`.
pub trait StatusSubresource: Resource {
    /// The type of the `status` field.
    type Status;

    /// The status, where the object has one.
    fn status(&self) -> Option<&Self::Status>;

    /// The status for changing; `None` inside means the object has none yet.
    fn status_mut(&mut self) -> &mut Option<Self::Status>;
}
