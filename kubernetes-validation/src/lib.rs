//! What an API server does with an object before it stores it: fills in defaults, drops what it
//! doesn't have, and refuses what breaks a rule.
//!
//! The rules are those of Kubernetes 1.36, checked against its API server, and for other releases
//! those of its documentation. An object goes the server's way in three steps:
//!
//! 1. [`SetDefaults::set_defaults`] fills in what is not there.
//! 2. [`Admission::prepare_for_create`] or [`prepare_for_update`](Admission::prepare_for_update)
//!    does that and takes out what the server doesn't keep: fields whose feature is off, and a
//!    status that isn't written here.
//! 3. [`Admission::validate`] or [`validate_update`](Admission::validate_update) tells all that
//!    is wrong, at once, and takes for granted that defaults are set.
//!
//! [`Admission::admit`] does all of it for an object that is to be created.
//!
//! What the schema's keywords say is generated; what they can't say is in this module, for the
//! types of Kubernetes' core that the storage kinds use.

mod checker;
mod metadata;
mod path;
mod pattern;
mod persistent_volume;
mod report;
mod selector;
mod semantics;
mod target;
mod tokens;
mod volume_sources;

use std::any::TypeId;

use k8s_openapi::NamespaceResourceScope;
use kubernetes_kinds::Kind;
pub use kubernetes_kinds::names::NameFormat;
pub use kubernetes_kinds::{FieldPath, Segment};

pub use checker::{Checker, IMMUTABLE, Problem, Repeats};
pub use path::Path;
pub use pattern::Pattern;
pub use report::{Fault, FaultKind, Refused, Report, Warning};
pub use semantics::Semantic;
pub use target::{Feature, Target};

/// What keywords can't say, named in the overlays by `x-check` and `x-set-defaults`.
pub mod rules {
    pub use super::persistent_volume::{
        inline_volume_spec, is_same_volume_spec, volume_source_defaults,
    };
    pub use super::selector::{
        deprecated_selector_labels, deprecated_topology_labels, label_selector,
        topology_terms,
    };
    pub use super::tokens::tokens_in_secrets;
}

/// What a server fills in and takes out. The generated crates implement it.
pub trait SetDefaults {
    /// Fills in what a server of the target fills in, and changes nothing that is there.
    fn set_defaults(&mut self, target: &Target) {
        let _ = target;
    }

    /// Takes out the fields whose feature is off, unless the stored object has them already.
    fn drop_disabled(&mut self, stored: Option<&Self>, target: &Target) {
        let _ = (stored, target);
    }
}

/// The rules that an object or a part of one must keep. The generated crates implement it.
pub trait Check {
    /// Checks everything but a status that is written separately.
    fn check(&self, at: &Path<'_>, to: &mut Checker<'_>) {
        let _ = (at, to);
    }

    /// Checks what an update may not change, against what is stored.
    fn check_update(&self, stored: &Self, at: &Path<'_>, to: &mut Checker<'_>) {
        let _ = (stored, at, to);
    }

    /// Adds what the server warns of; on an update, `stored` is what is stored.
    fn warn(&self, stored: Option<&Self>, at: &Path<'_>, to: &mut Checker<'_>) {
        let _ = (stored, at, to);
    }
}

/// Sets a text that is not there.
pub fn default_text(field: &mut Option<String>, text: &str) {
    field.get_or_insert_with(|| text.to_owned());
}

/// Takes a field out if its feature is off, unless what is stored has it already.
pub fn drop_unless<T>(is_on: bool, field: &mut Option<T>, stored: Option<&Option<T>>) {
    if !is_on && stored.is_none_or(Option::is_none) {
        *field = None;
    }
}

/// How the server treats a kind as a whole. The generated crates implement it.
pub trait ServerRules: Kind<Scope: 'static> + Check + SetDefaults + Clone {
    /// Whether an update without a resource version is one of the latest.
    const UNCONDITIONAL_UPDATE: bool = false;

    /// Whether an update checks `generateName` as creation does.
    const CHECKS_NAMES_ON_UPDATE: bool = true;

    /// Makes a status that is written separately what it is in a new object, or in the stored
    /// one.
    fn reset_status(&mut self, stored: Option<&Self>, target: &Target) {
        let _ = (stored, target);
    }

    /// Checks a status that is written separately.
    fn check_status(&self, at: &Path<'_>, to: &mut Checker<'_>) {
        let _ = (at, to);
    }
}

