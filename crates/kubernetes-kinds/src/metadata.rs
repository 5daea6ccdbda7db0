use k8s_openapi::Metadata;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

/// Returns metadata with a name.
pub fn named(name: impl Into<String>) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.into()),
        ..ObjectMeta::default()
    }
}

/// Returns metadata with a name and a namespace.
pub fn named_in(name: impl Into<String>, namespace: impl Into<String>) -> ObjectMeta {
    ObjectMeta {
        namespace: Some(namespace.into()),
        ..named(name)
    }
}

/// Returns metadata under the name and in the namespace of other metadata, where it has none of its
/// own. With `generateName` it needs no name.
#[inline]
pub fn named_as(other: ObjectMeta, metadata: ObjectMeta) -> ObjectMeta {
    let has_name = metadata.name.is_some() || metadata.generate_name.is_some();
    ObjectMeta {
        name: if has_name { metadata.name } else { other.name },
        namespace: metadata.namespace.or(other.namespace),
        ..metadata
    }
}

/// Builder methods for the metadata of any kind.
///
/// ```
/// use kubernetes_kinds::WithMetadata;
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// let map = ConfigMap::default()
///     .with_name("settings")
///     .with_namespace("kube-system")
///     .with_label("app", "storage");
/// assert_eq!(map.metadata.namespace.as_deref(), Some("kube-system"));
/// ```
pub trait WithMetadata: Metadata<Ty = ObjectMeta> + Sized {
    /// Sets `metadata.name`.
    #[must_use]
    fn with_name(mut self, name: impl Into<String>) -> Self {
        self.metadata_mut().name = Some(name.into());
        self
    }

    /// Sets `metadata.generateName`, the prefix from which the server makes a unique name.
    /// The server ignores it if `metadata.name` is set, so this clears `metadata.name`.
    #[must_use]
    fn with_generate_name(mut self, prefix: impl Into<String>) -> Self {
        let metadata = self.metadata_mut();
        metadata.name = None;
        metadata.generate_name = Some(prefix.into());
        self
    }

    /// Sets `metadata.namespace`. Only namespaced kinds may have one.
    #[must_use]
    fn with_namespace(mut self, namespace: impl Into<String>) -> Self {
        self.metadata_mut().namespace = Some(namespace.into());
        self
    }

    /// Adds one label, or replaces its value.
    #[must_use]
    fn with_label(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        let labels = self.metadata_mut().labels.get_or_insert_default();
        labels.insert(key.into(), value.into());
        self
    }

    /// Adds one annotation, or replaces its value.
    #[must_use]
    fn with_annotation(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        let annotations = self.metadata_mut().annotations.get_or_insert_default();
        annotations.insert(key.into(), value.into());
        self
    }

    /// Adds a finalizer, unless the object has it: the server keeps a deleted object until its last
    /// finalizer is removed.
    #[must_use]
    fn with_finalizer(mut self, finalizer: impl Into<String>) -> Self {
        let (finalizers, finalizer) = (
            self.metadata_mut().finalizers.get_or_insert_default(),
            finalizer.into(),
        );
        if !finalizers.contains(&finalizer) {
            finalizers.push(finalizer);
        }
        self
    }

    /// Adds an owner, or replaces the reference to the owner of the same UID; see
    /// [`build::owner_reference`](crate::build::owner_reference).
    #[must_use]
    fn with_owner_reference(mut self, owner: impl Into<OwnerReference>) -> Self {
        let owners = self.metadata_mut().owner_references.get_or_insert_default();
        let owner = owner.into();
        match owners.iter_mut().find(|other| other.uid == owner.uid) {
            Some(other) => *other = owner,
            None => owners.push(owner),
        }
        self
    }
}

impl<T: Metadata<Ty = ObjectMeta>> WithMetadata for T {}
