//! The traits that tests use of every kind, and the list of the kinds.

use std::fmt::Debug;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ListMeta, ObjectMeta};
use k8s_openapi::{ListableResource, Metadata};
use kubernetes_kinds::apply::Apply;
use kubernetes_manifests::scheme::Scheme;
use proptest::strategy::BoxedStrategy;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Returns a scheme with the kinds of all generated crates.
pub fn scheme() -> Scheme {
    let mut scheme = Scheme::new();
    storage_all::add_to_scheme(&mut scheme);
    scheme
}

/// A value on the wire, as tests need it.
pub trait Wire:
    Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

impl<T> Wire for T where
    T: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

/// A generated kind, with its list and its type to apply.
pub trait Generated: Wire + ListableResource + Metadata<Ty = ObjectMeta> {
    /// The generated list of the kind.
    type List: Wire + Metadata<Ty = ListMeta> + FromIterator<Self> + IntoIterator<Item = Self>;

    /// The generated type for applying the kind.
    type Apply: Wire + Apply<Kind = Self>;
}

/// A generated kind, of any group and version, and objects of it.
pub trait Kind: Generated {
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

/// Makes one test function for each kind of every version, calling a generic function.
#[macro_export]
macro_rules! each_kind {
    ($check:path) => {
        storage_all::for_each_kind! { $crate::rows, any {$crate::each; $check =>} }
    };
}

/// The same for each kind that Kubernetes itself has: those of the core group, and of every version
/// of storage.k8s.io.
#[macro_export]
macro_rules! each_upstream_kind {
    ($check:path $(, ignore = $why:literal)?) => {
        storage_all::for_each_kind! {
            $crate::rows, upstream {$crate::each; $check $(, ignore = $why)? =>}
        }
    };
}

/// The same for each kind of core/v1 and storage.k8s.io/v1, which k8s-openapi has too.
#[macro_export]
macro_rules! each_newest_kind {
    ($check:path) => {
        $crate::for_each_newest_kind! { $crate::each, $check => }
    };
}

/// Makes one test function for each pair of an older kind and the newer of the same shape.
#[macro_export]
macro_rules! each_lossless_pair {
    ($check:path $(, ignore = $why:literal)?) => {
        storage_all::for_each_conversion! {
            $crate::pairs, lossless {$crate::each; $check $(, ignore = $why)? =>}
        }
    };
}

/// The same for each pair of kinds of which neither can represent all fields of the other.
#[macro_export]
macro_rules! each_lossy_pair {
    ($check:path) => {
        storage_all::for_each_conversion! { $crate::pairs, lossy {$crate::each; $check =>} }
    };
}

/// Calls a macro for each kind of core/v1 and storage.k8s.io/v1, with the row `name: kind;` after
/// other tokens.
#[macro_export]
macro_rules! for_each_newest_kind {
    ($($callback:ident)::+ $(, $($first:tt)*)?) => {
        storage_all::for_each_kind! {
            $crate::rows, newest {$($callback)::+; $($($first)*)?}
        }
    };
}

/// Calls a macro for each row of `storage_all::for_each_kind!` that a selection has.
#[doc(hidden)]
#[macro_export]
macro_rules! rows {
    (
        $wanted:ident $call:tt
        $($name:ident: $($kind:ident)::+ $(, $part:ident = $type:ty)*;)*
    ) => {
        $($crate::row! { $wanted $call $name: $($kind)::+ })*
    };
}

/// Calls a macro for a row if the selection has it: any, or a crate and the types at its root.
#[doc(hidden)]
#[macro_export]
macro_rules! row {
    (any $call:tt $name:ident: $kind:path) => {
        $crate::call! { $call $name: $kind; }
    };
    (newest $call:tt $name:ident: $all:ident::core_v1::$kind:ident) => {
        $crate::call! { $call $name: $all::core_v1::$kind; }
    };
    (newest $call:tt $name:ident: $all:ident::storage_v1::$kind:ident) => {
        $crate::call! { $call $name: $all::storage_v1::$kind; }
    };
    (upstream $call:tt $name:ident: $all:ident::core_v1::$kind:ident) => {
        $crate::call! { $call $name: $all::core_v1::$kind; }
    };
    (upstream $call:tt $name:ident: $all:ident::storage_v1::$kind:ident) => {
        $crate::call! { $call $name: $all::storage_v1::$kind; }
    };
    (upstream $call:tt $name:ident: $all:ident::storage_v1beta1::$kind:ident) => {
        $crate::call! { $call $name: $all::storage_v1beta1::$kind; }
    };
    (upstream $call:tt $name:ident: $all:ident::storage_v1alpha1::$kind:ident) => {
        $crate::call! { $call $name: $all::storage_v1alpha1::$kind; }
    };
    ($($other:tt)*) => {};
}

/// Calls a macro for each row of `storage_all::for_each_conversion!` that is wanted.
#[doc(hidden)]
#[macro_export]
macro_rules! pairs {
    ($wanted:ident $call:tt $($name:ident: $how:ident $old:ty => $new:ty;)*) => {
        $($crate::pair! { $wanted $how $call $name: $old, $new; })*
    };
}

/// Calls a macro for a pair if its conversion is as wanted.
#[doc(hidden)]
#[macro_export]
macro_rules! pair {
    (lossless lossless $call:tt $($row:tt)*) => { $crate::call! { $call $($row)* } };
    (lossy lossy $call:tt $($row:tt)*) => { $crate::call! { $call $($row)* } };
    ($($other:tt)*) => {};
}

/// Calls the macro of `{macro; first tokens}` with these tokens and a row.
#[doc(hidden)]
#[macro_export]
macro_rules! call {
    ({$($callback:ident)::+; $($first:tt)*} $($row:tt)*) => {
        $($callback)::+! { $($first)* $($row)* }
    };
}

macro_rules! generated {
    ($($name:ident: $kind:ty, list = $list:ty, apply = $apply:ty;)*) => {$(
        impl Generated for $kind {
            type List = $list;
            type Apply = $apply;
        }
    )*};
}

storage_all::for_each_kind!(generated);

/// k8s-openapi has each type under the same name.
macro_rules! peer {
    ($name:ident: $all:ident::core_v1::$kind:ident;) => {
        impl Peer for $all::core_v1::$kind {
            type Peer = k8s_openapi::api::core::v1::$kind;
        }
    };
    ($name:ident: $all:ident::storage_v1::$kind:ident;) => {
        impl Peer for $all::storage_v1::$kind {
            type Peer = k8s_openapi::api::storage::v1::$kind;
        }
    };
}

for_each_newest_kind!(peer);

/// Says where the objects of kinds are made.
macro_rules! objects {
    ($($kind:ty: $arbitrary:path, $sample:path;)*) => {$(
        impl $crate::kind::Kind for $kind {
            fn arbitrary() -> proptest::strategy::BoxedStrategy<Self> {
                $arbitrary()
            }

            fn sample() -> Self {
                $sample()
            }
        }
    )*};
}

pub(crate) use objects;