/// What a server does with objects of the kind, in its own steps.
pub trait Admission: ServerRules {
    /// Makes of the object what a server would store of a new one: defaults set, fields whose
    /// feature is off and a status that isn't written here taken out.
    ///
    /// Metadata that the server fills in, such as `uid`, stays as it is.
    fn prepare_for_create(&mut self, target: &Target) {
        prepare(self, None, target);
    }

    /// Makes of the object what a server would store of it in the place of `stored`.
    fn prepare_for_update(&mut self, stored: &Self, target: &Target) {
        prepare(self, Some(stored), target);
    }

    /// Tells why a server would refuse to create the object, and what it would warn of.
    ///
    /// Defaults must be set, as a server sets them before it looks.
    fn validate(&self, target: &Target) -> Report {
        let mut checker = Checker::new(target);
        metadata::check(self.metadata(), meta_rules::<Self>(), &mut checker);
        metadata::warn_of_repeated_owners(self.metadata(), &mut checker);
        self.check(&Path::ROOT, &mut checker);
        self.warn(None, &Path::ROOT, &mut checker);
        checker.finish()
    }

    /// Tells why a server would refuse to put the object in the place of `stored`, and what it
    /// would warn of.
    ///
    /// Defaults must be set in both. A status that is written separately isn't looked at.
    fn validate_update(&self, stored: &Self, target: &Target) -> Report {
        let mut checker = Checker::new(target);
        let rules = meta_rules::<Self>();
        metadata::check_update(self.metadata(), stored.metadata(), rules, &mut checker);
        metadata::warn_of_repeated_owners(self.metadata(), &mut checker);
        self.check(&Path::ROOT, &mut checker);
        self.check_update(stored, &Path::ROOT, &mut checker);
        self.warn(Some(stored), &Path::ROOT, &mut checker);
        checker.finish()
    }

    /// Tells why a server would refuse the status of the object, written to its subresource.
    ///
    /// There is no fault where the kind has no such subresource.
    fn validate_status(&self, target: &Target) -> Report {
        let mut checker = Checker::new(target);
        self.check_status(&Path::ROOT, &mut checker);
        checker.finish()
    }

    /// Prepares the object for being created and validates it.
    fn admit(&mut self, target: &Target) -> Report {
        let mut before = Checker::new(target);
        metadata::warn_of_repeated_owners(self.metadata(), &mut before);
        self.prepare_for_create(target);
        with_warnings(self.validate(target), before.finish())
    }

    /// Prepares the object for taking the place of `stored` and validates that.
    fn admit_update(&mut self, stored: &Self, target: &Target) -> Report {
        let mut before = Checker::new(target);
        metadata::warn_of_repeated_owners(self.metadata(), &mut before);
        self.prepare_for_update(stored, target);
        with_warnings(self.validate_update(stored, target), before.finish())
    }
}

fn prepare<K: ServerRules>(object: &mut K, stored: Option<&K>, target: &Target) {
    metadata::drop_repeated_owners(object.metadata_mut());
    object.set_defaults(target);
    object.drop_disabled(stored, target);
    object.reset_status(stored, target);
}

/// Adds what was warned of before the object was prepared, which took the cause away.
fn with_warnings(mut report: Report, before: Report) -> Report {
    report.warnings.extend(before.warnings);
    report
}

impl<K: ServerRules> Admission for K {}

fn meta_rules<K: ServerRules>() -> metadata::Rules {
    metadata::Rules {
        namespaced: TypeId::of::<K::Scope>() == TypeId::of::<NamespaceResourceScope>(),
        unconditional_update: K::UNCONDITIONAL_UPDATE,
        checks_names_again: K::CHECKS_NAMES_ON_UPDATE,
    }
}
