//! Hand-written rules of mills.

use k8s_openapi::api::core::v1::PersistentVolumeSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kubernetes_validation::{Checker, Path};

/// Sets the mode of a store.
pub(crate) fn store_defaults(store: &mut Option<Box<PersistentVolumeSpec>>) {
    if let Some(store) = store {
        store
            .volume_mode
            .get_or_insert_with(|| "Filesystem".to_owned());
    }
}

/// Checks that a store has a capacity.
pub(crate) fn store(store: &Option<Box<PersistentVolumeSpec>>, at: Path<'_>, to: &mut Checker<'_>) {
    if store.as_ref().is_some_and(|store| store.capacity.is_none()) {
        to.required(
            at.field("capacity"),
            "store.capacity",
            "say how much there is room for",
        );
    }
}

/// Returns true if two stores are the same: they have the same mode.
pub(crate) fn is_same_store(
    store: &Option<Box<PersistentVolumeSpec>>,
    other: &Option<Box<PersistentVolumeSpec>>,
) -> bool {
    let mode = |store: &Option<Box<PersistentVolumeSpec>>| {
        store.as_ref().and_then(|store| store.volume_mode.clone())
    };
    mode(store) == mode(other)
}

/// Warns of labels of old.
pub(crate) fn old_labels(selector: &Option<LabelSelector>, at: Path<'_>, to: &mut Checker<'_>) {
    let labels = selector.iter().flat_map(|selector| &selector.match_labels);
    if labels.flatten().any(|(label, _)| label == "parish") {
        to.warn(at, "parishes are no more: use `village`");
    }
}

/// Warns of new marks on a mill that isn't fine.
pub(crate) fn coarse_marks(
    stored: Option<&Option<Vec<String>>>,
    marks: &Option<Vec<String>>,
    fine: &Option<bool>,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    if fine.is_none() && marks.is_some() && stored.is_none_or(|stored| stored != marks) {
        to.warn(at.field("marks"), "a mill that isn't fine needs no marks");
    }
}
