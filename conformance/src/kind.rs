//! What tests use of every kind, and the list of the kinds.

use std::fmt::Debug;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ListMeta, ObjectMeta};
use k8s_openapi::{ListableResource, Metadata};
use kubernetes_kinds::apply::Apply;
use proptest::strategy::BoxedStrategy;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What tests need of any value on the wire.
pub trait Wire:
    Clone
    + Debug
    + Default
    + PartialEq
    + Serialize
    + DeserializeOwned
    + Send
    + Sync
    + 'static
{
}

impl<T> Wire for T where
    T: Clone
        + Debug
        + Default
        + PartialEq
        + Serialize
        + DeserializeOwned
        + Send
        + Sync
        + 'static
{
}

/// A generated kind, of any group and version.
pub trait Kind: Wire + ListableResource + Metadata<Ty = ObjectMeta> {
    /// The generated list of the kind.
    type List: Wire
        + Metadata<Ty = ListMeta>
        + FromIterator<Self>
        + IntoIterator<Item = Self>;

    /// The generated type for applying the kind.
    type Apply: Wire + Apply<Kind = Self>;

    /// Random objects: every optional field present or absent, enumerations with values
    /// nobody knows, lists and maps empty or not.
    fn arbitrary() -> BoxedStrategy<Self>;

    /// An object in which every field is set, at every depth of the generated types.
    fn sample() -> Self;
}

/// A kind that k8s-openapi has too.
pub trait Peer: Kind {
    /// k8s-openapi's own type.
    type Peer: Wire + ListableResource + Metadata<Ty = ObjectMeta>;
}

/// Makes test functions that call a generic function, each with one set of types.
///
/// The macros below use it with lists of kinds, or of pairs of an older kind and the newer. With
/// `ignore = "why"` after the function, the tests are ignored unless they are asked for.
#[macro_export]
macro_rules! each {
    ($check:path => $($test:ident: $($kind:ty),+;)*) => {$(
        #[test]
        fn $test() {
            use $check as check;
            check::<$($kind),+>();
        }
    )*};
    ($check:path, ignore = $why:literal => $($test:ident: $($kind:ty),+;)*) => {$(
        #[test]
        #[ignore = $why]
        fn $test() {
            use $check as check;
            check::<$($kind),+>();
        }
    )*};
}

/// Makes one test function for each kind of storage.k8s.io/v1, calling a generic function.
// Its widths are counted from the margin of the body, and then exceed the line.
#[rustfmt::skip]
#[macro_export]
macro_rules! each_storage_v1_kind {
    ($check:path $(, ignore = $why:literal)?) => {
        $crate::each! { $check $(, ignore = $why)? =>
            v1_csi_driver: storage_v1::CSIDriver;
            v1_csi_node: storage_v1::CSINode;
            v1_csi_storage_capacity: storage_v1::CSIStorageCapacity;
            v1_storage_class: storage_v1::StorageClass;
            v1_volume_attachment: storage_v1::VolumeAttachment;
            v1_volume_attributes_class: storage_v1::VolumeAttributesClass;
        }
    };
}

/// The same for each kind of every version of storage.k8s.io.
// Its widths are counted from the margin of the body, and then exceed the line.
#[rustfmt::skip]
#[macro_export]
macro_rules! each_storage_kind {
    ($check:path $(, ignore = $why:literal)?) => {
        $crate::each_storage_v1_kind!($check $(, ignore = $why)?);
        $crate::each! { $check $(, ignore = $why)? =>
            v1beta1_csi_driver: storage_v1beta1::CSIDriver;
            v1beta1_csi_node: storage_v1beta1::CSINode;
            v1beta1_csi_storage_capacity: storage_v1beta1::CSIStorageCapacity;
            v1beta1_storage_class: storage_v1beta1::StorageClass;
            v1beta1_volume_attachment: storage_v1beta1::VolumeAttachment;
            v1beta1_volume_attributes_class: storage_v1beta1::VolumeAttributesClass;
            v1alpha1_csi_storage_capacity: storage_v1alpha1::CSIStorageCapacity;
            v1alpha1_volume_attachment: storage_v1alpha1::VolumeAttachment;
            v1alpha1_volume_attributes_class: storage_v1alpha1::VolumeAttributesClass;
        }
    };
}

/// The same for each kind of every version of both groups.
// Its widths are counted from the margin of the body, and then exceed the line.
#[rustfmt::skip]
#[macro_export]
macro_rules! each_kind {
    ($check:path) => {
        $crate::each_storage_kind!($check);
        $crate::each! { $check =>
            csi_v1alpha1_csi_driver: storage_v1alpha1::csi::CSIDriver;
            csi_v1alpha1_csi_node_info: storage_v1alpha1::csi::CSINodeInfo;
        }
    };
}

