//! Types of k8s-openapi that the documents of this repository don't have, for crates of other
//! groups. All is `#[inline]`, so that only these compile it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, FieldSelectorRequirement};

use super::{message, message_of_fields};

message_of_fields! {
    #[inline]
    Condition {
        1 => type_,
        2 => status,
        3 always => observed_generation,
        4 => last_transition_time,
        5 => reason,
        6 => message,
    }
}

message! {
    #[inline]
    FieldSelectorRequirement {
        1 => key,
        2 => operator,
        3 => values,
    }
}

k8s_openapi::k8s_if_ge_1_35! {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::GroupResource;

    message! {
        #[inline]
        GroupResource {
            1 => group,
            2 => resource,
        }
    }
}
