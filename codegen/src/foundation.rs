//! Types of k8s-openapi that the generated code treats specially.

use crate::name::RustPath;

/// Whether a type of another crate is the quantity of Kubernetes, whose values are numbers.
pub(crate) fn is_quantity(path: &RustPath) -> bool {
    path.to_string() == "k8s_openapi::apimachinery::pkg::api::resource::Quantity"
}

/// Whether a type of another crate has an implementation of `Semantic`: a server doesn't compare
/// it field by field.
pub(crate) fn is_semantic(path: &RustPath) -> bool {
    path.to_string() == "k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector"
}

/// Whether a type of another crate has a `Default` that is Go's zero value, as those of k8s-openapi
/// do.
pub(crate) fn has_zero(path: &RustPath) -> bool {
    path.to_string().starts_with("k8s_openapi::")
}