/// Makes one test function for each pair of an older kind and the newer of the same shape.
// Its widths are counted from the margin of the body, and then exceed the line.
#[rustfmt::skip]
#[macro_export]
macro_rules! each_lossless_pair {
    ($check:path $(, ignore = $why:literal)?) => {
        $crate::each! { $check $(, ignore = $why)? =>
            v1beta1_csi_driver: storage_v1beta1::CSIDriver, storage_v1::CSIDriver;
            v1beta1_csi_node: storage_v1beta1::CSINode, storage_v1::CSINode;
            v1beta1_csi_storage_capacity:
                storage_v1beta1::CSIStorageCapacity, storage_v1::CSIStorageCapacity;
            v1beta1_storage_class:
                storage_v1beta1::StorageClass, storage_v1::StorageClass;
            v1beta1_volume_attachment:
                storage_v1beta1::VolumeAttachment, storage_v1::VolumeAttachment;
            v1beta1_volume_attributes_class:
                storage_v1beta1::VolumeAttributesClass, storage_v1::VolumeAttributesClass;
            v1alpha1_csi_storage_capacity:
                storage_v1alpha1::CSIStorageCapacity, storage_v1::CSIStorageCapacity;
            v1alpha1_volume_attachment:
                storage_v1alpha1::VolumeAttachment, storage_v1::VolumeAttachment;
            v1alpha1_volume_attributes_class:
                storage_v1alpha1::VolumeAttributesClass, storage_v1::VolumeAttributesClass;
        }
    };
}

/// The same for each pair of kinds of which neither can represent all fields of the other.
// Its widths are counted from the margin of the body, and then exceed the line.
#[rustfmt::skip]
#[macro_export]
macro_rules! each_csi_pair {
    ($check:path) => {
        $crate::each! { $check =>
            csi_v1alpha1_csi_driver: storage_v1alpha1::csi::CSIDriver, storage_v1::CSIDriver;
            csi_v1alpha1_csi_node_info:
                storage_v1alpha1::csi::CSINodeInfo, storage_v1::CSINode;
        }
    };
}

macro_rules! kinds {
    ($($kind:ty, $list:ty, $apply:ty, $arbitrary:path, $sample:path;)*) => {$(
        impl Kind for $kind {
            type List = $list;
            type Apply = $apply;

            fn arbitrary() -> BoxedStrategy<Self> {
                $arbitrary()
            }

            fn sample() -> Self {
                $sample()
            }
        }
    )*};
}

/// The names of the kinds are those of the types, in every crate.
macro_rules! storage_v1_kinds {
    ($($kind:ident, $list:ident, $module:ident;)*) => {$(
        kinds! {
            storage_v1::$kind,
            storage_v1::$list,
            storage_v1::apply::$kind,
            crate::arbitrary::storage_v1::$module,
            crate::samples::$module;
        }

        impl Peer for storage_v1::$kind {
            type Peer = k8s_openapi::api::storage::v1::$kind;
        }
    )*};
}

storage_v1_kinds! {
    CSIDriver, CSIDriverList, csi_driver;
    CSINode, CSINodeList, csi_node;
    CSIStorageCapacity, CSIStorageCapacityList, csi_storage_capacity;
    StorageClass, StorageClassList, storage_class;
    VolumeAttachment, VolumeAttachmentList, volume_attachment;
    VolumeAttributesClass, VolumeAttributesClassList, volume_attributes_class;
}

macro_rules! older_kinds {
    ($($crate_name:ident { $($kind:ident, $list:ident;)* })*) => {$($(
        kinds! {
            $crate_name::$kind,
            $crate_name::$list,
            $crate_name::apply::$kind,
            crate::older::arbitrary::<storage_v1::$kind, _>,
            crate::older::sample::<storage_v1::$kind, _>;
        }
    )*)*};
}

older_kinds! {
    storage_v1beta1 {
        CSIDriver, CSIDriverList;
        CSINode, CSINodeList;
        CSIStorageCapacity, CSIStorageCapacityList;
        StorageClass, StorageClassList;
        VolumeAttachment, VolumeAttachmentList;
        VolumeAttributesClass, VolumeAttributesClassList;
    }
    storage_v1alpha1 {
        CSIStorageCapacity, CSIStorageCapacityList;
        VolumeAttachment, VolumeAttachmentList;
        VolumeAttributesClass, VolumeAttributesClassList;
    }
}

kinds! {
    storage_v1alpha1::csi::CSIDriver,
    storage_v1alpha1::csi::CSIDriverList,
    storage_v1alpha1::csi::apply::CSIDriver,
    crate::arbitrary::csi_v1alpha1::csi_driver,
    crate::samples::csi::csi_driver;

    storage_v1alpha1::csi::CSINodeInfo,
    storage_v1alpha1::csi::CSINodeInfoList,
    storage_v1alpha1::csi::apply::CSINodeInfo,
    crate::arbitrary::csi_v1alpha1::csi_node_info,
    crate::samples::csi::csi_node_info;
}
