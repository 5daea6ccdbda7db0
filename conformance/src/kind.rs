//! What a test may ask of every kind, and the list of the kinds.

use std::fmt::Debug;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ListMeta, ObjectMeta};
use k8s_openapi::{ListableResource, Metadata};
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

/// Makes one test function for each kind of storage.k8s.io/v1, calling a generic function.
// Its widths are counted from the margin of the body, and then exceed the line.
#[rustfmt::skip]
#[macro_export]
macro_rules! each_storage_v1_kind {
    ($check:path) => {
        $crate::each_storage_v1_kind! { $check =>
            csi_driver: CSIDriver,
            csi_node: CSINode,
            csi_storage_capacity: CSIStorageCapacity,
            storage_class: StorageClass,
            volume_attachment: VolumeAttachment,
            volume_attributes_class: VolumeAttributesClass,
        }
    };
    ($check:path => $($test:ident: $kind:ident,)*) => {$(
        #[test]
        fn $test() {
            use $check as check;
            check::<storage_v1::$kind>();
        }
    )*};
}

macro_rules! storage_v1_kinds {
    ($($kind:ident, $list:ident, $module:ident;)*) => {$(
        impl Kind for storage_v1::$kind {
            type List = storage_v1::$list;

            fn arbitrary() -> BoxedStrategy<Self> {
                crate::arbitrary::storage_v1::$module()
            }

            fn sample() -> Self {
                crate::samples::$module()
            }
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
