//! The target of a request.

use crate::ResourceType;
use crate::collection::Key;

/// The kind, namespace and object of a path.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) resource: ResourceType,
    /// The place of the kind in the store.
    pub(crate) index: usize,
    /// `None` for cluster-scoped kinds, and for requests across all namespaces.
    pub(crate) namespace: Option<String>,
    /// `None` for the collection.
    pub(crate) name: Option<String>,
    /// Set if the path ends in `/status`.
    pub(crate) status: bool,
}

impl Target {
    pub(crate) fn key(&self, name: &str) -> Key {
        (self.namespace.clone().unwrap_or_default(), name.to_owned())
    }

    /// The name of the object, or the empty string for the collection.
    pub(crate) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// Returns true if this collection has the object at `key`.
    pub(crate) fn covers(&self, key: &Key) -> bool {
        self.namespace
            .as_ref()
            .is_none_or(|namespace| *namespace == key.0)
    }

    /// The collection that the object is in.
    pub(crate) fn collection(&self) -> Self {
        Self {
            name: None,
            status: false,
            ..self.clone()
        }
    }

    /// The object of that name in this collection.
    pub(crate) fn named(&self, name: &str) -> Self {
        Self {
            name: Some(name.to_owned()),
            ..self.clone()
        }
    }

    /// The resource as rules of RBAC name it, such as `persistentvolumeclaims/status`.
    pub(crate) fn requested(&self) -> String {
        let plural = self.resource.plural;
        if self.status {
            format!("{plural}/status")
        } else {
            plural.to_owned()
        }
    }

    /// The verb of a request with this method, as rules of RBAC name it.
    pub(crate) fn verb(&self, method: &str, watch: bool) -> &'static str {
        match (method, self.name.is_some()) {
            ("GET", true) => "get",
            ("GET", false) if watch => "watch",
            ("GET", false) => "list",
            ("POST", _) => "create",
            ("PUT", _) => "update",
            ("PATCH", _) => "patch",
            ("DELETE", true) => "delete",
            ("DELETE", false) => "deletecollection",
            _ => "",
        }
    }
}
