//! Builders for types of `k8s_openapi` that users of kinds write: label selectors and owner
//! references.
//!
//! ```
//! use kubernetes_kinds::build::{SelectorBuilder, label_selector};
//!
//! let selector = label_selector([("app", "storage")])
//!     .with_in("tier", ["gold", "silver"])
//!     .with_does_not_exist("example.com/draining");
//! assert_eq!(selector.match_expressions.map(|e| e.len()), Some(2));
//! ```

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    LabelSelector, LabelSelectorRequirement, ObjectMeta, OwnerReference,
};
use k8s_openapi::{Metadata, Resource};

/// Returns a selector of the objects that have all of the labels; without labels, of all objects.
///
/// [`SelectorBuilder`] adds other requirements.
pub fn label_selector(
    labels: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>,
) -> LabelSelector {
    let labels = labels
        .into_iter()
        .map(|(key, value)| (key.into(), value.into()));
    let labels: std::collections::BTreeMap<_, _> = labels.collect();
    LabelSelector {
        match_expressions: None,
        match_labels: (!labels.is_empty()).then_some(labels),
    }
}

/// Adds requirements to a label selector. An object must meet all of them.
pub trait SelectorBuilder: Sized {
    /// Adds a requirement with this key, operator and values.
    #[must_use]
    fn with_requirement(self, key: String, operator: &str, values: Vec<String>) -> Self;

    /// Requires the label to have one of the values, of which a server wants at least one.
    #[must_use]
    fn with_in(
        self,
        key: impl Into<String>,
        values: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.with_requirement(key.into(), "In", strings(values))
    }

    /// Requires the label to be absent or to have none of the values, of which a server wants at
    /// least one.
    #[must_use]
    fn with_not_in(
        self,
        key: impl Into<String>,
        values: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.with_requirement(key.into(), "NotIn", strings(values))
    }

    /// Requires the label, with any value.
    #[must_use]
    fn with_exists(self, key: impl Into<String>) -> Self {
        self.with_requirement(key.into(), "Exists", Vec::new())
    }

    /// Requires the label to be absent.
    #[must_use]
    fn with_does_not_exist(self, key: impl Into<String>) -> Self {
        self.with_requirement(key.into(), "DoesNotExist", Vec::new())
    }
}

impl SelectorBuilder for LabelSelector {
    // Inlined, so that only programs that build selectors compile it.
    #[inline]
    fn with_requirement(mut self, key: String, operator: &str, values: Vec<String>) -> Self {
        self.match_expressions
            .get_or_insert_default()
            .push(LabelSelectorRequirement {
                key,
                operator: operator.to_owned(),
                values: (!values.is_empty()).then_some(values),
            });
        self
    }
}

/// Returns a reference to an owner; `None` unless the owner has a name and a UID, as every object
/// of a server has.
///
/// The garbage collector deletes an object whose owners are all gone. An owner is cluster-scoped
/// or in the namespace of the object.
pub fn owner_reference<K>(owner: &K) -> Option<OwnerReference>
where
    K: Resource + Metadata<Ty = ObjectMeta>,
{
    let metadata = owner.metadata();
    Some(OwnerReference {
        api_version: K::API_VERSION.to_owned(),
        block_owner_deletion: None,
        controller: None,
        kind: K::KIND.to_owned(),
        name: metadata.name.clone()?,
        uid: metadata.uid.clone()?,
    })
}

/// Returns a reference to the owner that controls an object, of which there is one at most. An
/// owner that is deleted in the foreground waits for the object.
///
/// It is `None` unless the owner has a name and a UID.
pub fn controller_reference<K>(owner: &K) -> Option<OwnerReference>
where
    K: Resource + Metadata<Ty = ObjectMeta>,
{
    owner_reference(owner).map(|reference| OwnerReference {
        block_owner_deletion: Some(true),
        controller: Some(true),
        ..reference
    })
}

fn strings(values: impl IntoIterator<Item = impl Into<String>>) -> Vec<String> {
    values.into_iter().map(Into::into).collect()
}
