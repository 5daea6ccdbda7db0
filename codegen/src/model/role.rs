//! The role of a struct in the API, and the server's actions on it.

use serde::{Deserialize, Serialize};

use super::{Complete, Lifecycle, Phase, SchemaName};

/// The server's actions on the values of a struct, in it or below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Behaviour {
    /// Fills in defaults.
    pub(crate) sets_defaults: bool,
    /// Takes out fields whose feature is off.
    pub(crate) drops_fields: bool,
    /// Checks an object.
    pub(crate) checks: bool,
    /// Compares an update with what is stored, field by field.
    pub(crate) checks_updates: bool,
    pub(crate) warns: bool,
    /// Checks rules in CEL of a custom resource.
    pub(crate) has_cel_rules: bool,
    /// Checks combinations of schemas of a custom resource, other than of fields that are set.
    pub(crate) has_combinations: bool,
    /// Compares an update with what is stored, as a whole.
    pub(crate) is_compared: bool,
    /// Compares values in rules in CEL, field by field.
    pub(crate) has_sameness: bool,
}

impl Behaviour {
    /// Returns true if there is anything to do.
    pub(crate) fn is_any(self) -> bool {
        self != Self::default()
    }
}

/// The role of a struct in the API.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case", bound = "")]
pub(crate) enum Role<P: Phase = Complete> {
    /// A kind that has a place of its own in the API server.
    Kind(Resource<P>),
    /// A list of a kind, with its own kind.
    List { item: SchemaName, kind: String },
    /// A part of others.
    Part,
    /// The apply type of a kind.
    Apply(Resource<P>),
}

impl<P: Phase> Role<P> {
    /// Returns true if it is an object with a name: a kind, or what is applied of one.
    pub(crate) fn is_named(&self) -> bool {
        matches!(self, Self::Kind(_) | Self::Apply(_))
    }
}

/// The API server's view of a kind, or of the kind that a list holds.
#[derive(Clone, Debug, Serialize)]
#[serde(bound = "")]
pub(crate) struct Resource<P: Phase = Complete> {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) plural: String,
    /// The short names by which kubectl knows it too.
    pub(crate) short_names: Vec<String>,
    pub(crate) namespaced: bool,
    /// True if the status is written at a path of its own.
    pub(crate) status: bool,
    /// The subresource `scale` of a custom resource.
    pub(crate) scale: Option<Scale>,
    /// The warning about the kind in this version, if its definition deprecates it.
    pub(crate) deprecation: Option<String>,
    /// The schema of its list.
    pub(crate) list: P::Resolved<Option<SchemaName>>,
    /// The paths below it that a server treats in a way of their own.
    pub(crate) paths: P::Resolved<Paths>,
    /// The other versions of the group that have or had the kind, of a kind of Kubernetes' own.
    pub(crate) others: P::Complete<Vec<(String, Lifecycle)>>,
}

/// The definition of a custom resource, as its author has written it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Definition {
    pub(crate) name: String,
    /// The whole as JSON, without what a server adds.
    pub(crate) text: String,
}

/// The paths of a subresource `scale`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Scale {
    pub(crate) spec_replicas_path: String,
    pub(crate) status_replicas_path: String,
    pub(crate) label_selector_path: Option<String>,
}

/// Paths below a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Paths {
    /// The lists whose elements have keys, with their paths.
    pub(crate) keyed_lists: Vec<(String, Vec<String>)>,
    /// The objects of a custom resource that have required fields, and these, with their paths.
    pub(crate) required: Vec<(String, Vec<String>)>,
    /// The fields among them that may be `null`.
    pub(crate) nullable: Vec<(String, Vec<String>)>,
    /// The objects among them that must have a number of fields.
    pub(crate) least: Vec<(String, usize)>,
    /// The elements of lists of a custom resource that must not be `null`.
    pub(crate) not_null: Vec<String>,
    /// The lists of a custom resource whose elements have keys, with the paths that have marks of
    /// elements.
    pub(crate) correlated: Vec<(String, Vec<String>)>,
    /// The objects of a custom resource that keep fields which their schemas don't have, and the
    /// fields that those have.
    pub(crate) open: Vec<(String, Vec<String>)>,
    /// The paths of what can have parts of different owners.
    pub(crate) granular: Vec<String>,
}

impl Paths {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl<P: Phase> Resource<P> {
    /// `storage.k8s.io/v1`, or only the version for the core group.
    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }
}
