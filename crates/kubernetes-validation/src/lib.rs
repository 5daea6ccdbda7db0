//! Defaulting and validation of Kubernetes objects, as an API server does them before it stores
//! an object.
//!
//! The rules are those of Kubernetes 1.31 to 1.37, tested against API servers of 1.31, 1.34, 1.36
//! and 1.37, and for older releases those of the Kubernetes documentation. [`Validate`] follows the
//! order in which a server handles a request:
//!
//! 1. [`SetDefaults::set_defaults`] sets defaults.
//! 2. [`Validate::prepare_for_create`] and [`Validate::prepare_for_update`] set defaults and drop
//!    the fields that the server doesn't store: those whose feature is disabled, the namespace of a
//!    cluster-scoped object, and a status that is written through its subresource.
//! 3. [`Validate::validate`] and [`Validate::validate_update`] return all errors of an object at
//!    once. They expect that defaults are set.
//!
//! [`Validate::default_and_validate`] does all three steps for a new object.
//!
//! Generated crates implement the traits: keywords of a schema become calls of [`Checker`]'s
//! methods. Rules that keywords can't express are functions, hand-written beside the generated
//! kinds; [`rules`] has those for every API group.
//!
//! With the feature `custom-resources`, there are the functions that generated code for custom
//! resources calls; `cel-library` and `pattern` add those for functions of rules in CEL, and for
//! regular expressions. With the feature `admission`, the module `admission` answers requests to
//! admission webhooks.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "admission")]
pub mod admission;
#[cfg(feature = "custom-resources")]
pub mod cel;
mod checker;
#[cfg(feature = "custom-resources")]
mod combined;
#[cfg(feature = "custom-resources")]
mod custom;
#[cfg(not(feature = "custom-resources"))]
#[path = "not_custom.rs"]
mod custom;
#[cfg(feature = "custom-resources")]
mod embedded;
mod enumeration;
#[cfg(feature = "custom-resources")]
mod formats;
#[cfg(feature = "custom-resources")]
mod known;
mod managers;
mod metadata;
mod path;
#[cfg(feature = "pattern")]
mod pattern;
#[cfg(feature = "custom-resources")]
mod ratcheting;
mod repeats;
mod report;
#[cfg(feature = "custom-resources")]
mod rule;
#[cfg(feature = "custom-resources")]
mod schema;
mod selector;
mod semantics;
mod status;
mod strategy;
mod target;
#[cfg(feature = "custom-resources")]
mod unchecked;

use std::any::TypeId;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::serde_json::Value;
pub use kubernetes_kinds::{FieldPath, Segment};
pub use kubernetes_schema_terms::{ErrorType, NameFormat};

#[cfg(not(feature = "custom-resources"))]
use custom as ratcheting;

pub use checker::{Checker, IMMUTABLE, Problem, to_value, whole};
#[cfg(feature = "custom-resources")]
pub use combined::Constraint;
#[cfg(feature = "custom-resources")]
pub use known::Known;
#[cfg(feature = "custom-resources")]
pub use kubernetes_schema_terms::TextFormat;
pub use path::Path;
#[cfg(feature = "pattern")]
pub use pattern::Pattern;
#[cfg(feature = "custom-resources")]
pub use repeats::FirstRepeats;
pub use repeats::Repeats;
pub use report::{Error, Report, ValidationError, Warning};
#[cfg(feature = "custom-resources")]
pub use rule::Rule;
pub use semantics::Semantic;
pub use strategy::{
    Check, FieldsByPath, Scale, SetDefaults, Strategy, Versions, default_text, drop_unless,
};
pub use target::{Feature, Target};
#[cfg(feature = "custom-resources")]
pub use unchecked::UncheckedRule;

/// Rules that any API group uses, above all for types of Kubernetes' meta/v1. Overlays name them in
/// `x-check` with their whole path.
pub mod rules {
    pub use super::selector::{label_selector, label_selector_of_update};
}

