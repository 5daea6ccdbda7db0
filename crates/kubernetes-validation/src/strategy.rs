//! The traits that generated crates implement for [`Validate`](crate::Validate).

use k8s_openapi::serde::Serialize;
use kubernetes_kinds::{Kind, Lifecycle};

use crate::checker::Checker;
use crate::path::Path;
use crate::target::Target;

/// Sets the defaults of an object or a part of one, and drops disabled fields. Generated crates
/// implement it.
pub trait SetDefaults {
    /// Sets the defaults that a server of the target sets, and changes no field that is set.
    fn set_defaults(&mut self, target: &Target) {
        let _ = target;
    }

    /// Drops the fields whose feature is disabled, unless the stored object has them already.
    fn drop_disabled(&mut self, stored: Option<&Self>, target: &Target) {
        let _ = (stored, target);
    }
}

/// The rules of an object or a part of one. Generated crates implement it.
// Users call `Validate`. Pages of generated types are long enough without it.
#[doc(hidden)]
pub trait Check {
    /// Checks everything but a status that is written through its subresource.
    fn check(&self, at: &Path<'_>, to: &mut Checker<'_>) {
        let _ = (at, to);
    }

    /// Checks that an update of the stored object changes no immutable field.
    fn check_update(&self, stored: &Self, at: &Path<'_>, to: &mut Checker<'_>) {
        let _ = (stored, at, to);
    }

    /// Adds the server's warnings. On an update, `stored` is the stored object.
    fn warn(&self, stored: Option<&Self>, at: &Path<'_>, to: &mut Checker<'_>) {
        let _ = (stored, at, to);
    }
}

/// Sets a text that is unset.
pub fn default_text(field: &mut Option<String>, text: &str) {
    field.get_or_insert_with(|| text.to_owned());
}

/// Drops a field if its feature is disabled, unless the stored object has it already.
pub fn drop_unless<T>(is_enabled: bool, field: &mut Option<T>, stored: Option<&Option<T>>) {
    if !is_enabled && stored.is_none_or(Option::is_none) {
        *field = None;
    }
}

/// Paths, in which `[]` stands for the elements of a list or the values of a map, each with some of
/// the fields there.
pub type FieldsByPath = &'static [(&'static str, &'static [&'static str])];

/// The paths of a custom resource's subresource `scale`, such as `.spec.replicas`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The path of the wanted number of replicas.
    pub spec_replicas: &'static str,
    /// The path of the number that there are.
    pub status_replicas: &'static str,
    /// The path of the label selector, as a text, if there is one.
    pub label_selector: Option<&'static str>,
}

/// Versions of a group that have a kind, and the lifecycle of the kind in each.
pub type Versions = &'static [(&'static str, Lifecycle)];

/// The differences between kinds in how a server creates and updates objects; Kubernetes' REST
/// strategies. Generated crates implement it.
pub trait Strategy:
    Kind<Scope: 'static> + Check + SetDefaults + Clone + Default + Serialize
{
    /// True if an update may lack a resource version; Kubernetes' `AllowUnconditionalUpdate`.
    const ALLOW_UNCONDITIONAL_UPDATE: bool = false;

    /// True if an update validates `generateName` as creation does.
    const CHECKS_NAMES_ON_UPDATE: bool = true;

    /// True if a write of the status validates nothing but metadata and status. Other kinds
    /// validate it as any update.
    const STATUS_ALONE: bool = false;

    /// True if a write of the status changes metadata too. Other kinds keep most metadata then.
    const STATUS_WITH_METADATA: bool = false;

    /// The objects of a custom resource that have required fields, with these. A status that is
    /// written through its subresource is asked for its own by such a write only.
    const REQUIRED: FieldsByPath = &[];

    /// The required fields that may be `null`. For a server, any other field that is `null` is
    /// absent.
    const NULLABLE: FieldsByPath = &[];

    /// The objects of a custom resource that have required fields and must have a number of fields:
    /// `minProperties`. In a document they can have less than what is read of it, which has the
    /// required ones.
    const LEAST: &'static [(&'static str, usize)] = &[];

    /// The elements of lists of a custom resource that must not be `null`, as paths such as
    /// `spec.volumes[]`.
    const NOT_NULL: &'static [&'static str] = &[];

    /// The lists of a custom resource whose elements a server finds in a stored list by their keys,
    /// with these.
    const CORRELATED_LISTS: FieldsByPath = &[];

    /// The objects of a custom resource that keep fields which the schema doesn't have, with those
    /// that it has. A server never takes an object with others for unchanged.
    const OPEN: FieldsByPath = &[];

    /// True if the kind is a custom resource, whose metadata has fewer rules.
    const IS_CUSTOM: bool = false;

    /// True if the status is written through its subresource.
    const HAS_STATUS: bool = false;

    /// True if the schema of a custom resource has rules in CEL.
    const HAS_CEL_RULES: bool = false;

    /// True if the schema of a custom resource has combinations of schemas, such as `oneOf`, that
    /// ask more than which fields are set.
    const HAS_COMBINATIONS: bool = false;

    /// The subresource `scale` of a custom resource.
    const SCALE: Option<Scale> = None;

    /// The other versions of the group that have or had the kind, of a kind of Kubernetes' own. A
    /// server drops the `managedFields` of versions that it doesn't serve.
    const OTHER_VERSIONS: Versions = &[];

    /// Checks what a server reads of a status, although it drops the status then.
    fn check_reading(&self, at: &Path<'_>, to: &mut Checker<'_>) {
        let _ = (at, to);
    }

    /// Sets a status that is written through its subresource to the status of the stored object,
    /// or of a new one.
    fn reset_status(&mut self, stored: Option<&Self>, target: &Target) {
        let _ = (stored, target);
    }

    /// Turns the object into the result of a write of its status: the status, without dropped
    /// fields, and everything else as stored.
    fn prepare_status(&mut self, stored: &Self, target: &Target) {
        let _ = (stored, target);
    }

    /// Checks a status that is written through its subresource.
    fn check_status(&self, at: &Path<'_>, to: &mut Checker<'_>) {
        let _ = (at, to);
    }

    /// Compares a status that is written through its subresource with the stored one.
    fn check_status_update(&self, stored: &Self, at: &Path<'_>, to: &mut Checker<'_>) {
        let _ = (stored, at, to);
    }
}
