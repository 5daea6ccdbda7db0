//! Conversion of selectors from and to the `LabelSelector` of `k8s_openapi`.
//!
//! The crate has a type of its own, because a server reads a custom resource in another way: it
//! skips entries that are `null`.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

use crate::{VolumeGroupSnapshotSelector, VolumeGroupSnapshotSelectorRequirement};

impl From<LabelSelector> for VolumeGroupSnapshotSelector {
    fn from(selector: LabelSelector) -> Self {
        Self {
            match_expressions: selector.match_expressions.map(each),
            match_labels: selector.match_labels,
        }
    }
}

impl From<VolumeGroupSnapshotSelector> for LabelSelector {
    fn from(selector: VolumeGroupSnapshotSelector) -> Self {
        Self {
            match_expressions: selector.match_expressions.map(each),
            match_labels: selector.match_labels,
        }
    }
}

impl From<LabelSelectorRequirement> for VolumeGroupSnapshotSelectorRequirement {
    fn from(requirement: LabelSelectorRequirement) -> Self {
        Self {
            key: requirement.key,
            operator: requirement.operator,
            values: requirement.values,
        }
    }
}

impl From<VolumeGroupSnapshotSelectorRequirement> for LabelSelectorRequirement {
    fn from(requirement: VolumeGroupSnapshotSelectorRequirement) -> Self {
        Self {
            key: requirement.key,
            operator: requirement.operator,
            values: requirement.values,
        }
    }
}

fn each<T: Into<U>, U>(all: Vec<T>) -> Vec<U> {
    all.into_iter().map(Into::into).collect()
}
