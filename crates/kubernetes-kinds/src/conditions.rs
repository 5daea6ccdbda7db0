//! Conditions of a status, by the rules that Kubernetes' controllers follow.
//!
//! A status has at most one condition of each type. `lastTransitionTime` is when its `status`
//! changed last, not its reason or message.
//!
//! ```
//! use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
//! use k8s_openapi::jiff::Timestamp;
//! use kubernetes_kinds::conditions;
//!
//! let at = |seconds| Timestamp::from_second(seconds).map(Time);
//! let ready = |status: &str, time| Condition {
//!     type_: "Ready".to_owned(),
//!     status: status.to_owned(),
//!     reason: "Checked".to_owned(),
//!     message: String::new(),
//!     last_transition_time: time,
//!     observed_generation: Some(1),
//! };
//!
//! let mut list = Vec::new();
//! assert!(conditions::set(&mut list, ready("True", at(10)?)));
//! // The status is the same, so the time stays.
//! assert!(!conditions::set(&mut list, ready("True", at(20)?)));
//! assert_eq!(list[0].last_transition_time, at(10)?);
//! assert!(conditions::is_true(&list, "Ready"));
//! # Ok::<(), k8s_openapi::jiff::Error>(())
//! ```

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

// Inlined, so that only programs that use conditions compile this.

/// Adds a condition, or replaces the one of its type; returns true if the conditions change.
///
/// The time of the transition changes only with the status.
#[inline]
pub fn set(conditions: &mut Vec<Condition>, condition: Condition) -> bool {
    let mut existing = conditions.iter_mut();
    let Some(existing) = existing.find(|other| other.type_ == condition.type_) else {
        conditions.push(condition);
        return true;
    };
    let mut condition = condition;
    if condition.status == existing.status {
        condition.last_transition_time = existing.last_transition_time.clone();
    }
    let changes = *existing != condition;
    *existing = condition;
    changes
}

/// Removes the condition of a type; returns true if there was one.
#[inline]
pub fn remove(conditions: &mut Vec<Condition>, type_: &str) -> bool {
    let before = conditions.len();
    conditions.retain(|condition| condition.type_ != type_);
    conditions.len() < before
}

/// Returns the condition of a type.
#[inline]
pub fn find<'a>(conditions: &'a [Condition], type_: &str) -> Option<&'a Condition> {
    conditions.iter().find(|condition| condition.type_ == type_)
}

/// Returns true if the condition of a type has the status `True`; `false` without such a condition.
#[inline]
pub fn is_true(conditions: &[Condition], type_: &str) -> bool {
    find(conditions, type_).is_some_and(|condition| condition.status == "True")
}