/// Defaults and validates objects of a kind in the order in which a server handles a request.
pub trait Validate: Strategy {
    /// Turns the object into the one that a server stores on creation: sets defaults, drops fields
    /// whose feature is disabled and the namespace of a cluster-scoped object, and resets a status
    /// that is written through its subresource.
    ///
    /// Metadata that the server sets, such as `uid`, stays unchanged.
    fn prepare_for_create(&mut self, target: &Target) {
        prepare(self, None, target);
    }

    /// Turns the object into the one that a server stores on an update of `stored`.
    fn prepare_for_update(&mut self, stored: &Self, target: &Target) {
        prepare(self, Some(stored), target);
    }

    /// Returns the errors for which a server rejects to create the object, and its warnings.
    ///
    /// Defaults must be set, as a server sets them before it validates.
    fn validate(&self, target: &Target) -> Report {
        let mut checker = Checker::new(target);
        let kept = |entries: &[_]| managers::kept(self, None, target, entries);
        metadata::check(self.metadata(), meta_rules::<Self>(), &kept, &mut checker);
        metadata::warn_of_repeated_owners(self.metadata(), &mut checker);
        self.check(&Path::ROOT, &mut checker);
        self.warn(None, &Path::ROOT, &mut checker);
        custom::scale(self, false, &mut checker);
        custom::finish::<Self>(checker)
    }

    /// Returns the errors for which a server rejects to update `stored` to the object, and its
    /// warnings.
    ///
    /// Defaults must be set in both. A status that is written through its subresource isn't
    /// validated, but the stored one of a custom resource as far as a server does it.
    fn validate_update(&self, stored: &Self, target: &Target) -> Report {
        let mut checker = Checker::of_update(target);
        check_as_update(self, stored, false, &mut checker);
        custom::finish::<Self>(checker)
    }

    /// Returns the errors for which a server rejects the object's status, written through its
    /// subresource.
    ///
    /// The report is empty if the kind has no such subresource.
    fn validate_status(&self, target: &Target) -> Report {
        let mut checker = Checker::of_update(target);
        self.check_status(&Path::ROOT, &mut checker);
        custom::scale(self, true, &mut checker);
        checker.lasting.clear();
        custom::finish_status::<Self>(checker)
    }

    /// Turns the object into the one that a server stores when the status of `stored` is written
    /// through its subresource, and returns the errors for which a server rejects the write.
    ///
    /// A server ignores everything but the status and the identity of the object; of kinds with
    /// [`Strategy::STATUS_WITH_METADATA`], everything but the status and the metadata.
    fn default_and_validate_status(&mut self, stored: &Self, target: &Target) -> Report {
        let mut before = Checker::of_update(target);
        metadata::warn_of_repeated_owners(self.metadata(), &mut before);
        // A server reads fields of the status before it drops those whose feature is off.
        self.check_reading(&Path::ROOT, &mut before);
        self.prepare_status(stored, target);
        let rules = meta_rules::<Self>();
        let meta = self.metadata_mut();
        if Self::STATUS_WITH_METADATA {
            metadata::clear_namespace(meta, rules);
            metadata::drop_repeated_owners(meta);
            metadata::keep_managers(meta, stored.metadata());
        } else {
            metadata::reset_for_status(meta, stored.metadata(), Self::IS_CUSTOM);
        }
        let mut checker = Checker::of_update(target);
        if Self::STATUS_ALONE {
            let rules = metadata::Rules {
                checks_names_again: false,
                ..rules
            };
            let kept = |entries: &[_]| managers::kept(self, Some(stored), target, entries);
            let (meta, old) = (self.metadata(), stored.metadata());
            metadata::check_update(meta, old, rules, &kept, &mut checker);
            self.check_status(&Path::ROOT, &mut checker);
        } else {
            check_as_update(self, stored, true, &mut checker);
            let from = checker.mark();
            self.check_status(&Path::ROOT, &mut checker);
            ratcheting::ratchet(self, stored, from, true, &mut checker);
            self.check_status_update(stored, &Path::ROOT, &mut checker);
        }
        checker.lasting.clear();
        with_earlier(custom::finish_status::<Self>(checker), before.finish())
    }

