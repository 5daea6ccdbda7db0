//! Objects in Kubernetes' protobuf, which the components of Kubernetes speak with an API server.
//!
//! [`from_slice`] and [`to_vec`] read and write whole bodies of requests and answers, whose media
//! type is [`CONTENT_TYPE`]. Generated crates have the feature `protobuf`, which gives their types
//! [`Message`]; the numbers of the fields are in the tables that JSON is read and written by.
//! Custom resources have no protobuf: servers speak JSON only for them.
//!
//! Bytes are written as Go writes them:
//!
//! * fields are in the order of their numbers;
//! * a field that Go holds without a pointer is always written, even zero or empty; others where
//!   they are set; lists and maps where they aren't empty, so that `Some` of an empty one becomes
//!   `None`;
//! * entries of maps are sorted by their keys.
//!
//! Reading takes what Go takes:
//!
//! * unknown fields are skipped, groups too;
//! * of a number, text or time that occurs several times the last one counts; parts of an object
//!   are merged; elements are added to lists, which may be packed;
//! * a zero field that Go holds without a pointer, and that JSON omits, is `None`;
//! * text that isn't UTF-8 gets U+FFFD in place of what isn't, as in a server's JSON;
//! * a time has whole seconds, and an empty one is `0001-01-01T00:00:00Z`.
//!
//! Lengths and depths are checked: nothing is allocated for bytes that the input only claims, and
//! objects may be [`DEPTH`] levels deep, as in JSON.

mod collection;
mod envelope;
mod error;
mod input;
mod items;
mod json;
mod k8s_openapi;
mod keys;
mod lean;
mod more;
mod output;
mod scalar;
mod schema;
mod values;

pub use envelope::{Envelope, Names, from_slice, to_vec};
pub use error::{DecodeError, DecodeErrorKind};
pub use input::{DEPTH, Input, Wire};
// For the macros.
#[doc(hidden)]
pub use items::{Lists, read_items, write_items};
pub use keys::{key, number, sorted};
pub use output::Output;
// For the macros.
#[doc(hidden)]
pub use scalar::read_enum;

#[doc(inline)]
pub use crate::{__protobuf_message as message, __protobuf_message_of_fields as message_of_fields};

/// The media type of objects in protobuf, for `Accept` and `Content-Type`.
pub const CONTENT_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// A message of Kubernetes' protobuf.
///
/// The generated crates implement this from the tables of their fields.
// Pages of generated types are long enough without it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no protobuf",
    note = "generated types have it with the feature `protobuf` of their crate"
)]
pub trait Message {
    /// The Kubernetes name of the type, for error messages.
    const NAME: &'static str;

    /// The keys of the fields, in the order in which they are written.
    const KEYS: &'static [u32];

    /// Reads a value of the field with a key into its place. Returns false if there is no such
    /// field, and then has read nothing.
    ///
    /// # Errors
    ///
    /// When the value has the wrong type, or the input is invalid.
    fn read_field(
        &mut self,
        key: u32,
        wire: Wire,
        input: &mut Input<'_>,
    ) -> Result<bool, DecodeError>;

    /// Writes the field with a key, if it is to be written.
    fn write_field(&self, key: u32, output: &mut Output);
}

/// A field of a message, or an element of one.
// As above.
#[doc(hidden)]
pub trait Field: Sized {
    /// True if several elements may have one length instead of a number each.
    const PACKABLE: bool = false;

    /// Returns the zero value of Go, which `Default` isn't for times.
    fn zero() -> Self;

    /// Reads a value; another one was read before if the field occurs again.
    ///
    /// # Errors
    ///
    /// When the value has the wrong type, or the input is invalid.
    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError>;

    /// Writes the value after the number of the field.
    fn write(&self, number: u32, output: &mut Output);

    /// Returns true if Go's JSON omits the value where it may be absent.
    fn is_omitted(&self) -> bool {
        false
    }
}

/// Reads the fields of a message.
///
/// # Errors
///
/// When a field has the wrong type, or the input is invalid.
pub fn read_message<T: Message>(object: &mut T, input: Input<'_>) -> Result<(), DecodeError> {
    read_level(object, 0, keys::FIRST, input)
}

/// Reads the fields at one level: those of the message itself, or those of an object that Go has
/// inlined, whose fields are among those of the message in JSON.
fn read_level<T: Message>(
    object: &mut T,
    above: u32,
    shift: u32,
    mut input: Input<'_>,
) -> Result<(), DecodeError> {
    while let Some((number, wire)) = input.tag()? {
        let in_field = |error: DecodeError| error.inside(T::NAME, number);
        let key = keys::below(above, shift, number);
        if object.read_field(key, wire, &mut input).map_err(in_field)? {
            continue;
        }
        if const { keys::has_inlined(T::KEYS) } && keys::is_inlined(T::KEYS, key, shift) {
            let inner = input.message(wire).map_err(in_field)?;
            read_level(object, key, keys::next(shift), inner).map_err(in_field)?;
        } else {
            input.skip(wire).map_err(in_field)?;
        }
    }
    Ok(())
}

/// Writes the fields of a message.
pub fn write_message<T: Message>(object: &T, output: &mut Output) {
    if const { keys::has_inlined(T::KEYS) } {
        keys::write_inlined(T::KEYS, keys::FIRST, output, &|key, output| {
            object.write_field(key, output);
        });
    } else {
        for key in T::KEYS.iter().rev() {
            object.write_field(*key, output);
        }
    }
}

/// Reads a message that is a field.
///
/// # Errors
///
/// As [`read_message`].
pub fn read_part<T: Message>(
    object: &mut T,
    wire: Wire,
    input: &mut Input<'_>,
) -> Result<(), DecodeError> {
    read_message(object, input.message(wire)?)
}

/// Writes a message that is a field.
pub fn write_part<T: Message>(object: &T, number: u32, output: &mut Output) {
    output.message(number, |output| write_message(object, output));
}

/// Reads a field that Go holds without a pointer, and that JSON may omit.
///
/// # Errors
///
/// As [`Field::read`].
pub fn read_always<T: Field>(
    slot: &mut Option<T>,
    wire: Wire,
    input: &mut Input<'_>,
) -> Result<(), DecodeError> {
    let value = slot.get_or_insert_with(T::zero);
    value.read(wire, input)?;
    if value.is_omitted() {
        *slot = None;
    }
    Ok(())
}

/// Writes a field that Go holds without a pointer: the zero value if it is `None`.
pub fn write_always<T: Field>(slot: &Option<T>, number: u32, output: &mut Output) {
    match slot {
        Some(value) => value.write(number, output),
        None => T::zero().write(number, output),
    }
}
