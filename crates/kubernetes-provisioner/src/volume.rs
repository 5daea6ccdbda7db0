//! The types of volumes, claims and classes that a provisioner may use.

use std::collections::BTreeMap;
use std::fmt::Debug;

use core_v1::PersistentVolumeAccessMode;
use k8s_openapi::Metadata;
use k8s_openapi::api::core::v1::TopologySelectorTerm;
use k8s_openapi::api::{core::v1 as theirs, storage::v1 as their_storage};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kubernetes_kinds::counterpart::Counterpart;

pub(crate) use sealed::{ClaimFields, ClassFields, FromOurs};

/// A type of PersistentVolumes, with the types of claims and classes that go with it.
///
/// A [`Provisioner`](crate::Provisioner) takes and returns the types of one row:
///
/// | types of | volume | claim | class |
/// |---|---|---|---|
/// | this project | [PersistentVolume][v] | [PersistentVolumeClaim][c] | [StorageClass][s] |
/// | k8s-openapi | [PersistentVolume][kv] | [PersistentVolumeClaim][kc] | [StorageClass][ks] |
///
/// The first row is the default. The controller works with it, and converts to the second one.
/// Fields that the Kubernetes release of k8s-openapi doesn't have are absent from its types, and
/// are kept in the cluster.
///
/// [v]: core_v1::PersistentVolume
/// [c]: core_v1::PersistentVolumeClaim
/// [s]: storage_v1::StorageClass
/// [kv]: theirs::PersistentVolume
/// [kc]: theirs::PersistentVolumeClaim
/// [ks]: their_storage::StorageClass
///
/// This trait is sealed.
pub trait Volume:
    FromOurs<core_v1::PersistentVolume>
    + Into<core_v1::PersistentVolume>
    + Clone
    + Debug
    + Send
    + Sync
    + 'static
{
    /// The type of claims.
    type Claim: Claim<Volume = Self, Class = Self::Class>;
    /// The type of classes.
    type Class: FromOurs<storage_v1::StorageClass>
        + ClassFields
        + Clone
        + Debug
        + Send
        + Sync
        + 'static;
}

/// A type of PersistentVolumeClaims; see [`Volume`]. This trait is sealed.
pub trait Claim:
    FromOurs<core_v1::PersistentVolumeClaim>
    + ClaimFields
    + Metadata<Ty = ObjectMeta>
    + Clone
    + Debug
    + Send
    + Sync
    + 'static
{
    /// The type of volumes.
    type Volume: Volume<Claim = Self, Class = Self::Class>;
    /// The type of classes.
    type Class;
}

mod sealed {
    use std::collections::BTreeMap;

    use core_v1::PersistentVolumeAccessMode;
    use k8s_openapi::api::core::v1::TopologySelectorTerm;
    use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

    /// Conversion from a type that the controller works with, to itself or its counterpart.
    pub trait FromOurs<O>: Sized {
        fn from_ours(ours: O) -> Self;
    }

    /// The fields of a claim that the controller reads.
    pub trait ClaimFields {
        fn requests(&self) -> Option<&BTreeMap<String, Quantity>>;
        fn volume_mode(&self) -> Option<&str>;
        fn access_modes(&self) -> Option<Vec<PersistentVolumeAccessMode>>;
        fn volume_attributes_class_name(&self) -> Option<&str>;
    }

    /// The fields of a class that the controller reads.
    pub trait ClassFields {
        fn reclaim_policy(&self) -> Option<&str>;
        fn mount_options(&self) -> Option<&Vec<String>>;
        fn parameters(&self) -> Option<&BTreeMap<String, String>>;
        fn allowed_topologies(&self) -> Option<&Vec<TopologySelectorTerm>>;
    }
}

impl<T> FromOurs<T> for T {
    fn from_ours(ours: T) -> Self {
        ours
    }
}

/// Converts to types of k8s-openapi. A field that they don't have is absent, as if k8s-openapi had
/// read the object.
macro_rules! counterparts {
    ($($ours:ty => $theirs:ty;)*) => {$(
        impl FromOurs<$ours> for $theirs {
            fn from_ours(ours: $ours) -> Self {
                ours.into_k8s_openapi().object
            }
        }
    )*};
}

counterparts! {
    core_v1::PersistentVolume => theirs::PersistentVolume;
    core_v1::PersistentVolumeClaim => theirs::PersistentVolumeClaim;
    storage_v1::StorageClass => their_storage::StorageClass;
}

/// Relates a volume, claim and class, and implements the access to their fields. Enumerations of
/// k8s-openapi are texts.
macro_rules! types {
    ($volume:ty, $claim:ty, $class:ty) => {
        impl Volume for $volume {
            type Claim = $claim;
            type Class = $class;
        }

        impl Claim for $claim {
            type Volume = $volume;
            type Class = $class;
        }

        impl ClaimFields for $claim {
            fn requests(&self) -> Option<&BTreeMap<String, Quantity>> {
                self.spec.as_ref()?.resources.as_ref()?.requests.as_ref()
            }

            fn volume_mode(&self) -> Option<&str> {
                let mode = self.spec.as_ref()?.volume_mode.as_ref()?;
                Some(mode.as_str())
            }

            fn access_modes(&self) -> Option<Vec<PersistentVolumeAccessMode>> {
                let modes = self.spec.as_ref()?.access_modes.as_ref()?;
                Some(modes.iter().map(|mode| mode.as_str().into()).collect())
            }

            fn volume_attributes_class_name(&self) -> Option<&str> {
                self.spec.as_ref()?.volume_attributes_class_name.as_deref()
            }
        }

        impl ClassFields for $class {
            fn reclaim_policy(&self) -> Option<&str> {
                let policy = self.reclaim_policy.as_ref()?;
                Some(policy.as_str())
            }

            fn mount_options(&self) -> Option<&Vec<String>> {
                self.mount_options.as_ref()
            }

            fn parameters(&self) -> Option<&BTreeMap<String, String>> {
                self.parameters.as_ref()
            }

            fn allowed_topologies(&self) -> Option<&Vec<TopologySelectorTerm>> {
                self.allowed_topologies.as_ref()
            }
        }
    };
}

types!(
    core_v1::PersistentVolume,
    core_v1::PersistentVolumeClaim,
    storage_v1::StorageClass
);
types!(
    theirs::PersistentVolume,
    theirs::PersistentVolumeClaim,
    their_storage::StorageClass
);
