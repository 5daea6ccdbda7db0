//! Replaces `custom` without the feature `custom-resources`.

#![allow(clippy::extra_unused_type_parameters)] // They are those of `custom`.

use k8s_openapi::serde_json::Value;

use crate::{Checker, Report, Target};

/// Returns the report.
pub(crate) fn finish<K>(checker: Checker<'_>) -> Report {
    checker.finish()
}

/// Returns the report.
pub(crate) fn finish_status<K>(checker: Checker<'_>) -> Report {
    checker.finish()
}

/// Adds nothing.
pub(crate) const fn report_absent<K>(_: &Value, _: bool, _: &mut Report) {}

/// Adds nothing.
pub(crate) const fn report_absent_in_update<K>(_: &Value, _: &Value, _: &Target, _: &mut Report) {}

/// Drops nothing.
pub(crate) const fn ratchet<K>(_: &K, _: &K, _: usize, _: bool, _: &mut Checker<'_>) {}

/// Checks nothing.
pub(crate) const fn scale<K>(_: &K, _: bool, _: &mut Checker<'_>) {}
