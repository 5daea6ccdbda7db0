use std::borrow::Cow;
use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::{Metadata, Resource};

/// Constants of a kind, beside those of [`Resource`].
pub trait Kind: Resource + Metadata<Ty = ObjectMeta> {
    /// The releases that introduced, deprecated and removed the kind in this version of its group,
    /// where they are known.
    const LIFECYCLE: Option<Lifecycle>;

    /// The lists whose elements are identified by some of their fields, according to
    /// `x-kubernetes-list-map-keys`: the path of each list, without indices, and these fields.
    ///
    /// Every other list is compared and owned as a whole.
    const LIST_MAP_KEYS: ListMapKeys;

    /// The paths of objects, maps and lists whose parts can have different owners, as the
    /// `x-kubernetes-map-type` and `x-kubernetes-list-type` of the document say, without
    /// those in the metadata. `[]` after a list's path means its elements.
    ///
    /// A value at any other path has one owner, together with its fields and elements.
    const GRANULAR: &'static [&'static str];

    /// The warning with which a server answers every request about the kind in this version, of a
    /// custom resource whose definition deprecates it.
    const DEPRECATION: Option<&'static str> = None;
}

/// The lists whose elements are identified by some of their fields: the path of each list,
/// without indices, and these fields.
pub type ListMapKeys = &'static [(&'static str, &'static [&'static str])];

/// A minor release of Kubernetes, shown as `1.37`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release {
    /// The major number.
    pub major: u16,
    /// The minor number.
    pub minor: u16,
}

impl Release {
    /// Returns the release of the given numbers.
    #[must_use]
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The releases that introduced, deprecated and removed a kind in one version of its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifecycle {
    /// The first release that serves it.
    pub introduced: Release,
    /// The first release that warns of it.
    pub deprecated: Option<Release>,
    /// The first release that no longer serves it.
    pub removed: Option<Release>,
    /// The kind that replaces it.
    pub replacement: Option<Replacement>,
}

/// A kind that replaces another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// Its group and version, as in `apiVersion`.
    pub api_version: &'static str,
    /// Its name.
    pub kind: &'static str,
}

impl Replacement {
    /// Returns the group, version and kind.
    #[must_use]
    pub fn group_version_kind(&self) -> GroupVersionKind {
        GroupVersionKind::from_type_meta(self.api_version, self.kind)
    }
}

impl Lifecycle {
    /// Returns true if an API server of the release serves the kind.
    ///
    /// ```
    /// use kubernetes_kinds::{Lifecycle, Release};
    ///
    /// let lifecycle = Lifecycle {
    ///     introduced: Release::new(1, 14),
    ///     deprecated: Some(Release::new(1, 19)),
    ///     removed: Some(Release::new(1, 22)),
    ///     replacement: None,
    /// };
    /// assert!(lifecycle.is_served(Release::new(1, 21)));
    /// assert!(!lifecycle.is_served(Release::new(1, 22)));
    /// ```
    #[must_use]
    pub fn is_served(&self, release: Release) -> bool {
        self.introduced <= release && self.removed.is_none_or(|removed| release < removed)
    }

    /// Returns true if an API server of the release serves the version of the kind by default.
    /// Alpha versions, and beta versions introduced in Kubernetes 1.24 or later, must be enabled
    /// with `--runtime-config`.
    ///
    /// ```
    /// use kubernetes_kinds::{Lifecycle, Release};
    ///
    /// let lifecycle = Lifecycle {
    ///     introduced: Release::new(1, 31),
    ///     deprecated: None,
    ///     removed: None,
    ///     replacement: None,
    /// };
    /// assert!(lifecycle.is_served(Release::new(1, 31)));
    /// assert!(!lifecycle.is_served_by_default("v1beta1", Release::new(1, 31)));
    /// ```
    #[must_use]
    pub fn is_served_by_default(&self, version: &str, release: Release) -> bool {
        let is_on = if version.contains("beta") {
            self.introduced < Release::new(1, 24)
        } else {
            !version.contains("alpha")
        };
        is_on && self.is_served(release)
    }
}

/// A group and a version of it, shown as in `apiVersion`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupVersion {
    /// The group; empty for the core group.
    pub group: Cow<'static, str>,
    /// The version.
    pub version: Cow<'static, str>,
}

impl GroupVersion {
    /// Returns a group and version that are known at compile time.
    #[must_use]
    pub const fn from_static(group: &'static str, version: &'static str) -> Self {
        Self {
            group: Cow::Borrowed(group),
            version: Cow::Borrowed(version),
        }
    }

    /// Returns the group and version of a type.
    #[must_use]
    pub const fn of<K: Resource>() -> Self {
        Self::from_static(K::GROUP, K::VERSION)
    }

    /// Splits an `apiVersion`: `storage.k8s.io/v1`, or `v1` for the core group.
    #[must_use]
    pub fn from_api_version(api_version: &str) -> Self {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Self {
            group: group.to_owned().into(),
            version: version.to_owned().into(),
        }
    }

    /// Returns the kind of this name in the group and version.
    #[must_use]
    pub fn with_kind(&self, kind: impl Into<Cow<'static, str>>) -> GroupVersionKind {
        GroupVersionKind {
            group_version: self.clone(),
            kind: kind.into(),
        }
    }

    /// Returns the resource of this name, such as `csinodes`, in the group.
    #[must_use]
    pub fn resource(&self, resource: impl Into<Cow<'static, str>>) -> GroupResource {
        GroupResource {
            group: self.group.clone(),
            resource: resource.into(),
        }
    }
}

impl fmt::Display for GroupVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.group.is_empty() {
            write!(f, "{}/", self.group)?;
        }
        f.write_str(&self.version)
    }
}

/// A kind in a version of its group, shown as `storage.k8s.io/v1 CSINode`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupVersionKind {
    /// The group and version.
    pub group_version: GroupVersion,
    /// The kind.
    pub kind: Cow<'static, str>,
}

impl GroupVersionKind {
    /// Returns a kind that is known at compile time.
    #[must_use]
    pub const fn from_static(
        group: &'static str,
        version: &'static str,
        kind: &'static str,
    ) -> Self {
        Self {
            group_version: GroupVersion::from_static(group, version),
            kind: Cow::Borrowed(kind),
        }
    }

    /// Returns the kind of a type.
    #[must_use]
    pub const fn of<K: Resource>() -> Self {
        Self::from_static(K::GROUP, K::VERSION, K::KIND)
    }

    /// Returns the kind for the `apiVersion` and `kind` of an object.
    #[must_use]
    pub fn from_type_meta(api_version: &str, kind: &str) -> Self {
        GroupVersion::from_api_version(api_version).with_kind(kind.to_owned())
    }
}

impl fmt::Display for GroupVersionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.group_version, self.kind)
    }
}

/// A resource of a group in any version, shown as `csinodes.storage.k8s.io`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupResource {
    /// The group; empty for the core group.
    pub group: Cow<'static, str>,
    /// The resource, in the plural and lower case.
    pub resource: Cow<'static, str>,
}

impl fmt::Display for GroupResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.resource)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        Ok(())
    }
}
