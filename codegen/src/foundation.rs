//! Types of k8s-openapi that the generated code treats specially.

use crate::model::External;
use crate::name::RustPath;

/// Returns true if a type of another crate is the quantity of Kubernetes, whose values are numbers.
pub(crate) fn is_quantity(path: &RustPath) -> bool {
    path.to_string() == "k8s_openapi::apimachinery::pkg::api::resource::Quantity"
}

/// Returns true if a type of another crate is the time of Kubernetes, which reads more forms than a
/// server.
pub(crate) fn is_time(path: &RustPath) -> bool {
    path.to_string() == "k8s_openapi::apimachinery::pkg::apis::meta::v1::Time"
}

/// Returns true if a type of another crate is the metadata of objects.
pub(crate) fn is_metadata(path: &RustPath) -> bool {
    path.to_string() == "k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta"
}

/// Returns true if a type of another crate is equal to another value of it where a server sees no
/// difference: a selector of labels has only texts, in lists whose order counts.
pub(crate) fn is_compared_exactly(path: &RustPath) -> bool {
    path.to_string() == "k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector"
}

/// Returns true if a type of another crate is a time, of any precision.
pub(crate) fn is_moment(path: &RustPath) -> bool {
    let micro = "k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime";
    is_time(path) || path.to_string() == micro
}

/// Returns true if a type of another crate has an implementation of `Semantic`: a server doesn't
/// compare it field by field.
pub(crate) fn is_semantic(path: &RustPath) -> bool {
    path.to_string() == "k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector"
}

/// The types of k8s-openapi that `kubernetes-kinds` reads and writes as protobuf by hand: those
/// that are no objects in JSON, and those that no document of this repository has.
const IN_PROTOBUF: [&str; 10] = [
    "k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps",
    "k8s_openapi::apimachinery::pkg::api::resource::Quantity",
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition",
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::FieldSelectorRequirement",
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::FieldsV1",
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::GroupResource",
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime",
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::Time",
    "k8s_openapi::apimachinery::pkg::runtime::RawExtension",
    "k8s_openapi::apimachinery::pkg::util::intstr::IntOrString",
];

/// Returns true if a type of another crate is read and written as protobuf without a table.
pub(crate) fn is_in_protobuf(path: &RustPath) -> bool {
    IN_PROTOBUF.contains(&path.to_string().as_str())
}

/// The types of k8s-openapi without a `Default`, most of them because a time has none.
const WITHOUT_ZERO: [&str; 9] = [
    "Condition",
    "EventSeries",
    "JSONSchemaPropsOrArray",
    "JSONSchemaPropsOrBool",
    "JSONSchemaPropsOrStringArray",
    "MicroTime",
    "Patch",
    "Time",
    "WatchEvent",
];

/// Returns true if a type of another crate has a `Default` that is Go's zero value.
pub(crate) fn has_zero(
    External {
        path, generated, ..
    }: &External,
) -> bool {
    let path = path.to_string();
    *generated
        || path
            .strip_prefix("k8s_openapi::")
            .and_then(|path| path.rsplit("::").next())
            .is_some_and(|name| !WITHOUT_ZERO.contains(&name))
}

/// Returns true if a type of another crate implements `DeepMerge`.
pub(crate) fn has_merge(external: &External) -> bool {
    external.generated || external.path.to_string().starts_with("k8s_openapi::")
}
