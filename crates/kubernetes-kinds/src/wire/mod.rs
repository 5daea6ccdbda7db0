//! Objects on the wire, read and written field by field.
//!
//! Generated types implement [`Object`] with the macros [`object!`] and [`kind!`], from a table of
//! their fields; this module has the code that all types share. The rules are those of Kubernetes'
//! own decoder:
//!
//! * a field that is absent or `null` keeps its zero value, whether required or not,
//!   because Go writes `null` for a nil list and older servers omit what newer ones require;
//! * `null` as an element of a list or as a value of a map is the zero value, at every depth and in
//!   metadata too; that of a time is `0001-01-01T00:00:00Z`, as which Go reads it again;
//! * a time has the form that Go's `time.Parse` takes for RFC 3339;
//! * an unknown field is skipped, because a newer server may send it, or preserved as it is
//!   and written back, if the crate was generated so;
//! * what `serde_json` doesn't read is an error of it, though a server reads it: half of a pair of
//!   escapes, `"\ud800"`, and a number beyond 64-bit floats; `-0` is no integer;
//!   `kubernetes-manifests` reads them;
//! * `apiVersion` and `kind` may be absent, as in the items of a list, but may not be wrong;
//! * on writing, required fields are always there, even zero or empty, and an optional field
//!   is there exactly when it is `Some`.

mod collections;
mod kept;
mod metadata;
mod quantity;
mod read;
mod shape;
mod time;
mod tree;
mod write;

#[cfg(feature = "protobuf")]
pub(crate) use collections::reserve_one;
pub use collections::{Collection, Elements, read_elements, read_entries, read_quantities};
// For `kubernetes-manifests`, whose strict reading reports unknown fields that are preserved.
#[doc(hidden)]
pub use kept::KEPT;
pub use kept::{UnknownFields, keep, note_null};
pub(crate) use metadata::read_lean_metadata;
pub use metadata::read_metadata;
pub use quantity::{read_custom_quantity, read_quantity};
// For `kubernetes-manifests`, which knows the text.
#[doc(hidden)]
pub use quantity::take_float;
// For `kubernetes-manifests`, which reads the fields of trees as objects are read here.
#[doc(hidden)]
pub use read::{CUSTOM, Key};
pub use read::{read, read_custom_kind, read_enum, read_kind, read_object, skip};
pub use shape::{
    EntriesOf, ListOf, MapOf, Measure, Moment, Plain, Pruned, Shape, read_pruned, read_shaped,
};
#[cfg(feature = "protobuf")]
pub(crate) use time::{LAST_TIME, ZERO_TIME};
pub use time::{read_custom_time, read_time};
// For the other runtime crates, which all write through it, so that every type is compiled for one
// serializer.
#[doc(hidden)]
pub use tree::{Tree, to_value, tree};
pub use write::{
    Fields, optional, required, write_kind, write_kind_with, write_object, write_object_with,
};

#[doc(inline)]
pub use crate::{
    __protobuf_without_fields as without_fields, __wire_custom_kind as custom_kind,
    __wire_enumeration as enumeration, __wire_kind as kind, __wire_list as list,
    __wire_object as object,
};

use k8s_openapi::serde::de::MapAccess;

/// The value that Go gives a field which is absent, and `null` as an element.
///
/// It is `Default`, except for enumerations: theirs is the empty text, which isn't one of their
/// values and which no program should write by mistake.
// Pages of generated types are long enough without it.
#[doc(hidden)]
pub trait Zero {
    /// Returns the zero value.
    fn zero() -> Self;
}

impl<T: Default> Zero for T {
    fn zero() -> Self {
        T::default()
    }
}

/// A JSON object of the API with a fixed set of fields.
///
/// The generated crates implement this with [`object!`] and [`kind!`].
// As above.
#[doc(hidden)]
pub trait Object: Default {
    /// The Kubernetes name of the type, for error messages.
    const NAME: &'static str;

    /// The fields in the order in which they are written, without `apiVersion` and `kind`.
    const FIELDS: &'static [&'static str];

    /// Reads the value of the field `name` from `map` into its place, or skips it.
    ///
    /// # Errors
    ///
    /// When the value has the wrong type, or the input is invalid.
    fn read_field<'de, M: MapAccess<'de>>(
        &mut self,
        name: &str,
        map: &mut M,
    ) -> Result<(), M::Error>;

    /// Passes every field to `fields`, in the order of [`FIELDS`](Self::FIELDS).
    ///
    /// # Errors
    ///
    /// Only those of the serializer behind `fields`.
    fn write_fields<F: Fields>(&self, fields: &mut F) -> Result<(), F::Error>;
}