    /// Adds to the report of an object the required fields that its document lacks, for which a
    /// server rejects a custom resource.
    ///
    /// A type holds the zero value of an absent field, so only the document shows that the
    /// field is absent. Errors of the zero value are removed from the report. For Kubernetes' own
    /// kinds, the rules check required fields, and nothing is added.
    fn report_absent(document: &Value, report: &mut Report) {
        custom::report_absent::<Self>(document, false, report);
    }

    /// Adds to the report of an update the required fields that its document lacks, as
    /// [`Validate::report_absent`] does, except of objects that the stored document has as they
    /// are: a server doesn't report those.
    fn report_absent_in_update(
        document: &Value,
        stored: &Value,
        target: &Target,
        report: &mut Report,
    ) {
        ratcheting::report_absent_in_update::<Self>(document, stored, target, report);
    }

    /// Adds to the report of a write of the status the required fields that the status in its
    /// document lacks, as [`Validate::report_absent`] does for the rest of an object.
    fn report_absent_in_status(document: &Value, report: &mut Report) {
        custom::report_absent::<Self>(document, true, report);
    }

    /// Prepares the object for creation and validates it.
    fn default_and_validate(&mut self, target: &Target) -> Report {
        let mut before = Checker::new(target);
        metadata::warn_of_repeated_owners(self.metadata(), &mut before);
        self.check_reading(&Path::ROOT, &mut before);
        self.prepare_for_create(target);
        with_earlier(self.validate(target), before.finish())
    }

    /// Prepares the object for an update of `stored` and validates the update.
    fn default_and_validate_update(&mut self, stored: &Self, target: &Target) -> Report {
        let mut before = Checker::new(target);
        metadata::warn_of_repeated_owners(self.metadata(), &mut before);
        self.check_reading(&Path::ROOT, &mut before);
        self.prepare_for_update(stored, target);
        with_earlier(self.validate_update(stored, target), before.finish())
    }
}

/// Checks an update of the stored object.
fn check_as_update<K: Strategy>(object: &K, stored: &K, of_status: bool, to: &mut Checker<'_>) {
    let rules = meta_rules::<K>();
    let target = to.target();
    let kept = |entries: &[_]| managers::kept(object, Some(stored), target, entries);
    metadata::check_update(object.metadata(), stored.metadata(), rules, &kept, to);
    metadata::warn_of_repeated_owners(object.metadata(), to);
    let from = to.mark();
    object.check(&Path::ROOT, to);
    ratcheting::ratchet(object, stored, from, of_status, to);
    if K::IS_CUSTOM && !of_status {
        // A server takes the stored status for one that has changed if it has unknown fields.
        let from = to.mark();
        stored.check_status(&Path::ROOT, to);
        ratcheting::ratchet(stored, stored, from, false, to);
    }
    custom::scale(object, of_status, to);
    object.check_update(stored, &Path::ROOT, to);
    object.warn(Some(stored), &Path::ROOT, to);
}

fn prepare<K: Strategy>(object: &mut K, stored: Option<&K>, target: &Target) {
    let rules = meta_rules::<K>();
    metadata::clear_namespace(object.metadata_mut(), rules);
    metadata::drop_repeated_owners(object.metadata_mut());
    if stored.is_none() {
        metadata::clear_deletion(object.metadata_mut());
    }
    object.set_defaults(target);
    object.drop_disabled(stored, target);
    object.reset_status(stored, target);
}

/// Adds the warnings and errors whose cause was removed when the object was prepared.
///
/// Inlined, as generic code is, so that only programs that validate contain it.
#[inline]
fn with_earlier(mut report: Report, mut before: Report) -> Report {
    before.errors.retain(|error| !report.errors.contains(error));
    report.errors.extend(before.errors);
    report.warnings.extend(before.warnings);
    report
}

impl<K: Strategy> Validate for K {}

fn meta_rules<K: Strategy>() -> metadata::Rules {
    metadata::Rules {
        namespaced: TypeId::of::<K::Scope>() == TypeId::of::<NamespaceResourceScope>(),
        unconditional_update: K::ALLOW_UNCONDITIONAL_UPDATE,
        checks_names_again: K::CHECKS_NAMES_ON_UPDATE && !K::IS_CUSTOM,
        is_custom: K::IS_CUSTOM,
    }
}
